//! `trust`: a user's trust in the hooks of a folder, and its withdrawal.

use crate::tmux::Terminal;
use crate::{env, workspace};
use becket_dialects::{Answer, Effect, dialect};
use becket_testkit::env::TestEnv;
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// Creates the guarded example, as a repository that is not trusted yet.
fn guarded() -> TestEnv {
    let env = env();
    env.copy(&workspace().join("examples/guarded-repo"), "project");
    fs::create_dir_all(env.project().join(".git")).expect("a directory");
    // In other tests, the project is trusted.
    fs::remove_file(env.root().join("home/.claude.json")).expect("a record");
    env
}

/// Fires a hook of the user's own configuration of Gemini CLI, about a command.
fn fired(env: &TestEnv, command: &str) -> (Effect, String) {
    let payload = json!({
        "hook_event_name": "BeforeTool", "session_id": "s", "transcript_path": "", "cwd": env.project(),
        "timestamp": "2026-01-01T00:00:00Z", "tool_name": "run_shell_command", "tool_input": {"command": command},
    });
    let run = env.becket(["fire", "--dialect", "gemini", "--user-scope"]).stdin(payload.to_string()).run();
    let exit = u8::try_from(run.code.expect("a code")).expect("a small one");
    let answer = Answer { stdout: run.stdout.clone(), stderr: run.stderr.clone(), exit };
    (dialect("gemini").expect("a dialect").effect_of(&answer), run.stdout)
}

const PUSH: &str = "git push --force origin main";

/// Returns the command line of a user, without variables of an agent that the test's terminal may have.
fn line(terminal: &Terminal<'_>, arguments: &str) -> String {
    format!("env -u CLAUDECODE -u GEMINI_CLI -u OPENCODE {}", terminal.becket(arguments))
}

// rule: G3
#[test]
fn hooks_of_a_project_run_once_a_person_trusts_it_and_no_longer_than_that() {
    let env = guarded();
    let (effect, told) = fired(&env, PUSH);
    assert_eq!(effect, Effect::Runs, "{told}");
    assert!(told.contains("`becket trust` there changes that"), "{told}");
    let terminal = Terminal::new(&env);
    for (typed, code, effect) in [("no", 1, Effect::Runs), ("yes", 0, Effect::Held)] {
        terminal.types(&line(&terminal, "trust"));
        let screen = terminal.screen_with(|screen| screen.contains("Type yes"));
        assert!(screen.contains("Do you trust what is in this folder?"), "{screen}");
        terminal.presses(&[typed, "Enter"]);
        terminal.screen_with(|screen| screen.contains(&format!("ended {code}")));
        assert_eq!(fired(&env, PUSH).0, effect, "{typed}");
    }
    let listed = env.becket(["trust", "--list"]).dir(&env.root().join("home")).run();
    assert_eq!(listed.stdout, format!("{}\n", env.project().display()), "{listed:?}");
    assert_eq!(env.becket(["trust"]).run().stdout.lines().count(), 1);
    // From a folder inside, and by path.
    let inside = env.write("project/sub/file", "").parent().expect("a folder").to_owned();
    for (path, part) in [(".", "is no longer trusted"), ("../sub", "was not trusted")] {
        let ended = env.becket(["trust", path, "--revoke"]).dir(&inside).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.contains(part), "{ended:?}");
    }
    assert_eq!(fired(&env, PUSH).0, Effect::Runs);
    assert_eq!(env.becket(["trust", "--list"]).run().stderr, "no folder is trusted\n");
}

