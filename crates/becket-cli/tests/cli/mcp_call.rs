//! `becket mcp call`, `resources` and `prompts`: the messages that reach a server, and those that do not.

use crate::mcp::{mcp, server};
use crate::tmux::Terminal;
use crate::{env, env_with, workspace};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};

/// Returns a server that logs its input.
fn logged(env: &TestEnv) -> Value {
    let mut entry = server(&[]);
    entry["env"] = json!({ "LOG": env.root().join("log") });
    json!({ "s": entry })
}

/// Returns the number of calls of the server's tool.
fn calls(env: &TestEnv) -> usize {
    let log = std::fs::read_to_string(env.root().join("log")).unwrap_or_default();
    log.lines().filter(|line| line.contains("\"tools/call\"")).count()
}

fn call(env: &TestEnv, arguments: &[&str]) -> ProgramOutput {
    let all: Vec<&str> = ["call"].into_iter().chain(arguments.iter().copied()).collect();
    mcp(env, &logged(env), &all)
}

fn settings(rules: &Value, hooks: &Value) -> String {
    json!({"permissions": rules, "hooks": hooks}).to_string()
}

fn hook(event: &str, output: &str) -> Value {
    let command = format!("cat >/dev/null; echo '{output}'");
    json!({event: [{"matcher": "mcp__s__.*", "hooks": [{"type": "command", "command": command}]}]})
}

const ALLOW: &str = r#"{"allow": ["mcp__s__*"]}"#;

fn allow() -> Value {
    serde_json::from_str(ALLOW).expect("JSON")
}

// rules: L1, P11
#[test]
fn rules_hooks_and_the_lack_of_a_person_keep_a_tool_from_being_called() {
    let deny = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not on a Friday"}}"#;
    let stop = r#"{"continue": false, "stopReason": "enough"}"#;
    let cases = [
        (settings(&json!({"deny": ["mcp__s__echo"]}), &json!({})), "mcp__s__echo", "rule"),
        (settings(&json!({"deny": ["mcp__s"]}), &json!({})), "mcp__s", "rule"),
        (settings(&allow(), &hook("PreToolUse", deny)), "not on a Friday", "hook"),
        (settings(&json!({}), &json!({})), "", "nobody"),
        (settings(&json!({"ask": ["mcp__s__echo"], "allow": ["mcp__s__*"]}), &json!({})), "", "nobody"),
        (settings(&allow(), &hook("PreToolUse", stop)), "enough", ""),
        ("{ \"permissions\": {\"deny\": 5} }".to_owned(), "", ""),
    ];
    for (settings, words, by) in cases {
        let env = env_with(&settings);
        let ended = call(&env, &["s", "echo", r#"{"a": 1}"#, "--json"]);
        assert_ne!(ended.code, Some(0), "{settings}: {ended:?}");
        assert!(ended.stderr.contains(words), "{settings}: {ended:?}");
        assert_eq!(calls(&env), 0, "{settings}");
        if !by.is_empty() {
            let report: Value = serde_json::from_str(&ended.stdout).expect("a report");
            assert_eq!((&report["denied_by"], ended.code), (&json!(by), Some(2)), "{ended:?}");
        }
    }
}

// rules: L1, D3
#[test]
fn an_allowed_call_is_made_once_with_what_the_hooks_made_of_it() {
    let rewrite = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"a": 2}}}"#;
    let env = env_with(&settings(&allow(), &hook("PreToolUse", rewrite)));
    let ended = call(&env, &["s", "echo", r#"{"a": 1}"#]);
    assert!(ended.code == Some(0) && ended.stdout == "{\"a\": 2}\n", "{ended:?}");
    assert_eq!(calls(&env), 1);

    let context =
        r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "mind the gap"}}"#;
    let env = env_with(&settings(&allow(), &hook("PostToolUse", context)));
    env.write("project/input.json", r#"{"b": "é"}"#);
    let ended = call(&env, &["s", "mcp__s__echo", "@input.json"]);
    assert!(ended.code == Some(0) && ended.stdout.contains("mind the gap"), "{ended:?}");
    let report = call(&env, &["s", "echo", "@input.json", "--json"]);
    let report: Value = serde_json::from_str(&report.stdout).expect("a report");
    assert_eq!(
        (&report["ended"], &report["hooks"], &report["tool"]),
        (&json!("done"), &json!(true), &json!("mcp__s__echo"))
    );
    assert_eq!(report["response"][0]["type"], "text", "{report}");
}

