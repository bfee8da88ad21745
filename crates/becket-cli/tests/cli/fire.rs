//! `fire`, `explain` and `list`.

use crate::{env, env_with};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};

const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "echo 'not on a Friday' >&2; exit 2", "if": "Bash(make *)"},
        {"type": "command", "command": "printf '{\"systemMessage\": \"hello\"}'"}
      ]},
      {"matcher": "Bash|Wirte", "hooks": [
        {"type": "command", "command": "exit 7"},
        {"type": "comand", "command": "true"}
      ]}
    ]
  }
}
"#;

/// Returns a hook on PreToolUse of Bash that runs a script.
fn one(script: &str) -> String {
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": script}]}]}})
        .to_string()
}

fn answer(decision: &str) -> String {
    one(&format!(
        r#"printf '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "{decision}", "permissionDecisionReason": "so it is"}}}}'"#
    ))
}

// rules: D1, D7, C7
#[test]
fn fire_shows_each_hook_and_what_they_come_to() {
    let env = env_with(SETTINGS);
    let ended =
        env.becket(["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=make it"]).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_data_eq!(env.redacted(&ended.stdout), file!["snapshots/fire.txt"].raw());
    assert_data_eq!(env.redacted(&ended.stderr), file!["snapshots/fire.stderr.txt"].raw());
}