// rule: G3
#[test]
fn nothing_but_a_terminal_of_a_person_trusts_anything() {
    let env = guarded();
    let ended = env.becket(["trust"]).stdin("yes\n").run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("stdin and stderr have to be a terminal"), "{ended:?}");
    let terminal = Terminal::new(&env);
    let screen = terminal.screen_after(&format!("env CLAUDECODE=1 {}", terminal.becket("trust")));
    assert!(screen.contains("this is a terminal of an agent"), "{screen}");
    // A program with the name of an agent.
    let agent = env.write("codex", "");
    fs::copy("/bin/sh", &agent).expect("a shell");
    let agent = agent.display();
    let screen = terminal.screen_after(&format!("{agent} -c '{}; true'", line(&terminal, "trust")));
    assert!(screen.contains("started by an agent (`codex`)"), "{screen}");
    let approve = line(&terminal, "mcp approve notes");
    let screen = terminal.screen_after(&format!("{agent} -c '{approve}; true'"));
    assert!(screen.contains("started by an agent (`codex`)"), "{screen}");
    assert!(!env.root().join("home/.claude.json").exists());
    for (command, effect) in [
        ("becket trust", Effect::Held),
        ("becket -C /x trust y", Effect::Held),
        ("sh -c '/usr/bin/becket --json trust'", Effect::Held),
        ("becket trust -- --list", Effect::Held),
        ("becket mcp approve notes", Effect::Held),
        ("cp x ~/.claude.json", Effect::Held),
        ("becket mcp approve --revoke notes", Effect::Runs),
        ("cat ~/.claude.json", Effect::Runs),
        ("becket trust --list", Effect::Runs),
        ("becket trust --revoke", Effect::Runs),
        ("becket doctor trust", Effect::Runs),
        ("git commit -m 'becket trust'", Effect::Runs),
    ] {
        assert_eq!(fired(&env, command).0, effect, "{command}");
    }
}

#[test]
fn what_cant_be_trusted_is_a_clear_error() {
    let env = guarded();
    for (arguments, code, part) in [
        (&["trust", "nowhere"][..], 1, "/nowhere` is not an accessible directory"),
        (&["trust", "README.md"], 1, "it is not a directory"),
        (&["trust", "--revoke", "nowhere"], 1, "/nowhere` is not an accessible directory"),
        (&["trust", "--list", "--revoke"], 2, "cannot be used with"),
    ] {
        let ended = env.becket(arguments.iter().copied()).run();
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.stderr.contains(part), "{arguments:?} {ended:?}");
        assert!(!ended.stderr.contains("`-C"), "nobody typed it: {ended:?}");
    }
    for text in ["{broken", "[]"] {
        let file = env.write("home/.claude.json", text);
        for arguments in [&["trust", "--list"][..], &["trust", "--revoke"]] {
            let ended = env.becket(arguments.iter().copied()).run();
            let is_empty = text == "[]";
            assert_eq!(ended.code, Some(u8::from(!is_empty).into()), "{text} {ended:?}");
        }
        assert_eq!(fs::read_to_string(file).expect("a file"), text);
    }
    let known: Value = json!({"projects": {env.project().display().to_string(): {"hasTrustDialogAccepted": true, "b": 1.50}}, "z": 1});
    let file = env.write("home/.claude.json", known.to_string());
    assert_eq!(env.becket(["trust", "--revoke"]).run().code, Some(0));
    let text = fs::read_to_string(file).expect("a file");
    assert_eq!(
        text,
        known.to_string().replace("\"hasTrustDialogAccepted\":true", "\"hasTrustDialogAccepted\":false")
    );
}

// rules: C7, G3
#[test]
fn settings_of_which_only_the_rules_would_count_are_reported_if_they_are_broken() {
    let env = guarded();
    env.write("project/.claude/settings.json", "{");
    let (_, answer) = fired(&env, PUSH);
    assert!(answer.contains("not loaded: ") && answer.contains("settings.json:1:1"), "{answer}");
}

// rule: G3
#[test]
fn the_agent_s_own_record_of_trust_counts_under_that_agent_alone() {
    let env = guarded();
    let project = env.project().display().to_string();
    let codex = |env: &TestEnv| {
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": env.project(), "turn_id": "t",
            "model": "m", "permission_mode": "default", "tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": PUSH},
        });
        env.becket(["fire", "--dialect", "codex", "--user-scope"]).stdin(payload.to_string()).run().stdout
    };
    let file = env.write("home/.gemini/trustedFolders.json", json!({ &project: "TRUST_FOLDER" }).to_string());
    assert_eq!(fired(&env, PUSH).0, Effect::Held);
    assert!(!codex(&env).contains("deny"));
    fs::write(file, json!({ &project: "DO_NOT_TRUST" }).to_string()).expect("written");
    assert_eq!(fired(&env, PUSH).0, Effect::Runs);
    env.write("home/.codex/config.toml", format!("[projects.\"{project}\"]\ntrust_level = \"trusted\"\n"));
    assert!(codex(&env).contains("deny"), "{}", codex(&env));
    assert_eq!(fired(&env, PUSH).0, Effect::Runs);
}