#[test]
fn a_call_past_the_hooks_says_so_aloud() {
    let env = env_with(&settings(&json!({"deny": ["mcp__s"]}), &json!({})));
    let ended = call(&env, &["s", "echo", r#"{"a": 1}"#, "--no-hooks"]);
    assert!(
        ended.code == Some(0) && ended.stderr.contains("no hook and no rule looks at this call"),
        "{ended:?}"
    );
    assert_eq!((ended.stdout.as_str(), calls(&env)), ("{\"a\": 1}\n", 1));
}

#[test]
fn what_goes_wrong_at_the_server_ends_with_1() {
    let env = env_with(&settings(&allow(), &json!({})));
    let large = r#"{"size": 20000000}"#;
    for past in [&[][..], &["--no-hooks"]] {
        for (arguments, words) in [
            (&["s", "fails"][..], "it did not work"),
            (&["s", "refuse"], "no such thing"),
            (&["s", "die"], "dying as told"),
            (&["s", "line", large], "more than 16777216 bytes"),
            (&["s", "hang", "--timeout", "2"], "within 2 s"),
            (&["s", "eco"], "did you mean `echo`?"),
            (&["s", "echo", "[1]"], "must be a JSON object"),
            (&["s", "echo", "{"], "not valid JSON"),
            (&["t", "echo"], "there is no MCP server `t`"),
        ] {
            let all: Vec<&str> = arguments.iter().chain(past).copied().collect();
            let ended = call(&env, &all);
            let said = format!("{}{}", ended.stdout, ended.stderr);
            assert!(ended.code == Some(1) && said.contains(words), "{all:?}: {ended:?}");
        }
    }
}

// rule: H6
#[test]
fn a_hook_that_calls_a_server_finds_it_connected() {
    let guard = json!({"PreToolUse": [{"hooks": [{"type": "mcp_tool", "server": "guard", "tool": "secrets",
        "input": {"text": "${tool_input.text}"}, "onFailure": "block"}]}]});
    let env = env_with(&settings(&allow(), &guard));
    let script = workspace().join("examples/mcp-server-python/review_server.py");
    let mut servers = logged(&env);
    servers["guard"] = json!({"command": "python3", "args": [script]});
    let call = |text: &str| mcp(&env, &servers, &["call", "s", "echo", &json!({ "text": text }).to_string()]);
    assert_eq!(call("hello").code, Some(0));
    let denied = call("key: AKIAABCDEFGHIJKLMNOP");
    assert!(denied.code == Some(2) && denied.stderr.contains("an access key of AWS"), "{denied:?}");
    assert_eq!(calls(&env), 1);
}

// rules: L1, P11
#[test]
fn a_person_at_the_terminal_is_asked_and_only_a_yes_is_one() {
    let env = env();
    env.write("home/.claude.json", json!({ "mcpServers": logged(&env) }).to_string());
    let terminal = Terminal::new(&env);
    for (keys, code, made) in [(&["Enter"][..], 2, 0), (&["Escape"], 2, 0), (&["Down", "Enter"], 0, 1)] {
        terminal.types(&terminal.becket("mcp call s text"));
        terminal.screen_with(|screen| screen.contains("call it once") && screen.contains("mcp__s__text"));
        terminal.presses(keys);
        let screen = terminal.screen_with(|screen| screen.contains("ended "));
        assert!(screen.contains(&format!("ended {code}")), "{keys:?}: {screen}");
        assert_eq!(calls(&env), made, "{keys:?}");
    }
}

// rule: X8
#[test]
fn resources_and_prompts_are_listed_and_read() {
    let env = env();
    let script = workspace().join("examples/mcp-server-python/notes_server.py");
    let servers = json!({"notes": {"command": "python3", "args": [script]}, "bare": server(&[])});
    env.write("project/notes.txt", "milk\n\u{1b}[31mred\n");
    let run = |arguments: &[&str]| mcp(&env, &servers, arguments);
    assert!(run(&["resources", "notes"]).stdout.contains("notes://all  all notes  text/plain"));
    assert_eq!(run(&["resources", "notes", "notes://all"]).stdout, "milk\n\\u{1b}[31mred\n");
    let wrong = run(&["resources", "notes", "notes://none"]);
    assert!(wrong.code == Some(1) && wrong.stderr.contains("notes://none"), "{wrong:?}");
    assert!(run(&["prompts", "notes"]).stdout.contains("/mcp__notes__summary <about>  summary"));
    let filled = run(&["prompts", "notes", "summary", "about=milk and honey"]);
    assert!(filled.stdout.contains("say about milk and honey:"), "{filled:?}");
    for (arguments, words) in [
        (&["prompts", "notes", "summary"][..], "needs `about=…`"),
        (&["prompts", "notes", "summary", "abut=x"], "did you mean `about`?"),
        (&["prompts", "notes", "summary", "about"], "write `NAME=VALUE`"),
        (&["prompts", "notes", "sumary"], "did you mean `summary`?"),
    ] {
        let ended = run(arguments);
        assert!(ended.code == Some(1) && ended.stderr.contains(words), "{arguments:?}: {ended:?}");
    }
    assert_eq!(run(&["resources", "bare"]).stdout, "it has no resources\n");
    assert_eq!(run(&["prompts", "bare"]).stdout, "it has no prompts\n");
}
