//! `install`, `uninstall` and `doctor`, with real configurations and the commands that agents would run.

use crate::{env, workspace};
use becket_dialects::{ALL, Answer, Effect, dialect};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Creates the guarded example, with a `becket` on PATH as a user would have it.
fn machine() -> TestEnv {
    let env = env();
    env.copy(&workspace().join("examples/guarded-repo"), "project");
    let managed = env.root().join("managed").display().to_string();
    let text =
        format!("#!/bin/sh\nexec '{}' --managed-dir '{managed}' \"$@\"\n", env!("CARGO_BIN_EXE_becket"));
    program(&env, "bin/becket", &text);
    env
}

fn program(env: &TestEnv, path: &str, text: &str) -> PathBuf {
    let program = env.write(path, text);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
    program
}

fn run(env: &TestEnv, arguments: &[&str]) -> ProgramOutput {
    env.becket(arguments.iter().copied()).path_first(&env.root().join("bin")).run()
}

fn done(env: &TestEnv, arguments: &[&str]) -> ProgramOutput {
    let ended = run(env, arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?} {ended:?}");
    ended
}

/// Runs a command as an agent would, with the agent's payload on stdin.
fn fired(env: &TestEnv, name: &str, command: &str, payload: &str) -> Effect {
    let becket = env.becket::<&str>([]).path_first(&env.root().join("bin")).into_command();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(env.project()).env_clear();
    shell.envs(becket.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().expect("a shell");
    let mut stdin = child.stdin.take().expect("piped");
    // A command that refuses because becket is missing may not read its payload.
    let written = std::io::Write::write_all(&mut stdin, payload.as_bytes());
    assert!(written.is_ok() || written.is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe));
    drop(stdin);
    let ended = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let exit = u8::try_from(ended.status.code().expect("a code")).expect("a small one");
    let answer = Answer { stdout: text(ended.stdout), stderr: text(ended.stderr), exit };
    dialect(name).expect("a dialect").effect_of(&answer)
}

fn payload(env: &TestEnv, name: &str, command: &str) -> String {
    payload_named(env, name, "shell").replace("git push --force", command)
}

fn payload_named(env: &TestEnv, name: &str, case: &str) -> String {
    let file = workspace().join("crates/becket-dialects/tests/fixtures").join(name).join("payloads.json");
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).expect("fixtures")).expect("JSON");
    let case = cases.into_iter().find(|known| known["name"] == case).expect("every agent has it");
    case["payload"].to_string().replace("/work/p", &env.project().display().to_string())
}

/// Returns the command of an entry before a call, in the text of the file.
fn command(env: &TestEnv, name: &str, path: &str) -> String {
    let text = fs::read_to_string(env.root().join(path)).expect("a file");
    let json = || serde_json::from_str::<Value>(&text).expect("JSON");
    let group =
        |event: &str| json()["hooks"][event][0]["hooks"][0]["command"].as_str().expect("a text").to_owned();
    match name {
        "gemini" => group("BeforeTool"),
        "codex" | "qwen" | "droid" => group("PreToolUse"),
        "copilot" => json()["hooks"]["PreToolUse"][0]["bash"].as_str().expect("a text").to_owned(),
        "cursor" => json()["hooks"]["preToolUse"][0]["command"].as_str().expect("a text").to_owned(),
        "windsurf" => json()["hooks"]["pre_run_command"][0]["command"].as_str().expect("a text").to_owned(),
        "cline" => format!("exec {}", env.root().join(path).display()),
        "kimi" => {
            let toml: toml_edit::DocumentMut = text.parse().expect("TOML");
            let tables = toml["hooks"].as_array_of_tables().expect("tables").iter();
            let table = tables.filter(|table| table["event"].as_str() == Some("PreToolUse")).last();
            table.expect("an entry")["command"].as_str().expect("a text").to_owned()
        }
        _ => panic!("{name}"),
    }
}

const OF_USER: [(&str, &str); 8] = [
    ("codex", "home/.codex/hooks.json"),
    ("gemini", "home/.gemini/settings.json"),
    ("qwen", "home/.qwen/settings.json"),
    ("copilot", "home/.copilot/hooks/becket.json"),
    ("droid", "home/.factory/settings.json"),
    ("kimi", "home/.kimi-code/config.toml"),
    ("cursor", "home/.cursor/hooks.json"),
    ("windsurf", "home/.codeium/windsurf/hooks.json"),
];