// rule: G3
#[test]
fn a_folder_around_a_trusted_one_takes_none_of_its_guards_away() {
    let env = env();
    let inner = env.project().join("inner");
    let hook = |command: &str| json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}});
    env.write("project/inner/.claude/settings.json", hook("echo held >&2; exit 2").to_string());
    trusts(&env, &[&inner]);
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": &inner,
        "permission_mode": "default", "tool_use_id": "t", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    for outer in [None, Some("{}".to_owned()), Some(hook("touch ran").to_string())] {
        if let Some(outer) = &outer {
            env.write("project/.claude/settings.json", outer);
        }
        let run = env.becket(["fire", "--dialect", "claude", "--user-scope"]).dir(&inner);
        let run = run.stdin(payload.to_string()).run();
        assert!(run.stdout.contains("\"deny\"") && run.stdout.contains("held"), "{outer:?}: {run:?}");
    }
    assert!(
        !env.project().join("ran").exists() && !inner.join("ran").exists(),
        "nobody trusts the outer one"
    );
}

// rule: G3
#[test]
fn trust_in_a_folder_covers_the_guards_of_those_in_it_and_their_grants_not() {
    let env = env();
    let (around, inner) = (env.root().join("work"), env.root().join("work/shop"));
    let answer =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
    let group = |tool: &str, command: &str| json!({"matcher": tool, "hooks": [{"type": "command", "command": command}]});
    let groups = [group("Write", "echo held >&2; exit 2"), group("Bash", &format!("echo '{answer}'"))];
    let settings = json!({"hooks": {"PreToolUse": groups}});
    env.write("work/shop/.claude/settings.json", settings.to_string());
    let answers = |tool: &str, input: Value| {
        let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": &inner,
            "permission_mode": "default", "tool_use_id": "t", "tool_name": tool, "tool_input": input});
        let run = env.becket(["fire", "--dialect", "claude", "--user-scope"]).dir(&inner);
        run.env_os("CLAUDE_PROJECT_DIR", &inner).stdin(payload.to_string()).run().stdout
    };
    let guard =
        || answers("Write", json!({"file_path": inner.join("a"), "content": "x"})).contains("\"deny\"");
    let grant = || answers("Bash", json!({"command": "ls -l"})).contains("\"allow\"");
    for (trusted, expected) in
        [(None, (false, false)), (Some(&around), (true, false)), (Some(&inner), (true, true))]
    {
        trusts(&env, &trusted.map(PathBuf::as_path).into_iter().collect::<Vec<_>>());
        assert_eq!((guard(), grant()), expected, "{trusted:?}");
    }
    let (code, told) = revoked(&env, &inner);
    assert_eq!((code, told.contains("was not trusted")), (Some(0), false), "{told}");
    trusts(&env, &[&around]);
    let (code, told) = revoked(&env, &inner);
    assert!(code == Some(1) && told.contains(&format!("as `{}` is trusted", around.display())), "{told}");
    // A repository in it needs trust of its own.
    fs::create_dir(inner.join(".git")).expect("a directory");
    assert_eq!((guard(), grant()), (false, false));
}

/// Writes the record of the trusted folders.
fn trusts(env: &TestEnv, folders: &[&Path]) {
    let accepted = |folder: &&Path| (folder.display().to_string(), json!({"hasTrustDialogAccepted": true}));
    let folders: Map<String, Value> = folders.iter().map(accepted).collect();
    env.write("home/.claude.json", json!({"projects": folders}).to_string());
}

/// Withdraws trust; returns the exit code, and what is said on stdout and stderr.
fn revoked(env: &TestEnv, path: impl AsRef<OsStr>) -> (Option<i32>, String) {
    let ended = env.becket([OsStr::new("trust"), OsStr::new("--revoke"), path.as_ref()]).run();
    (ended.code, ended.stdout + &ended.stderr)
}

