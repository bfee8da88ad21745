//! `fire --stdin-event`: no output of hooks is lost on the way to the agent that has Becket as its hook.

use crate::{env, env_with};
use becket_testkit::env::ProgramOutput;
use serde_json::{Value, json};

fn input(event: &str, fields: &Value) -> String {
    let mut input =
        json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/", "hook_event_name": event});
    for (name, value) in fields.as_object().expect("an object") {
        input[name] = value.clone();
    }
    input.to_string()
}

fn tool() -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"})
}

/// Runs Becket as a hook over one hook that prints `answer` and ends with `exit`.
fn asked(event: &str, fields: &Value, answer: &Value, exit: i32) -> ProgramOutput {
    let script =
        format!("cat >/dev/null; cat \"$CLAUDE_PROJECT_DIR\"/answer; echo 'from stderr' >&2; exit {exit}");
    let hook = json!([{"hooks": [{"type": "command", "command": script}]}]);
    let env = env_with(&json!({"hooks": {event: hook}}).to_string());
    let text = if answer.is_null() { String::new() } else { answer.to_string() };
    env.write("project/answer", text);
    env.becket(["fire", "--stdin-event"]).stdin(input(event, fields)).run()
}

fn own(event: &str, fields: Value) -> Value {
    let mut own = fields;
    own["hookEventName"] = json!(event);
    json!({"hookSpecificOutput": own})
}

fn said(ended: &ProgramOutput) -> Value {
    if ended.stdout.is_empty() { Value::Null } else { serde_json::from_str(&ended.stdout).expect("JSON") }
}

// rules: O1, O3, O6, D1
#[test]
fn decisions_about_a_call_are_handed_on() {
    for (decision, code) in [("deny", 2), ("ask", 0), ("defer", 0), ("allow", 0)] {
        let answer =
            own("PreToolUse", json!({"permissionDecision": decision, "permissionDecisionReason": "because"}));
        let ended = asked("PreToolUse", &tool(), &answer, 0);
        assert_eq!(ended.code, Some(code), "{decision} {ended:?}");
        let said = said(&ended);
        assert_eq!(said["hookSpecificOutput"]["permissionDecision"], decision, "{said}");
        assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PreToolUse");
        if decision != "defer" {
            let reason = said["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default();
            assert!(reason.contains("because"), "{said}");
        }
        assert_eq!(ended.stderr.contains("because"), code == 2, "{ended:?}");
    }
}

// rules: D4, D5, O7
#[test]
fn what_stands_beside_a_decision_is_handed_on() {
    let mut answer = own(
        "PreToolUse",
        json!({"permissionDecision": "allow", "updatedInput": {"command": "pwd"}, "additionalContext": "context"}),
    );
    answer["systemMessage"] = json!("for the user");
    let said = said(&asked("PreToolUse", &tool(), &answer, 0));
    assert_eq!(said["systemMessage"], "for the user");
    assert_eq!(said["hookSpecificOutput"]["updatedInput"], json!({"command": "pwd"}));
    assert_eq!(said["hookSpecificOutput"]["additionalContext"], "context");
}

// rules: O3, O7, D11
#[test]
fn blocks_stops_and_contexts_of_other_events_are_handed_on() {
    let stop = json!({"stop_hook_active": false});
    let blocked = asked("Stop", &stop, &json!({"decision": "block", "reason": "go on"}), 0);
    // The answer is JSON only: with exit code 2, the model would read it twice.
    assert_eq!((blocked.code, blocked.stderr.as_str()), (Some(0), ""));
    assert_eq!(said(&blocked), json!({"decision": "block", "reason": "go on"}));

    let by_exit = asked("Stop", &stop, &Value::Null, 2);
    assert_eq!((by_exit.code, said(&by_exit)["reason"].as_str()), (Some(0), Some("from stderr")));

    let prompt = json!({"prompt": "hi"});
    let context =
        asked("UserPromptSubmit", &prompt, &own("UserPromptSubmit", json!({"additionalContext": "x"})), 0);
    assert_eq!(context.code, Some(0));
    assert_eq!(said(&context), own("UserPromptSubmit", json!({"additionalContext": "x"})));

    let stopped = asked("UserPromptSubmit", &prompt, &json!({"continue": false, "stopReason": "enough"}), 0);
    assert_eq!(said(&stopped)["continue"], false);
    assert_eq!(said(&stopped)["stopReason"], "enough");

    assert_eq!(asked("Stop", &stop, &Value::Null, 0).stdout, "");
}

// rules: D6, O7
#[test]
fn a_stop_before_a_call_also_denies_it() {
    let ended = asked("PreToolUse", &tool(), &json!({"continue": false, "stopReason": "enough"}), 0);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), "enough\n"));
    let said = said(&ended);
    assert_eq!(said["continue"], false);
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
}