const OF_PROJECT: [(&str, &str); 8] = [
    ("codex", "project/.codex/hooks.json"),
    ("gemini", "project/.gemini/settings.json"),
    ("qwen", "project/.qwen/settings.json"),
    ("copilot", "project/.github/hooks/becket.json"),
    ("droid", "project/.factory/settings.json"),
    ("cline", "project/.clinerules/hooks/PreToolUse"),
    ("cursor", "project/.cursor/hooks.json"),
    ("windsurf", "project/.windsurf/hooks.json"),
];

// rules: D1, G3
#[test]
fn what_is_registered_holds_and_refuses_once_becket_is_gone() {
    for (agents, scope) in [(OF_USER, "--user"), (OF_PROJECT, "--project")] {
        let env = machine();
        let all: Vec<&str> = agents.iter().map(|(name, _)| *name).collect();
        let arguments = [&["install", scope][..], &all].concat();
        done(&env, &arguments);
        for (name, file) in agents {
            let command = command(&env, name, file);
            let call = |line: &str| fired(&env, name, &command, &payload(&env, name, line));
            let held = call("git push --force origin main");
            assert!(matches!(held, Effect::Held | Effect::Ends), "{name} {scope}: {held:?}");
            assert_eq!(call("git status"), Effect::Runs, "{name} {scope}");
        }
        // Another major version, a program that can't be executed, and no program at all.
        let text = fs::read_to_string(env.root().join("bin/becket")).expect("a program");
        for breaks in ["other", "mode", "gone"] {
            match breaks {
                "other" => {
                    program(
                        &env,
                        "bin/becket",
                        &text.replace("\"$@\"", "$(echo \"$@\" | sed 's/--installed 0/--installed 7/')"),
                    );
                }
                "mode" => {
                    let mode = fs::Permissions::from_mode(0o644);
                    fs::set_permissions(env.root().join("bin/becket"), mode).expect("a mode");
                }
                _ => fs::remove_file(env.root().join("bin/becket")).expect("a program"),
            }
            for (name, file) in agents {
                let held = fired(&env, name, &command(&env, name, file), &payload(&env, name, "git status"));
                assert!(matches!(held, Effect::Held | Effect::Ends), "{name} {scope} {breaks}: {held:?}");
            }
        }
    }
}

// rules: D1, H14
#[test]
fn claude_code_with_becket_as_its_only_hook_runs_the_hooks_beside_the_entry() {
    let env = machine();
    let guard = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "grep -q forbidden && exit 2; exit 0"}]}]}});
    let file = env.write("home/.claude/settings.json", guard.to_string());
    done(&env, &["install", "--user", "--only-hook", "claude"]);
    let text = fs::read_to_string(file).expect("a file");
    let settings: Value = serde_json::from_str(&text).expect("JSON");
    let groups = settings["hooks"]["PreToolUse"].as_array().expect("a list");
    let commands = groups.iter().filter_map(|group| group["hooks"][0]["command"].as_str());
    let own = commands.into_iter().find(|command| command.contains("--installed")).expect("an entry");
    let call = |line: &str| fired(&env, "claude", own, &payload(&env, "claude", line));
    for line in ["git push --force origin main", "touch forbidden-file"] {
        assert!(matches!(call(line), Effect::Held), "{line}: {:?}", call(line));
    }
    assert_eq!(call("git status"), Effect::Runs);
    let explained = run(&env, &["explain", "PreToolUse", "--tool", "Bash"]);
    assert!(explained.stdout.contains("becket fire --stdin-event"), "the entry is skipped: {explained:?}");
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let env = machine();
    env.write("home/.gemini/settings.json", "{\n  \"ui\": {} // mine\n}\n");
    let ended = done(&env, &["install", "gemini", "--user", "--dry-run"]);
    assert!(ended.stdout.contains("--- ~/.gemini/settings.json\n+++ ~/.gemini/settings.json\n"), "{ended:?}");
    assert!(ended.stdout.contains("+  \"hooks\": {\n"), "{ended:?}");
    assert!(ended.stdout.ends_with("would be registered with: Gemini CLI\n"), "{ended:?}");
    let text = fs::read_to_string(env.root().join("home/.gemini/settings.json")).expect("a file");
    assert_eq!(text, "{\n  \"ui\": {} // mine\n}\n");
    assert_eq!(done(&env, &["install", "--list"]).stdout, "");
}