// rule: G3
#[test]
fn trust_that_several_processes_withdraw_at_once_is_withdrawn_everywhere() {
    let env = guarded();
    let folders: Vec<PathBuf> = (0..12).map(|number| env.root().join(format!("d{number}"))).collect();
    folders.iter().for_each(|folder| fs::create_dir(folder).expect("a directory"));
    trusts(&env, &folders.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let started = |folder: &PathBuf| {
        let run = env.becket([OsStr::new("trust"), OsStr::new("--revoke"), folder.as_os_str()]);
        run.into_command().stdout(Stdio::null()).spawn().expect("it starts")
    };
    let processes: Vec<Child> = folders.iter().map(started).collect();
    for mut process in processes {
        assert!(process.wait().expect("it ends").success());
    }
    let listed = env.becket(["trust", "--list"]).run();
    assert_eq!((listed.stdout.as_str(), listed.stderr.as_str()), ("", "no folder is trusted\n"));
}

// rule: G3
#[test]
fn trust_in_a_folder_that_is_gone_or_under_another_name_is_withdrawn() {
    let env = guarded();
    let (gone, project) = (env.root().join("gone"), env.project());
    std::os::unix::fs::symlink(env.root(), env.root().join("link")).expect("a link");
    let link = env.root().join("link/project");
    trusts(&env, &[&gone, &link]);
    let listed = env.becket(["trust", "--list"]).run();
    assert_eq!(listed.stdout, format!("{}\n", gone.display()), "{listed:?}");
    assert!(
        listed.stderr.contains("link/project` has no effect, as sessions there start in `"),
        "{listed:?}"
    );
    for (folder, names) in [(&gone, ["../link/gone", "../gone"]), (&project, ["../link/project", "."])] {
        for recorded in [&gone, &link] {
            for name in names {
                trusts(&env, &[recorded, &env.root().join("other")]);
                let is_meant = (recorded == &gone) == (folder == &gone);
                let (code, told) = revoked(&env, name);
                assert_eq!(told.contains("is no longer trusted"), is_meant, "{name} {told}");
                assert_eq!(code == Some(0), is_meant || folder == &project, "{name} {told}");
                let left = fs::read_to_string(env.root().join("home/.claude.json")).expect("a record");
                assert_eq!(left.matches("true").count(), if is_meant { 1 } else { 2 }, "{left}");
            }
        }
    }
}

// rule: G3
#[test]
fn a_record_by_which_hooks_still_run_is_named() {
    let env = guarded();
    fs::remove_dir(env.project().join(".git")).expect("a directory");
    let inside = env.write("project/sub/file", "").parent().expect("a folder").to_owned();
    trusts(&env, &[&env.project(), &inside]);
    for first in ["is no longer trusted", "was not trusted"] {
        let (code, told) = revoked(&env, "sub");
        assert!(told.contains(first), "{told}");
        let other = format!(
            "its hooks still run, as `{0}` is trusted: `becket trust --revoke {0}`",
            env.project().display()
        );
        assert!(code == Some(1) && told.contains(&other), "{told}");
    }
    assert_eq!(revoked(&env, ".").0, Some(0));
    let project = env.project().display().to_string();
    for (file, text, title) in [
        (".gemini/trustedFolders.json", json!({ &project: "TRUST_FOLDER" }).to_string(), "Gemini CLI"),
        (".codex/config.toml", format!("[projects.\"{project}\"]\ntrust_level = \"trusted\"\n"), "Codex"),
    ] {
        let record = env.write(&format!("home/{file}"), text);
        for path in [".", "sub"] {
            let (code, told) = revoked(&env, path);
            let line = format!("its hooks still run under {title}, which records trust in `~/{file}`");
            assert!(code == Some(1) && told.contains(&line), "{told}");
        }
        let listed = env.becket(["trust", "--list"]).run();
        let line = format!("under {title}, the folders that it trusts itself count as well (`~/{file}`)");
        assert!(listed.stderr.contains(&line), "{listed:?}");
        fs::remove_file(record).expect("a file");
    }
    assert_eq!(revoked(&env, ".").0, Some(0));
}