// rule: D8
#[test]
fn answers_to_a_prompt_are_handed_on() {
    let request = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    let allow = json!({"behavior": "allow", "updatedInput": {"command": "pwd"}});
    let ended =
        asked("PermissionRequest", &request, &own("PermissionRequest", json!({"decision": allow})), 0);
    assert_eq!(ended.code, Some(0));
    assert_eq!(said(&ended)["hookSpecificOutput"]["decision"], allow);
    let deny = json!({"behavior": "deny", "message": "no", "interrupt": true});
    let ended = asked("PermissionRequest", &request, &own("PermissionRequest", json!({"decision": deny})), 0);
    // Exit code 2 has no meaning for this event.
    assert_eq!(ended.code, Some(0));
    assert_eq!(said(&ended)["hookSpecificOutput"]["decision"], deny);
}

// rule: O3
#[test]
fn questions_of_servers_are_answered_by_json_alone() {
    let question = json!({"mcp_server_name": "m", "message": "who?"});
    let decline = own("Elicitation", json!({"action": "decline"}));
    let ended = asked("Elicitation", &question, &decline, 0);
    assert_eq!((ended.code, &said(&ended)), (Some(0), &decline));
    let accept = own("Elicitation", json!({"action": "accept", "content": {"name": "Ada"}}));
    assert_eq!(said(&asked("Elicitation", &question, &accept, 0)), accept);
}

// rule: O10
#[test]
fn what_went_unchecked_reaches_the_user() {
    let ended = asked("PreToolUse", &tool(), &Value::Null, 127);
    assert_eq!(ended.code, Some(0));
    let message = said(&ended)["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("not checked"), "{message}");
}

// rules: O3, C7b
#[test]
fn a_guard_that_can_not_be_asked_is_no_guard_that_agrees() {
    let env = env();
    env.write("managed/managed-settings.json", "{broken");
    let asked = |text: String| env.becket(["fire", "--stdin-event"]).stdin(text).run();
    for (text, code) in [
        (input("PreToolUse", &tool()), 2),
        (input("UserPromptSubmit", &json!({"prompt": "x"})), 2),
        (input("PermissionRequest", &json!({"tool_name": "Bash", "tool_input": {}})), 2),
        // A turn is never blocked by an error of the engine itself.
        (input("Stop", &json!({"stop_hook_active": false})), 1),
        (input("SessionEnd", &json!({"reason": "other"})), 1),
        ("not json".to_owned(), 2),
        (String::new(), 2),
        (json!({"hook_event_name": "PreToolUse"}).to_string(), 2),
        (json!({"hook_event_name": "FromTheFuture"}).to_string(), 1),
    ] {
        let ended = asked(text.clone());
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""), "{text} {ended:?}");
        assert!(!ended.stderr.is_empty());
    }
}

// rules: O3, L6
#[test]
fn a_guard_with_a_slip_in_its_command_does_not_agree() {
    let env = env();
    let (call, end) = (input("PreToolUse", &tool()), input("Stop", &json!({"stop_hook_active": false})));
    let slip = &["fire", "--stdin-event", "--no-such-flag"][..];
    for (arguments, text, code) in [
        (slip, call.as_str(), 2),
        (slip, "", 2),
        (slip, end.as_str(), 1),
        (&["fire", "Stop", "--stdin-event"], call.as_str(), 2),
        // The input of an agent, whatever the arguments were meant to be.
        (&["fire", "--no-such-flag"], call.as_str(), 2),
        (&["fire", "--stdin-evnt"], call.as_str(), 2),
        (&["fire"], call.as_str(), 2),
        (&["fire", "--no-such-flag"], "", 1),
        (&["fire", "--no-such-flag"], "{}", 1),
        (&["check", "--no-such-flag"], call.as_str(), 2),
    ] {
        let ended = env.becket(arguments.iter().copied()).stdin(text).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""), "{arguments:?} {ended:?}");
        assert!(ended.stderr.contains("error:"), "{ended:?}");
    }
    let ended = env.becket(["fire", "--stdin-event", "--help"]).stdin(call.as_str()).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
    let ended = env.becket(["fire", "--stdin-event", "--help"]).run();
    assert!(ended.code == Some(0) && ended.stdout.contains("Usage"), "{ended:?}");
}

