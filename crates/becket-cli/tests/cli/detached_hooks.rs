//! Hooks that no event waits for, in separate processes: they end with their session.

use crate::env_with;
use crate::small_program::Installed;
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::fs;

/// A session with a background hook that runs `script`, and a hook at its end that runs `last`.
struct BackgroundSession {
    env: TestEnv,
    arguments: Vec<&'static str>,
    marker: Marker,
    small: Option<Installed>,
}

impl BackgroundSession {
    fn new(script: &str, last: &Value, small: Option<Installed>) -> Self {
        let later = json!({"type": "command", "command": script, "async": true});
        BackgroundSession::with(&json!([later]), last, small)
    }

    /// Creates a session with these hooks before a call, and at its end.
    fn with(first: &Value, last: &Value, small: Option<Installed>) -> Self {
        let groups = |hooks: &Value| json!([{ "hooks": hooks }]);
        let hooks = json!({"PreToolUse": groups(first), "SessionEnd": groups(last)});
        let env = env_with(&json!({ "hooks": hooks }).to_string());
        BackgroundSession { env, arguments: vec!["fire", "--stdin-event"], marker: Marker::new(), small }
    }

    /// Fires an event, whose answer must be empty; `budget` is that of SessionEnd, in milliseconds.
    fn fire(&self, event: &str, budget: &str) {
        let ended = self.answer(event, budget);
        assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (Some(0), "", ""), "{event}");
    }

    fn answer(&self, event: &str, budget: &str) -> ProgramOutput {
        let mut input = json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.env.project(),
            "hook_event_name": event, "reason": "other", "prompt": "p"});
        if event == "PreToolUse" {
            input["tool_name"] = json!("Bash");
            input["tool_use_id"] = json!("t");
            input["tool_input"] = json!({"command": "ls"});
        }
        let (name, value) = self.marker.env();
        let command = self.env.becket(&self.arguments).stdin(input.to_string()).env(&name, &value);
        let command = command.env("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", budget);
        match &self.small {
            Some(installed) => command.of(&installed.program()).run(),
            None => command.run(),
        }
    }

    fn lines(&self, name: &str) -> usize {
        fs::read_to_string(self.env.project().join(name)).unwrap_or_default().lines().count()
    }

    /// Asserts that nothing of the session is left: no process and no file.
    fn assert_gone(&self) {
        assert_eq!(self.marker.alive(), Vec::<u32>::new());
        for name in ["detached", "carried"] {
            let kept = fs::read_dir(self.env.root().join("home/.claude/becket").join(name));
            assert_eq!(kept.map_or(0, Iterator::count), 0, "{name}");
        }
    }
}

// rules: A5, H4
#[test]
fn what_still_runs_at_the_end_of_a_session_is_ended_after_the_budget() {
    for small in [None, Some(Installed::whole())] {
        let session = BackgroundSession::new("echo >>begun; sleep 600 & sleep 600", &json!([]), small);
        session.fire("PreToolUse", "100");
        session.fire("PreToolUse", "100");
        assert!(wait_until(|| session.lines("begun") == 2));
        session.fire("SessionEnd", "100");
        session.assert_gone();
    }
}

// rule: A5
#[test]
fn what_ends_within_the_budget_does_its_work() {
    let script = "echo >>begun; while [ ! -e go ]; do sleep 0.02; done; echo >>written; echo '{\"systemMessage\": \"late\"}'";
    let last = json!([
        {"type": "command", "command": "touch go"},
        {"type": "command", "command": "sleep 0.2; echo >>written", "async": true},
    ]);
    let session = BackgroundSession::new(script, &last, None);
    session.fire("PreToolUse", "60000");
    assert!(wait_until(|| session.lines("begun") == 1));
    session.fire("SessionEnd", "60000");
    assert_eq!(session.lines("written"), 2, "the hook of the call, and the one of the end");
    session.assert_gone();
}

