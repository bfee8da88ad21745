//! Bad input ends with an error message, and with exit code 2, or 1 if 2 means that something is blocked: never with a
//! panic, and never with a hang.

use crate::{env, env_with};
use becket_testkit::env::{ProgramOutput, TestEnv};
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::process::Stdio;

fn refused(env: &TestEnv, arguments: &[&str], said: &str) {
    let ended = env.becket(arguments).run();
    let blocks = ["fire", "mcp"];
    let code = if arguments.iter().any(|argument| blocks.contains(argument)) { 1 } else { 2 };
    assert_eq!(ended.code, Some(code), "{arguments:?} {ended:?}");
    assert!(ended.stderr.contains(said), "{arguments:?}: {:?} does not hold {said:?}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{ended:?}");
}

#[test]
fn a_misspelt_flag_is_not_taken_for_a_value() {
    let ended = env().becket(["check", "--zzz"]).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("'--zzz'"), "{ended:?}");
    assert!(!ended.stderr.contains("tip:"), "{ended:?}");
    let near = env().becket(["check", "--denny", "warnings"]).run();
    assert!(near.stderr.contains("--deny"), "{near:?}");
}

#[test]
fn arguments_that_can_not_be_meant_are_refused_in_words() {
    let env = env();
    for (arguments, said) in [
        (&["fire", "PreTolUse"][..], "`PreTolUse` is not an event; did you mean `PreToolUse`"),
        (&["explain", "Banana"], "`Banana` is not an event; `becket events` lists all"),
        (&["events", "stop"], "did you mean `Stop`?"),
        (&["fire", "PreToolUse"], "name the tool, as in `--tool Bash`"),
        (&["fire", "Stop", "--tool", "Bash"], "`--tool` does not apply to `Stop`"),
        (&["fire", "PreToolUse", "--tool", "Bash", "--input", "[1]"], "must be a JSON object, but is a list"),
        (&["fire", "PreToolUse", "--tool", "Bash", "--input", "{"], "`--input` is not valid JSON"),
        (&["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_inptu={}"], "did you mean `tool_input`?"),
        (&["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input=3"], "`tool_input` must be object"),
        (&["fire", "UserPromptSubmit", "--input", r#"{"promt": "x"}"#], "did you mean `prompt`?"),
        (&["fire", "PreToolUse", "--tool", "Bash", "--session", ""], "`--session` must not be empty"),
        (&["fire"], "<EVENT>"),
        (
            &["fire", "PreToolUse", "--tool", "Bash", "--input", "git push"],
            r#"write `--input '{"command": "git push"}'`"#,
        ),
        (
            &["fire", "PreToolUse", "--tool", "Bash", "--set", "command=ls"],
            "did you mean `tool_input.command`? (`becket",
        ),
        (&["fire", "PreToolUse", "--tool", "bash"], "there is no tool `bash`; did you mean `Bash`?"),
        (&["explain", "PreToolUse", "--tool", "Frobnicate"], "write `--set tool_name=NAME`"),
        (&["list", "PreTool"], "did you mean `PreToolUse`? (`becket events` lists all)"),
        (&["list", "session"], "did you mean `SessionStart` or `SessionEnd`?"),
        (&["check", "--frob"], "--frob"),
        (&["check", "--json", "--format", "sarif"], "both name a format: give one of them"),
        (&["mcp", "add-json", "x", "{bad"], "the entry of the server is not valid JSON"),
        (&["check"], "there is nothing to check: no settings were found for `"),
        (&["--plugin-dir", "nowhere", "check"], "there is no such directory"),
        (&["--plugin-dir", ".", "check"], "it holds neither `.claude-plugin/plugin.json`"),
        (&["--settings", "nowhere.json", "fire", "Stop"], "there is no file `"),
        (&["--settings", "nowhere.json", "check"], "there is no file `"),
        (&["frie"], "fire"),
        (&["-C", "nowhere", "list"], "is not an accessible directory"),
        (&["check", "nowhere.json"], "can't be read"),
        (&["check", "."], "contains nothing that `check` can read"),
        (&["fire", "PreToolUse", "--tool", "Bash", "--input", "@nowhere"], "`[..]nowhere` can't be read"),
    ] {
        refused(&env, arguments, said.trim_start_matches("`[..]"));
    }
}

#[test]
fn deep_and_large_input_is_refused_without_harm() {
    let env = env();
    let deep = "[".repeat(100_000);
    let fire = ["fire", "PreToolUse", "--tool", "Bash", "--input", "-"];
    let ended = env.becket(fire).stdin(format!("{{\"a\":{deep}")).run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let ended = env.becket(fire).stdin(vec![b' '; 65 * 1024 * 1024]).run();
    assert!(ended.stderr.contains("stdin is larger than 64 MiB"), "{}", ended.stderr);
    let ended = env.becket(fire).stdin(vec![b'{', 0xff, b'}']).run();
    assert!(ended.stderr.contains("stdin is not UTF-8 from byte 1 on"), "{}", ended.stderr);
}

// rule: C7
#[test]
fn settings_that_are_no_settings_are_findings() {
    for (make, said, code) in [
        ((|path| drop(fs::write(path, "{\"hooks\": }"))) as fn(&std::path::Path), "JSON", 1),
        (|path| drop(fs::write(path, vec![b' '; 50 * 1024 * 1024])), "larger than 16 MiB", 2),
        (|path| drop(fs::create_dir(path)), "it is a directory, not a file", 2),
        (|path| fifo(path), "it is a pipe, a socket or a device", 2),
        (|path| drop(std::os::unix::fs::symlink(path, path)), "links lead in a circle", 2),
        (|path| drop(fs::write(path, [b'{', 0xff, b'}'])), "not UTF-8 from byte 1 on", 2),
        (|path| drop(fs::write(path, "[".repeat(200_000))), "error", 1),
    ] {
        let env = env();
        let path = env.write("project/.claude/other", "").with_file_name("settings.json");
        make(&path);
        let checked = env.becket(["check"]).run();
        assert_eq!(checked.code, Some(code), "{said}: {checked:?}");
        let words: Vec<&str> = checked.stdout.split_whitespace().filter(|word| *word != "│").collect();
        assert!(words.join(" ").contains(said), "{said}: {checked:?}");
        let fired: ProgramOutput = env.becket(["fire", "Stop"]).run();
        assert_eq!(fired.code, Some(0), "a session goes on: {fired:?}");
        assert!(fired.stderr.contains("not loaded:"), "and says so: {fired:?}");
    }
}

fn fifo(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo is there");
    assert!(made.success());
}

#[test]
fn a_name_that_is_not_utf8_works() {
    let env = env();
    let directory = env.root().join(OsString::from_vec(b"na\xffme".to_vec()));
    fs::create_dir_all(directory.join(".claude")).expect("a directory can be made");
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
    fs::write(directory.join(".claude/settings.json"), settings).expect("a file can be written");
    let ended = env.becket([OsString::from("-C"), directory.into(), "fire".into(), "Stop".into()]).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let env = env();
    let mut command = env.becket(["events"]).into_command();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("becket starts");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("stderr is text");
    assert!(child.wait().expect("it ends").success(), "{stderr}");
    assert_eq!(stderr, "");
}

#[test]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full is there");
    let env = env();
    let mut command = env.becket(["events"]).into_command();
    let output = command.stdout(full).stderr(Stdio::piped()).output().expect("becket starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the output can't be written"));
}

#[test]
fn what_a_hook_prints_can_not_move_the_cursor() {
    let script = r#"printf 'a\033[2Jb\rc' >&2; exit 2"#;
    let settings =
        serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": script}]}]}});
    let env = env_with(&settings.to_string());
    let ended = env.becket(["--color", "always", "fire", "Stop"]).run();
    assert!(
        ended.stdout.contains("a\\u{1b}[2Jb\\rc") && ended.stderr.contains("a\\u{1b}[2Jb\\rc"),
        "{ended:?}"
    );
}