// rules: D1, M7
#[test]
fn a_tool_of_another_agent_does_not_bypass_the_guards_in_silence() {
    let guard = |matcher: &str| {
        let hook = json!([{"type": "command", "command": "echo guarded >&2; exit 2"}]);
        json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": hook}]}}).to_string()
    };
    let call = |tool: &str| {
        let fields = json!({"tool_name": tool, "tool_input": {"command": "git push -f"}, "tool_use_id": "t"});
        input("PreToolUse", &fields)
    };
    let fire = |settings: &str, user: &str, tool: &str| {
        let env = env_with(settings);
        env.write("home/.claude/settings.json", user);
        env.becket(["fire", "--stdin-event"]).stdin(call(tool)).run()
    };
    for tool in ["run_shell_command", "Execute", "shell_command", "terminal"] {
        let ended = fire(&guard("Bash"), "{}", tool);
        assert!(ended.code == Some(2) && ended.stderr.contains("becket does not know"), "{tool} {ended:?}");
        assert_eq!(said(&ended)["hookSpecificOutput"]["permissionDecision"], "deny");
        let aliased = fire(&guard("Bash"), &json!({"toolAliases": {tool: "Bash"}}).to_string(), tool);
        assert!(aliased.code == Some(2) && aliased.stderr.contains("guarded"), "{tool} {aliased:?}");
        for (settings, user) in [(guard("Bash"), r#"{"unknownTools": "allow"}"#), (guard("WebFetch"), "{}")] {
            assert_eq!(fire(&settings, user, tool).code, Some(0), "{tool} {settings} {user}");
        }
    }
    for tool in ["mcp__a__b", "MyOwnTool", "WebFetch"] {
        assert_eq!(fire(&guard("Bash"), "{}", tool).code, Some(0), "{tool}");
    }
}

// rule: G3
#[test]
fn a_call_that_would_act_for_a_person_is_denied() {
    let env = env_with("{}");
    for (command, is_denied) in [
        ("becket trust", true),
        ("/opt/becket-full trust .", true),
        ("echo becket trust > notes.md", false),
        ("becket doctor", false),
    ] {
        let fields = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"});
        let ended = env.becket(["fire", "--stdin-event"]).stdin(input("PreToolUse", &fields)).run();
        assert_eq!(ended.code, Some(if is_denied { 2 } else { 0 }), "{command} {ended:?}");
        assert_eq!(ended.stderr.contains("for a person"), is_denied, "{command} {ended:?}");
    }
}

// rule: O10
#[test]
fn an_answer_that_nobody_reads_blocks() {
    let ask = own("PreToolUse", json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"}));
    let hook = json!([{"hooks": [{"type": "command", "command": "cat answer"}]}]);
    for (event, code) in [("PreToolUse", 2), ("PostToolUse", 2)] {
        let env = env_with(&json!({"hooks": {event: hook}}).to_string());
        let answer = if event == "PreToolUse" { ask.clone() } else { json!({"systemMessage": "done"}) };
        env.write("project/answer", answer.to_string());
        let mut fields = tool();
        fields["tool_response"] = json!({});
        let file = env.write("input", input(event, &fields));
        let mut command = env.becket(["fire", "--stdin-event"]).into_command();
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        command.stdin(std::fs::File::open(file).expect("it is there")).stdout(writer);
        command.stderr(std::process::Stdio::null());
        assert_eq!(command.status().expect("becket starts").code(), Some(code), "{event}");
    }
}

// rule: O10
#[cfg(target_os = "linux")]
#[test]
fn a_signal_before_the_input_is_read_blocks() {
    use std::process::{Command, Stdio};
    for signal in ["TERM", "INT", "HUP", "QUIT", "XCPU"] {
        let env = env_with("{}");
        let mut command = env.becket(["fire", "--stdin-event"]).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut becket = command.spawn().expect("becket starts");
        let id = becket.id();
        let catches_all = || {
            let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
            [1, 2, 15].iter().all(|number| caught & (1 << (number - 1)) != 0)
        };
        assert!(becket_testkit::proc::wait_until(catches_all), "signals are caught");
        let sent = Command::new("kill").args(["-s", signal, &id.to_string()]).status();
        assert!(sent.expect("kill is there").success());
        assert_eq!(becket.wait().expect("it ends").code(), Some(2), "{signal}");
    }
}
