//! The search for the settings of a project, and the base of relative paths in options.

use crate::{env, env_with};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn hook(event: &str, command: &str) -> String {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

fn deny() -> String {
    hook("PreToolUse", "echo held >&2; exit 2")
}

fn allow() -> String {
    let answer =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
    hook("PreToolUse", &format!("echo '{answer}'"))
}

fn directory(env: &TestEnv, path: &str) -> String {
    fs::create_dir_all(env.root().join(path)).expect("it can be made");
    env.root().join(path).display().to_string()
}

/// Returns the answer to an event in `cwd`, from a process that was started elsewhere.
fn asked(env: &TestEnv, event: &str, cwd: &str, named: Option<&str>) -> ProgramOutput {
    let input = json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd, "hook_event_name": event,
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"}, "stop_hook_active": false});
    let run = env.becket(["fire", "--stdin-event"]).dir(&env.root().join("tmp")).stdin(input.to_string());
    named.into_iter().fold(run, |run, named| run.env("CLAUDE_PROJECT_DIR", named)).run()
}

// rule: C4
#[test]
fn a_hook_uses_the_project_that_its_agent_names_without_a_search() {
    let env = env_with(&deny());
    let (project, below) = (directory(&env, "project"), directory(&env, "project/below"));
    let code = |event: &str, named: &str| asked(&env, event, &below, Some(named)).code;
    assert_eq!(code("PreToolUse", &project), Some(2));
    assert_eq!(code("PreToolUse", "../project"), Some(2), "from the directory of the process");
    assert_eq!(code("PreToolUse", &below), Some(0), "no parent is searched");
    let gone = asked(&env, "PreToolUse", &below, Some("/nowhere"));
    assert_eq!(gone.code, Some(2), "{gone:?}");
    assert!(gone.stderr.contains("CLAUDE_PROJECT_DIR") && gone.stderr.contains("/nowhere"), "{gone:?}");
    assert_eq!(code("Stop", "/nowhere"), Some(1), "a turn's end is not held back");
}

// rule: C4
#[test]
fn a_hook_whose_agent_names_no_project_looks_upwards_from_the_event() {
    let env = env();
    let deep = directory(&env, "project/in/deep");
    let gone = env.root().join("project/gone").display().to_string();
    env.write("project/in/.claude/settings.json", "{}");
    assert_eq!(asked(&env, "PreToolUse", &deep, None).code, Some(0));
    env.write("project/.claude/settings.json", deny());
    assert_eq!(asked(&env, "PreToolUse", &deep, None).code, Some(2), "the outermost counts");
    env.write("project/.claude/settings.json", hook("PreToolUse", "cat >/dev/null; pwd >&2; env >seen"));
    env.write("project/in/.claude/settings.local.json", deny());
    let ended = asked(&env, "PreToolUse", &deep, None);
    assert_eq!((ended.code, ended.stderr.contains("held")), (Some(2), true), "all add up: {ended:?}");
    let seen =
        fs::read_to_string(Path::new(&deep).join("seen")).expect("the outer one ran in the event's cwd");
    let project = format!("CLAUDE_PROJECT_DIR={}", env.project().display());
    assert!(seen.lines().any(|line| line == project), "{seen}");
    assert_eq!(asked(&env, "PreToolUse", &gone, None).code, Some(2), "a directory that is gone blocks");
    assert_eq!(asked(&env, "Stop", &gone, None).code, Some(1));
}

// rule: C4
#[test]
fn a_link_that_leads_out_of_a_project_leads_not_out_of_its_guards() {
    let env = env_with(&deny());
    let (elsewhere, inner) = (directory(&env, "elsewhere"), directory(&env, "elsewhere/inner"));
    let link = env.project().join("link");
    std::os::unix::fs::symlink(&elsewhere, &link).expect("a link");
    for cwd in [link.display().to_string(), link.join("inner").display().to_string()] {
        assert_eq!(asked(&env, "PreToolUse", &cwd, None).code, Some(2), "{cwd}");
    }
    // Reached by its own name, the directory belongs to no project.
    assert_eq!(asked(&env, "PreToolUse", &inner, None).code, Some(0));
    // The guards of both projects count, and a `..` after a link names neither.
    env.write("project/.claude/settings.json", hook("PreToolUse", "touch outer"));
    env.write("elsewhere/.claude/settings.json", deny());
    let inner = link.join("inner").display().to_string();
    assert_eq!(asked(&env, "PreToolUse", &inner, None).code, Some(2));
    assert!(Path::new(&inner).join("outer").exists(), "the hook around the link ran, too");
    fs::remove_file(env.root().join("elsewhere/.claude/settings.json")).expect("it was there");
    let up = link.join("../inner").display().to_string();
    directory(&env, "inner");
    assert_eq!(asked(&env, "PreToolUse", &up, None).code, Some(0));
}

// rules: C4, C7
#[test]
fn a_settings_file_of_a_parent_that_is_a_link_to_nothing_is_reported() {
    let env = env();
    let (deep, settings) = (directory(&env, "project/in/deep"), directory(&env, "project/.claude"));
    std::os::unix::fs::symlink("/nowhere/there", Path::new(&settings).join("settings.json")).expect("a link");
    let asked = asked(&env, "PreToolUse", &deep, None);
    assert_eq!(asked.code, Some(0), "{asked:?}");
    assert!(asked.stdout.contains("does not exist") && asked.stdout.contains("settings.json"), "{asked:?}");
}

// rule: C4
#[test]
fn the_search_ends_at_the_root_of_the_repository_or_below_the_home() {
    let env = env_with(&deny());
    let inner = directory(&env, "project/clone/in");
    for part in ["objects", "refs"] {
        directory(&env, &format!("project/clone/.git/{part}"));
    }
    assert_eq!(asked(&env, "PreToolUse", &inner, None).code, Some(2), "that is not a repository yet");
    env.write("project/clone/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(asked(&env, "PreToolUse", &inner, None).code, Some(0));
    env.write("project/clone/.claude/settings.json", deny());
    assert_eq!(asked(&env, "PreToolUse", &inner, None).code, Some(2), "its root is looked at");
    env.write("home/.claude/settings.local.json", deny());
    let work = directory(&env, "home/work");
    assert_eq!(asked(&env, "PreToolUse", &work, None).code, Some(0));
}

// rule: C4
#[test]
fn the_guards_around_the_process_hold_wherever_the_event_is() {
    let env = env_with(&deny());
    directory(&env, "project/plain");
    env.write("project/off/.claude/settings.json", r#"{"disableAllHooks": true}"#);
    env.write("project/local/.claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    env.write("elsewhere/.claude/settings.json", r#"{"disableAllHooks": true}"#);
    env.write("project/clone/.claude/settings.json", "{}");
    env.write("project/clone/.git/HEAD", "ref: refs/heads/main\n");
    for part in ["objects", "refs"] {
        directory(&env, &format!("project/clone/.git/{part}"));
    }
    let at = |cwd: &str| {
        let input = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.root().join(cwd),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t",
            "tool_input": {"command": "ls"}});
        env.becket(["fire", "--stdin-event"]).stdin(input.to_string()).run()
    };
    for cwd in
        ["project", "project/plain", "project/off", "project/local", "project/clone", "elsewhere", "tmp"]
    {
        let ended = at(cwd);
        assert!(ended.code == Some(2) && ended.stderr.contains("held"), "{cwd} {ended:?}");
    }
    // Each of two projects finds its own scripts.
    let script =
        |text: &str| hook("PreToolUse", &format!("test -e \"$CLAUDE_PROJECT_DIR/{text}\" || exit 2; exit 0"));
    for (project, mark) in [("project", "here"), ("elsewhere", "there")] {
        env.write(&format!("{project}/.claude/settings.json"), script(mark));
        env.write(&format!("{project}/{mark}"), "");
    }
    assert_eq!(at("elsewhere").code, Some(0));
    fs::remove_file(env.root().join("elsewhere/there")).expect("it was there");
    assert_eq!(at("elsewhere").code, Some(2));
}

// rules: C4, G3
#[test]
fn folders_inside_of_a_project_grant_only_where_they_are_trusted() {
    let env = env_with(&allow());
    let inner = directory(&env, "project/in");
    let allows = |env: &TestEnv| asked(env, "PreToolUse", &inner, None).stdout.contains("\"allow\"");
    assert!(allows(&env), "the project's trust is the host's");
    env.write("project/.claude/settings.json", "{}");
    env.write("project/in/.claude/settings.json", allow());
    assert!(!allows(&env));
    let known = json!({"projects": {&inner: {"hasTrustDialogAccepted": true}}});
    env.write("home/.claude.json", known.to_string());
    assert!(allows(&env));
}

// rule: G3
#[test]
fn a_host_can_say_that_the_project_is_not_trusted() {
    let env = env_with(&allow());
    let fire = |more: &[&str]| {
        let ended = env.becket([&["--json", "fire", "PreToolUse", "--tool", "Bash"], more].concat()).run();
        let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
        report["verdict"]["settlement"].clone()
    };
    assert_eq!((fire(&[]), fire(&["--untrusted-project"])), (json!("allowed"), json!("open")));
}

// rule: C4
#[test]
fn the_commands_of_authors_use_the_settings_of_a_parent_and_say_so() {
    let env = env_with(&deny());
    let below = env.root().join(directory(&env, "project/below"));
    env.write("script.json", json!({"turns": [{"text": "done"}]}).to_string());
    let run = |arguments: &[&str]| env.becket(arguments.iter().copied()).dir(&below).run();
    for (arguments, code, said) in [
        (&["list"][..], 0, "echo held"),
        (&["explain", "PreToolUse", "--tool", "Bash"], 0, "echo held"),
        (&["fire", "PreToolUse", "--tool", "Bash"], 2, "held"),
        (&["check"], 0, "in 1 file"),
    ] {
        let ended = run(arguments);
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
        assert!(ended.stdout.contains(said), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains("does not read") && ended.stderr.contains("below"), "{ended:?}");
        let there = env.becket(arguments.iter().copied()).run();
        assert!(!there.stderr.contains("does not read"), "{there:?}");
    }
    let ended = run(&["run", "--model", "script:../../script.json", "-p", "hi"]);
    assert!(ended.code == Some(0) && ended.stderr.contains("does not read"), "{ended:?}");
    env.write("project/below/.claude/settings.json", "{}");
    assert!(run(&["list"]).stdout.contains("no hooks"), "a project of its own");
}

// rules: C4, O10
#[test]
fn settings_of_the_command_line_have_to_be_there_and_begin_where_the_process_does() {
    let env = env();
    let below = env.root().join(directory(&env, "project/below"));
    env.write("project/flag.json", deny());
    for (file, code) in [("flag.json", 2), ("below/../flag.json", 2)] {
        let fired = ["-C", "below", "--settings", file, "fire", "PreToolUse", "--tool", "Bash"];
        let ended = env.becket(fired).run();
        assert_eq!((ended.code, ended.stdout.contains("held")), (Some(code), true), "{ended:?}");
    }
    for (arguments, code) in [
        (&["list"][..], 2),
        (&["check"], 2),
        (&["run", "-p", "x"], 2),
        // Exit code 2 would mean that something is blocked.
        (&["fire", "PreToolUse", "--tool", "Bash"], 1),
    ] {
        let ended = env.becket([&["--settings", "flag.json"], arguments].concat()).dir(&below).run();
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains("--settings flag.json"), "{ended:?}");
    }
    for (event, code) in [("PreToolUse", 2), ("Stop", 1)] {
        let input = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(),
            "hook_event_name": event, "tool_name": "Bash", "tool_use_id": "t", "tool_input": {},
            "stop_hook_active": false});
        let ended =
            env.becket(["--settings", "gone.json", "fire", "--stdin-event"]).stdin(input.to_string()).run();
        assert_eq!(ended.code, Some(code), "{event}: {ended:?}");
    }
}

#[test]
fn a_debug_file_is_private_and_follows_no_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = env();
    env.write("project/script.json", json!({"turns": [{"text": "done"}]}).to_string());
    let run = || {
        let arguments = ["run", "--model", "script:script.json", "-p", "hi", "--debug-file", "debug.jsonl"];
        env.becket(arguments).run()
    };
    let file = env.write("project/debug.jsonl", "older, and open to all");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("it is ours");
    assert_eq!(run().code, Some(0));
    assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&file).expect("text").contains("older"));
    let others = env.write("home/keep", "mine");
    for link in [true, false] {
        fs::remove_file(&file).expect("it was there");
        if link {
            symlink(&others, &file).expect("a link");
        } else {
            fs::hard_link(&others, &file).expect("a link");
        }
        let ended = run();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("debug.jsonl"), "{ended:?}");
        assert_eq!(fs::read_to_string(&others).expect("text"), "mine");
    }
}