#[test]
fn all_registers_with_what_is_here_and_is_undone_byte_for_byte() {
    let env = machine();
    let before = env.write("project/.gemini/settings.json", "{ \"a\": 1 }");
    for name in ["gemini", "codex", "kimi"] {
        program(&env, &format!("bin/{name}"), "#!/bin/sh\n");
    }
    let ended = done(&env, &["install", "all"]);
    assert!(ended.stdout.ends_with("registered with: Codex, Gemini CLI\n"), "{ended:?}");
    assert!(ended.stderr.contains("Codex: open Codex, type `/hooks`"), "{ended:?}");
    assert!(ended.stderr.contains("Kimi Code is left out: type `becket install kimi --user`"), "{ended:?}");
    assert!(ended.stderr.contains("not found on this machine: qwen, copilot"), "{ended:?}");
    let again = done(&env, &["install", "all"]);
    assert_eq!(again.stdout, "nothing to do for: Codex, Gemini CLI\n");
    let listed = done(&env, &["install", "--list"]).stdout;
    assert!(listed.contains("Gemini CLI     project .gemini/settings.json: 6 events"), "{listed}");
    // It works from any directory.
    let elsewhere = env.write("elsewhere/x", "").parent().expect("a folder").to_owned();
    let run = env.becket(["uninstall", "all"]).dir(&elsewhere).run();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.ends_with("removed from: Codex, Gemini CLI\n"), "{run:?}");
    assert_eq!(fs::read_to_string(before).expect("a file"), "{ \"a\": 1 }");
    assert!(!env.project().join(".codex").exists());
    assert_eq!(done(&env, &["uninstall", "all"]).stdout, "nothing is registered\n");
}