#[test]
fn explain_runs_nothing_and_says_why() {
    let env = env_with(SETTINGS);
    let ended = env.becket(["explain", "PreToolUse", "--tool", "Write"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_data_eq!(env.redacted(&ended.stdout), file!["snapshots/explain.txt"].raw());
    let env = env_with(&one("touch ran"));
    let explained = env.becket(["explain", "PreToolUse", "--tool", "Bash"]).run();
    assert!(explained.stdout.contains("runs"), "{explained:?}");
    assert!(!env.project().join("ran").exists());
}

// rule: C3
#[test]
fn list_shows_every_source() {
    let env = env_with(SETTINGS);
    let stop =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./stop.sh", "timeout": 5}]}]}}"#;
    for place in ["home/.claude/settings.json", "project/.claude/settings.local.json", "kit/hooks/hooks.json"]
    {
        env.write(place, stop.replace("stop.sh", &format!("{}.sh", place.len())));
    }
    env.write("managed/managed-settings.json", r#"{"strictPluginOnlyCustomization": ["hooks"]}"#);
    let ended = env.becket(["list", "--plugin-dir", "../kit", "--settings", stop]).run();
    assert_eq!(ended.code, Some(1), "an entry is not loaded: {ended:?}");
    assert_data_eq!(env.redacted(&ended.stdout), file!["snapshots/list.txt"].raw());
}

// rules: D1, O3, O4
#[test]
fn the_exit_code_says_what_becomes_of_the_call() {
    for (settings, more, code) in [
        (one("true"), None, 0),
        (answer("allow"), None, 0),
        (answer("deny"), None, 2),
        (one("echo no >&2; exit 2"), None, 2),
        (answer("ask"), None, 3),
        (answer("ask"), Some("--nobody-to-ask"), 2),
        (answer("defer"), None, 3),
        (answer("defer"), Some("--nobody-to-ask"), 3),
        (one("exit 1"), None, 0),
        (one(r#"echo '{"continue": false, "stopReason": "enough"}'"#), None, 2),
        ("{}".to_owned(), None, 0),
    ] {
        let env = env_with(&settings);
        let ended = env.becket(["fire", "PreToolUse", "--tool", "Bash"].into_iter().chain(more)).run();
        assert_eq!(ended.code, Some(code), "{settings} {more:?} {ended:?}");
        let shown =
            env.becket(["fire", "PreToolUse", "--tool", "Bash", "--json"].into_iter().chain(more)).run();
        let json: Value = serde_json::from_str(&shown.stdout).expect("a report");
        let expected = match code {
            0 => "passed",
            2 => "blocked",
            _ => "waits",
        };
        assert_eq!(json["result"], expected, "{settings}");
        assert_eq!(json["report"], "fire");
    }
}

// rule: G5
#[test]
fn a_hook_in_observation_is_shown_with_what_it_would_have_done() {
    let guard = |mode: &str| {
        let hook = json!({"type": "command", "command": "echo no pushes >&2; exit 2", "mode": mode});
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string()
    };
    let env = env_with(&guard("observe"));
    let call = ["PreToolUse", "--tool", "Bash"];
    let fired = |env: &becket_testkit::env::TestEnv, more: &[&str]| {
        env.becket(["fire"].iter().chain(&call).chain(more)).run()
    };
    let ended = fired(&env, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for part in
        ["would deny", "in observation, without effect", "would have denied this: no pushes", "allowed"]
    {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    let shown: Value = serde_json::from_str(&fired(&env, &["--json"]).stdout).expect("a report");
    assert_eq!(
        (&shown["hooks"][0]["mode"], &shown["hooks"][0]["would"]),
        (&json!("observe"), &json!("deny"))
    );
    assert_eq!(shown["verdict"]["observed"][0]["text"], "would have denied this: no pushes");
    for command in [&["explain", "PreToolUse", "--tool", "Bash"][..], &["list"]] {
        let shown = env.becket(command).run();
        assert!(shown.stdout.contains("mode: observe"), "{shown:?}");
    }
    // As an agent's own hook: an observation is not reported, and a warning goes to the user.
    let input = |env: &becket_testkit::env::TestEnv| {
        json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(),
        "hook_event_name": "PreToolUse", "tool_use_id": "t", "tool_name": "Bash", "tool_input": {"command": "git push"}})
    };
    for (mode, told) in [("observe", false), ("warn", true)] {
        let env = env_with(&guard(mode));
        let answered = env.becket(["fire", "--stdin-event"]).stdin(input(&env).to_string()).run();
        assert_eq!(answered.code, Some(0), "{answered:?}");
        assert_eq!(answered.stdout.contains("would have denied this: no pushes"), told, "{answered:?}");
    }
    let checked = env.becket(["check"]).run();
    assert!(checked.stdout.contains("elsewhere the hook is enforced"), "{checked:?}");
}

// rule: O10
#[test]
fn what_went_unchecked_is_said() {
    let env = env_with(&one("kill -9 $$"));
    let ended = env.becket(["fire", "PreToolUse", "--tool", "Bash"]).run();
    assert_eq!(ended.code, Some(4));
    let last = ended.stdout.lines().last().unwrap_or_default();
    assert_eq!(last, "allowed, but not checked: `kill -9 $$`: was ended by signal 9 (KILL)", "{ended:?}");
    let json: Value =
        serde_json::from_str(&env.becket(["fire", "PreToolUse", "--tool", "Bash", "--json"]).run().stdout)
            .expect("JSON");
    assert_eq!((&json["result"], &json["unchecked"]), (&json!("passed"), &json!(true)));
}

// rules: O1, O10
#[test]
fn a_refusal_that_was_not_read_is_an_action_that_was_not_checked() {
    let denial = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    for (command, why) in [
        (format!("echo note; echo '{denial}'"), "not"),
        (r#"echo '{"permissionDecision":"deny"}'"#.to_owned(), "`permissionDecision`"),
        (format!("echo '{denial}' >&2"), "the answer on stderr is not read: print the JSON object to stdout"),
    ] {
        let env = env_with(&one(&command));
        let ended = env.becket(["fire", "PreToolUse", "--tool", "Bash"]).run();
        assert_eq!(ended.code, Some(4), "{command}: {ended:?}");
        let last = ended.stdout.lines().last().unwrap_or_default();
        assert!(last.starts_with("allowed, but not checked: `echo ") && last.contains(why), "{ended:?}");
        let ended = env.becket(["fire", "PreToolUse", "--tool", "Bash", "--json"]).run();
        let json: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert_eq!((&json["result"], &json["unchecked"]), (&json!("passed"), &json!(true)), "{command}");
        assert_eq!(json["hooks"][0]["unchecked"], json!(true), "{command}");
        let text = json["verdict"]["failures"][0]["text"].as_str().unwrap_or_default();
        assert!(text.starts_with("not checked: ") && text.contains(why), "{json}");
        assert_eq!(ended.code, Some(4), "{command}: {ended:?}");
    }
}

// rules: C7, G4
#[test]
fn a_guard_that_could_not_be_loaded_leaves_its_event_unchecked() {
    let group = |group: Value| json!({"hooks": {"PreToolUse": [group]}});
    let handler = |more: Value| {
        let mut handler = json!({"type": "command", "command": "exit 2"});
        for (key, value) in more.as_object().into_iter().flatten() {
            handler[key] = value.clone();
        }
        json!({"hooks": [handler]})
    };
    for broken in [
        group(json!({"matcher": "(Bash", "hooks": [{"type": "command", "command": "exit 2"}]})),
        group(handler(json!({"type": "comand"}))),
        group(handler(json!({"if": "Bash(git"}))),
        group(handler(json!({"timeout": -1}))),
        json!({"hooks": {"PreTolUse": [handler(json!({}))]}}),
    ] {
        let env = env_with(&broken.to_string());
        let ended = env.becket(["fire", "PreToolUse", "--tool", "Bash"]).run();
        assert_eq!(ended.code, Some(4), "{broken}: {ended:?}");
        assert!(ended.stdout.contains("broken") && !ended.stdout.contains("no hooks are"), "{ended:?}");
        let last = ended.stdout.lines().last().unwrap_or_default();
        assert!(last.starts_with("allowed, but not checked: `"), "{broken}: {ended:?}");
        let other = env.becket(["fire", "Stop"]).run();
        assert_eq!(other.code, Some(0), "{broken}: {other:?}");
    }
}

// rule: O4
#[test]
fn exit_code_1_is_explained_with_the_end_of_what_was_printed() {
    for (event, goes_on) in [("PreToolUse", "the action runs"), ("Stop", "the turn ends")] {
        let script = "printf '=====\\n\\nFAIL: test_a\\n\\n' >&2; exit 1";
        let env = env_with(
            &json!({"hooks": {event: [{"hooks": [{"type": "command", "command": script}]}]}}).to_string(),
        );
        let mut arguments = vec!["fire", event];
        arguments.extend(["--tool", "Bash"].into_iter().filter(|_| event == "PreToolUse"));
        let ended = env.becket(&arguments).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let said = format!("exit code 1 is an error, not a block: {goes_on}; to block, exit with 2");
        assert!(ended.stdout.contains(&said) && ended.stdout.contains("        FAIL: test_a\n"), "{ended:?}");
        assert!(ended.stdout.ends_with("allowed, though a hook failed\n"), "{ended:?}");
        let taken = env.becket(["check-output", event, "--exit", "1"]).run();
        assert!(taken.stdout.contains(&said), "{taken:?}");
    }
}

// rule: S3
#[test]
fn verbose_shows_what_a_hook_got_and_gave() {
    let script = "read -r line; echo \"got $line\"; echo oops >&2";
    let settings = json!({"env": {"MY_TOKEN": "hush", "PLAIN": "seen"},
        "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": script}]}]}});
    let env = env_with(&settings.to_string());
    let fire = ["fire", "PreToolUse", "--tool", "Write", "--set", "tool_input.file_path=a.txt"];
    let quiet = env.becket(fire).run();
    assert!(!quiet.stdout.contains("stdin"), "{quiet:?}");
    let path = format!("\"file_path\":\"{}/a.txt\"", env.project().display());
    let told = env.becket(fire.into_iter().chain(["-v"])).run();
    for said in [&path, "MY_TOKEN=***", "PLAIN=seen", "CLAUDE_PROJECT_DIR=", "        got {", "        oops"]
    {
        assert!(told.stdout.contains(said), "{said}: {told:?}");
    }
    assert!(!told.stdout.contains("hush"), "{told:?}");
    let json = env.becket(fire.into_iter().chain(["--verbose", "--json"])).run();
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let hook = &json["hooks"][0];
    assert!(hook["input"].as_str().is_some_and(|input| input.contains(&path)), "{hook}");
    assert_eq!((&hook["environment"]["MY_TOKEN"], &hook["stderr"]), (&json!("***"), &json!("oops\n")));
    assert!(hook["stdout"].as_str().is_some_and(|stdout| stdout.starts_with("got {")), "{hook}");
}

#[test]
fn a_reason_is_told_once_where_both_streams_go_to_one_place() {
    let env = env_with(&one("echo 'only once' >&2; exit 2"));
    let run = env.becket(["fire", "PreToolUse", "--tool", "Bash"]);
    let file = env.root().join("both");
    let both = std::fs::File::create(&file).expect("a file can be made");
    let mut command = run.into_command();
    command
        .stdout(both.try_clone().expect("a file can be shared"))
        .stderr(both)
        .stdin(std::process::Stdio::null());
    assert_eq!(command.status().expect("becket starts").code(), Some(2));
    let said = std::fs::read_to_string(file).expect("it was written");
    // The text occurs once more in the command itself.
    assert_eq!(said.matches("only once").count(), 2, "{said}");
}

#[test]
fn output_fits_the_columns_that_there_are() {
    let long = "python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/git_guard.py --with several --more words";
    let mut settings: Value = serde_json::from_str(&one("true")).expect("JSON");
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = json!(long);
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["if"] =
        json!("Bash(git push --force-with-lease origin main *)");
    settings["hooks"]["PreToolUse"][0]["matcher"] =
        json!("Bash|Write|Edit|MultiEdit|NotebookEdit|mcp__files__write");
    let env = env_with(&settings.to_string());
    for arguments in [
        &["list"][..],
        &["explain", "PreToolUse", "--tool", "Bash"],
        &["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=git push"],
        &["events"],
        &["events", "PermissionRequest"],
        &["events", "PreToolUse"],
    ] {
        let whole = env.becket(arguments).env("COLUMNS", "200").run().stdout;
        for columns in [40, 60, 80, 120] {
            let shown = env.becket(arguments).env("COLUMNS", &columns.to_string()).run().stdout;
            for line in shown.lines() {
                let is_one_word = !line.trim().contains(' ');
                assert!(line.chars().count() <= columns, "{columns} {arguments:?}: {line}");
                assert!(is_one_word || line.trim().split(' ').all(|word| whole.contains(word)), "{line}");
            }
            let words = |text: &str| text.split_whitespace().count();
            assert!(words(&shown) >= words(&whole), "{columns} {arguments:?}: {shown}");
        }
    }
}

#[test]
fn input_comes_from_arguments_files_and_stdin() {
    let env = env_with(&one("grep -q '\"command\":\"make\"' && exit 2; exit 0"));
    let file = env.write("project/input.json", r#"{"command": "make"}"#);
    let at_file = format!("@{}", file.display());
    for input in [r#"{"command": "make"}"#, &at_file, "@input.json", "-"] {
        let run = env.becket(["fire", "PreToolUse", "--tool", "Bash", "--input", input]);
        let ended = run.stdin(r#"{"command": "make"}"#).run();
        assert_eq!(ended.code, Some(2), "{input}: {ended:?}");
    }
}

// rule: C7
#[test]
fn strict_refuses_a_configuration_with_errors() {
    let env = env_with(SETTINGS);
    let ended = env.becket(["fire", "PreToolUse", "--tool", "Write", "--strict"]).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    assert!(ended.stderr.contains("strict configuration was asked for"), "{ended:?}");
}

// rule: C4
#[test]
fn a_profile_has_its_own_files_and_variables() {
    let env = env();
    let settings = one("echo \"$AGENT_PROJECT_DIR\" >&2; exit 2");
    env.write("project/.agent/settings.json", settings);
    let arguments = ["fire", "PreToolUse", "--tool", "Bash", "--profile"];
    let ended = env.becket(arguments.into_iter().chain(["agent"])).run();
    assert_eq!(ended.code, Some(2));
    assert_eq!(env.redacted(&ended.stderr), "[ROOT]/project\n");
    assert_eq!(env.becket(arguments.into_iter().chain(["claude"])).run().code, Some(0));
}

#[test]
fn another_directory_is_as_if_started_there() {
    let env = env();
    env.write("else where/.claude/settings.json", one("pwd >&2; exit 2"));
    let ended = env.becket(["-C", "../else where", "fire", "PreToolUse", "--tool", "Bash"]).run();
    assert_eq!((ended.code, env.redacted(&ended.stderr)), (Some(2), "[ROOT]/else where\n".to_owned()));
}