/// Returns a hook that announces that it continues in the background, with a limit in seconds.
fn announced(limit: u32, script: &str) -> Value {
    let script = format!("echo '{{\"async\": true, \"asyncTimeout\": {limit}}}'; {script}");
    json!({"type": "command", "command": script})
}

/// Returns sessions of both programs, in which hooks of the protocol and of a dialect run.
fn sessions(first: &Value, last: &Value) -> Vec<BackgroundSession> {
    let forms: [&[&str]; 2] = [&["fire", "--stdin-event"], &["fire", "--dialect", "claude"]];
    let of = |form: &[&'static str], small| BackgroundSession {
        arguments: form.to_vec(),
        ..BackgroundSession::with(first, last, small)
    };
    forms.into_iter().flat_map(|form| [of(form, None), of(form, Some(Installed::whole()))]).collect()
}

// rules: A2, A3
#[cfg(target_os = "linux")]
#[test]
fn an_answer_does_not_wait_for_a_hook_that_announces_itself_and_a_later_one_has_what_it_says() {
    let context =
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "LATE-NEWS"}}"#;
    let script = format!("echo >>begun; while [ ! -e go ]; do sleep 0.02; done; echo '{context}'; exit 3");
    for session in sessions(&json!([announced(60, &script)]), &json!([])) {
        session.fire("PreToolUse", "100");
        assert!(wait_until(|| session.lines("begun") == 1));
        session.env.write("project/go", "");
        let prompt = || session.answer("UserPromptSubmit", "100").stdout;
        assert!(wait_until(|| prompt().contains("LATE-NEWS")), "{:?}", session.arguments);
        assert!(!prompt().contains("LATE-NEWS"), "once");
        assert!(wait_until(|| session.marker.alive().is_empty()));
        session.fire("SessionEnd", "100");
        session.assert_gone();
    }
}

// rules: A2, D1
#[cfg(target_os = "linux")]
#[test]
fn the_hooks_beside_one_that_announces_itself_decide_as_usual() {
    let guard = json!({"type": "command", "command": "echo 'not here' >&2; exit 2"});
    for session in sessions(&json!([announced(60, "echo >>begun; sleep 600"), guard]), &json!([])) {
        let ended = session.answer("PreToolUse", "100");
        assert!(format!("{ended:?}").contains("not here"), "{ended:?}");
        let is_denied = ended.code == Some(2) || ended.stdout.contains(r#""permissionDecision":"deny""#);
        assert!(is_denied, "{ended:?}");
        session.fire("SessionEnd", "100");
        session.assert_gone();
    }
}

// rules: A2, A5, H4
#[cfg(target_os = "linux")]
#[test]
fn a_hook_that_announces_itself_ends_at_its_limit_or_with_its_session() {
    let endless = "trap '' TERM; echo >>begun; sleep 600 & setsid sleep 600 & sleep 600";
    for session in sessions(&json!([announced(1, endless)]), &json!([])) {
        session.fire("PreToolUse", "100");
        assert!(wait_until(|| session.lines("begun") == 1));
        assert!(wait_until(|| session.marker.alive().is_empty()), "{:?}", session.arguments);
    }
    for session in sessions(&json!([announced(600, endless)]), &json!([])) {
        session.fire("PreToolUse", "100");
        session.fire("PreToolUse", "100");
        assert!(wait_until(|| session.lines("begun") == 2));
        session.fire("SessionEnd", "100");
        session.assert_gone();
    }
}

// rules: A2, H4
#[test]
fn without_a_place_for_its_process_a_hook_that_announces_itself_is_waited_for() {
    let session =
        BackgroundSession::with(&json!([announced(60, "sleep 0.2; echo >>written")]), &json!([]), None);
    let input = json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": session.env.project(),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"}});
    let ended = session.env.becket(&session.arguments).stdin(input.to_string()).env("HOME", "").run();
    assert_eq!((ended.code, session.lines("written")), (Some(0), 1), "{ended:?}");
}