#[test]
fn one_agent_that_cant_be_changed_leaves_the_others_as_they_should_be() {
    let env = machine();
    let broken = env.write("home/.qwen/settings.json", "{broken");
    let ended = run(&env, &["install", "codex", "gemini", "qwen", "droid", "--user"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("Qwen Code: `"), "{ended:?}");
    assert!(ended.stderr.contains("was left alone: it is not JSON: "), "{ended:?}");
    assert!(
        ended
            .stdout
            .ends_with("registered with: Codex, Gemini CLI, Factory Droid\nleft as it was: Qwen Code\n"),
        "{ended:?}"
    );
    assert_eq!(fs::read_to_string(broken).expect("a file"), "{broken");
    let doctor = run(&env, &["doctor", "qwen"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.stdout.contains("error: the file can't be read: it is not JSON"), "{doctor:?}");
    assert_eq!(run(&env, &["uninstall", "codex", "gemini", "droid"]).code, Some(0));
    assert!(!env.root().join("home/.gemini").exists());
}

#[test]
fn programs_that_will_not_last_are_not_registered() {
    let env = machine();
    // Only this build is left: it is in a directory of build output.
    fs::remove_file(env.root().join("bin/becket")).expect("a program");
    let ended = run(&env, &["install", "gemini", "--user"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("is in a directory of build output"), "{ended:?}");
    let ended = run(&env, &["install", "gemini", "--project"]);
    assert!(ended.stderr.contains("no `becket` is on PATH"), "{ended:?}");
    symlink(env!("CARGO_BIN_EXE_becket"), env.root().join("bin/becket")).expect("a link");
    let ended = run(&env, &["install", "gemini", "--user"]);
    assert!(ended.stderr.contains("is in a directory of build output"), "{ended:?}");
    for (name, text, part) in [
        ("other", "#!/bin/sh\necho 'becket 7.0.0'\n", "is becket 7.0.0"),
        ("none", "#!/bin/sh\necho 'git 2'\n", "is not becket"),
        ("fails", "#!/bin/sh\nexit 1\n", "is not becket"),
    ] {
        let path = program(&env, &format!("opt/{name}"), text).display().to_string();
        let ended = run(&env, &["install", "gemini", "--user", "--program", &path]);
        assert!(ended.code == Some(1) && ended.stderr.contains(part), "{ended:?}");
    }
    let temporary = program(&env, "tmp/becket", "#!/bin/sh\necho 'becket 0.1.0'\n").display().to_string();
    let ended = run(&env, &["install", "gemini", "--user", "--program", &temporary]);
    assert!(ended.stderr.contains("is in a directory for temporary files"), "{ended:?}");
    assert!(!env.root().join("home/.gemini").exists());
}

#[test]
fn wrong_arguments_and_a_missing_home_are_clear_errors() {
    let env = machine();
    for (arguments, part) in [
        (&["install", "gemni"][..], "there is no agent `gemni` (did you mean `gemini`?)"),
        (&["install", "claude"], "add `--only-hook`"),
        (&["install"], "AGENT|all"),
        (&["install", "gemini", "--user", "--project"], "cannot be used with"),
        (&["uninstall", "nobody"], "there is no agent `nobody`"),
        (&["install", "all", "--user"], "none of the agents was found"),
    ] {
        let ended = run(&env, arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?} {ended:?}");
        assert!(ended.stderr.contains(part), "{arguments:?} {ended:?}");
    }
    for command in ["install", "uninstall"] {
        let ended = env.becket([command, "gemini"]).path_first(&env.root().join("bin")).env("HOME", "").run();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("there is no home directory"), "{ended:?}");
    }
    assert!(run(&env, &["install", "kimi", "--project"]).stderr.contains("use `--user`"));
}

#[test]
fn the_doctor_names_what_would_not_work() {
    let env = machine();
    done(&env, &["install", "codex", "gemini", "--user"]);
    done(&env, &["install", "gemini", "--project"]);
    let fine = done(&env, &["doctor"]).stdout;
    assert!(fine.contains("ok: becket 0.1.0 ("), "{fine}");
    assert!(fine.contains("registered for the user and in this project, so hooks run twice"), "{fine}");
    assert!(fine.contains("note: open Codex, type `/hooks`"), "{fine}");
    let file = env.root().join("home/.codex/hooks.json");
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, text.replace("\"PreToolUse\"", "\"PreToolUze\"")).expect("written");
    let found = run(&env, &["doctor", "codex"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    let missing = "no entry for PreToolUse, so hooks can't block calls there";
    assert!(
        found.stdout.contains(&format!("error: {missing}; `becket install codex --user --repair`")),
        "{found:?}"
    );
    // `check` and the start of a session report it as well.
    let checked = run(&env, &["check", "--for", "codex"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(
        checked.stdout.contains(missing) && checked.stdout.contains("event-not-registered"),
        "{checked:?}"
    );
    assert_eq!(run(&env, &["check", "--for", "gemini"]).code, Some(0));
    for (name, is_named) in [("codex", true), ("gemini", false)] {
        let start = payload_named(&env, name, "start");
        let ended = env
            .becket(["fire", "--dialect", name, "--user-scope", "--installed", "0"])
            .path_first(&env.root().join("bin"))
            .stdin(start)
            .run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let told = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(told.contains(missing), is_named, "{name}: {told}");
    }
    fs::remove_file(env.root().join("bin/becket")).expect("a program");
    let found = run(&env, &["doctor"]).stdout;
    assert!(found.contains("`becket` is not on PATH, so every call is refused"), "{found}");
    assert!(found.contains("can't be run"), "{found}");
}

#[test]
fn an_entry_that_was_edited_is_never_ok() {
    let env = machine();
    done(&env, &["install", "gemini", "cline", "--project"]);
    let file = env.project().join(".gemini/settings.json");
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, text.replace("\"matcher\": \"*\"", "\"matcher\": \"write_file\"")).expect("written");
    let script = env.project().join(".clinerules/hooks/PreToolUse");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).expect("a mode");
    for (agent, difference) in
        [("gemini", "BeforeTool (different matcher or keys)"), ("cline", "PreToolUse (not executable)")]
    {
        let found = run(&env, &["doctor", agent]);
        assert_eq!(found.code, Some(1), "{found:?}");
        let remedy = format!("so calls may not be blocked; `becket install {agent} --project --repair`");
        assert!(
            found.stdout.contains("error: the entry differs from the one that becket writes: "),
            "{found:?}"
        );
        assert!(found.stdout.contains(difference) && found.stdout.contains(&remedy), "{found:?}");
        let checked = run(&env, &["check", "--for", agent]);
        assert_eq!(checked.code, Some(1), "{checked:?}");
        assert!(checked.stdout.contains("entry-changed"), "{checked:?}");
    }
    let listed = done(&env, &["install", "--list"]).stdout;
    assert!(listed.contains("1 not as becket writes it; see `becket doctor cline`"), "{listed}");
    let repaired = done(&env, &["install", "gemini", "cline", "--project"]).stdout;
    assert!(repaired.contains(".clinerules/hooks/PreToolUse: it becomes executable"), "{repaired}");
    done(&env, &["doctor", "gemini", "cline"]);
    assert!(!done(&env, &["install", "--list"]).stdout.contains("not as becket"));
}

// rule: H4
#[test]
fn the_limit_of_the_agent_is_longer_than_that_of_the_longest_hook() {
    let env = machine();
    env.write(
        "home/.claude/settings.json",
        r#"{"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "true", "timeout": 700}]}]}}"#,
    );
    done(&env, &["install", "gemini", "kimi", "hermes", "--user"]);
    let gemini: Value = serde_json::from_str(
        &fs::read_to_string(env.root().join("home/.gemini/settings.json")).expect("a file"),
    )
    .expect("JSON");
    let entry = &gemini["hooks"]["BeforeTool"][0]["hooks"][0];
    assert_eq!(entry["timeout"], 705_000);
    assert!(entry["command"].as_str().expect("a text").contains("--within 700"), "{entry}");
    // An event with a hook is registered, whatever the agent does with its answer.
    assert!(gemini["hooks"]["PreCompress"].is_array());
    let kimi = fs::read_to_string(env.root().join("home/.kimi-code/config.toml")).expect("a file");
    assert!(kimi.contains("timeout = 600\n") && kimi.contains("--within 595"), "{kimi}");
    assert!(ALL.iter().all(|dialect| becket_install::agent(dialect.name).is_some()));
}

// rule: H4
#[test]
fn check_for_an_agent_names_the_time_that_it_leaves_a_hook() {
    let env = machine();
    let with_limit = |seconds: u64| {
        let hook = json!({"type": "command", "command": "true", "timeout": seconds});
        let settings = json!({"hooks": {"PreCompact": [{"hooks": [hook]}]}});
        env.write("home/.claude/settings.json", settings.to_string());
    };
    let checked = |agent: &str| run(&env, &["check", "--for", agent, "--format", "json"]).stdout;
    with_limit(700);
    // Kimi Code takes no longer limit than 600 s; an entry for Gemini CLI would have the limit of the hook.
    assert!(checked("kimi").contains("time limit (595 s instead of 700 s)"), "{}", checked("kimi"));
    assert!(!checked("gemini").contains("time limit"), "{}", checked("gemini"));
    done(&env, &["install", "gemini", "--user"]);
    assert!(!checked("gemini").contains("time limit"), "{}", checked("gemini"));
    // A hook whose limit was raised later is ended by the entry.
    with_limit(800);
    let found = checked("gemini");
    assert!(found.contains("time limit (700 s by its entry instead of 800 s)"), "{found}");
    done(&env, &["install", "gemini", "--user"]);
    assert!(!checked("gemini").contains("time limit"), "{}", checked("gemini"));
}

#[test]
fn the_doctor_shows_the_version_of_the_agent_that_is_installed() {
    let env = machine();
    done(&env, &["install", "gemini", "codex", "qwen", "--user"]);
    program(&env, "bin/gemini", "#!/bin/sh\n[ \"$1\" = --version ] && echo 'Gemini 0.99.1'\n");
    program(&env, "bin/codex", "#!/bin/sh\necho \"codex-cli $(printf 0.169.0)\" >&2\n");
    let shown =
        |agent: &str| run(&env, &["doctor", agent]).stdout.lines().next().unwrap_or_default().to_owned();
    assert_eq!(shown("gemini"), "Gemini CLI 0.99.1 (tables of 0.61.0)");
    assert_eq!(shown("codex"), "Codex 0.169.0");
    assert_eq!(shown("qwen"), "Qwen Code (not on PATH; tables of 0.24.4)");
    program(&env, "bin/qwen", "#!/bin/sh\nexit 1\n");
    assert_eq!(shown("qwen"), "Qwen Code (it states no version; tables of 0.24.4)");
}

// rule: E6
#[cfg(target_os = "linux")]
#[test]
fn an_entry_rewrites_lines_to_run_under_becket_exec() {
    let env = machine();
    env.write("home/.claude/settings.json", r#"{"permissions": {"deny": ["Bash(touch *)"]}}"#);
    let told = done(&env, &["install", "--user", "--exec-rewrite", "gemini", "qwen"]).stderr;
    assert!(told.contains("Qwen Code: it runs the lines of the model as they are"), "{told}");
    assert!(!told.contains("Gemini CLI: it runs"), "{told}");
    let command = command(&env, "gemini", "home/.gemini/settings.json");
    let becket = env.becket::<&str>([]).path_first(&env.root().join("bin")).into_command();
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(env.project()).env_clear();
    shell.envs(becket.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdin(fs::File::open(env.write("call.json", payload(&env, "gemini", "make it"))).expect("a call"));
    let ended = shell.output().expect("it runs");
    let answer: Value = serde_json::from_slice(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let line = answer["hookSpecificOutput"]["tool_input"]["command"].as_str().unwrap_or_default();
    assert!(line.contains("exec") && line.contains("touch"), "{answer}");
}

#[test]
fn entries_that_the_agent_switches_off_are_no_success() {
    let env = machine();
    let file = env.write("home/.gemini/settings.json", r#"{"hooksConfig": {"disabled": ["becket"]}}"#);
    let said =
        "`~/.gemini/settings.json`: `hooksConfig.disabled` lists becket, so the agent runs no hook of becket";
    let ended = run(&env, &["install", "gemini", "--user"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains(&format!("error: Gemini CLI: {said}")), "{ended:?}");
    assert!(ended.stdout.ends_with("switched off in: Gemini CLI\n"), "{ended:?}");
    let ended = run(&env, &["doctor", "gemini"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains(&format!("error: {said}")), "{ended:?}");
    let ended = run(&env, &["check", "--for", "gemini"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("hooks-switched-off"), "{ended:?}");
    // Nothing is switched off if there is no entry.
    done(&env, &["uninstall", "gemini"]);
    done(&env, &["doctor", "gemini"]);
    assert_eq!(fs::read_to_string(file).expect("a file"), r#"{"hooksConfig": {"disabled": ["becket"]}}"#);
    assert!(!env.root().join("home/.claude").exists());
}

#[test]
fn nothing_is_written_below_a_home_that_is_relative_or_missing() {
    let env = machine();
    let missing = env.root().join("gone");
    for home in ["relative", &missing.display().to_string()] {
        let ended = env
            .becket(["install", "gemini", "--user"])
            .path_first(&env.root().join("bin"))
            .env("HOME", home)
            .run();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("there is no home directory"), "{ended:?}");
    }
    assert!(!missing.exists() && !env.project().join("relative").exists());
}

// rule: H14
#[test]
fn entries_of_becket_are_no_hooks_of_the_project() {
    let env = machine();
    let file = |path: &str| fs::read_to_string(env.project().join(path)).expect("a file");
    let messages = || {
        let checked = run(&env, &["check", "--for", "gemini", "--format", "json"]).stdout;
        checked.matches("under Gemini CLI").count()
    };
    done(&env, &["install", "gemini", "--project"]);
    let (without, found) = (file(".gemini/settings.json"), messages());
    let of_claude = ["install", "claude", "--project", "--only-hook"];
    done(&env, &of_claude);
    let once = file(".claude/settings.json");
    for _ in 0..2 {
        done(&env, &of_claude);
        assert_eq!(file(".claude/settings.json"), once, "its limits and events are the same again");
    }
    done(&env, &["install", "gemini", "--project"]);
    assert_eq!(file(".gemini/settings.json"), without, "they have no limit that an entry must leave");
    assert!(found > 0);
    assert_eq!(messages(), found);
    let translated = run(&env, &["translate", "--to", "gemini"]);
    assert!(!translated.stdout.contains("--installed"), "{translated:?}");
}
