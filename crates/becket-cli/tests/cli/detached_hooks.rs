//! Hooks that no event waits for, in separate processes: they end with their session.

use crate::env_with;
use crate::small_program::Installed;
use becket_testkit::env::TestEnv;
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::fs;

/// A session with a background hook that runs `script`, and a hook at its end that runs `last`.
struct BackgroundSession {
    env: TestEnv,
    marker: Marker,
    small: Option<Installed>,
}

impl BackgroundSession {
    fn new(script: &str, last: &Value, small: Option<Installed>) -> Self {
        let later = json!([{"hooks": [{"type": "command", "command": script, "async": true}]}]);
        let last = json!([{ "hooks": last }]);
        let env = env_with(&json!({"hooks": {"PreToolUse": later, "SessionEnd": last}}).to_string());
        BackgroundSession { env, marker: Marker::new(), small }
    }

    /// Fires an event, whose answer must be empty; `budget` is that of SessionEnd, in milliseconds.
    fn fire(&self, event: &str, budget: &str) {
        let mut input = json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.env.project(),
            "hook_event_name": event, "reason": "other"});
        if event == "PreToolUse" {
            input["tool_name"] = json!("Bash");
            input["tool_use_id"] = json!("t");
            input["tool_input"] = json!({"command": "ls"});
        }
        let (name, value) = self.marker.env();
        let command = self.env.becket(["fire", "--stdin-event"]).stdin(input.to_string()).env(&name, &value);
        let command = command.env("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", budget);
        let ended = match &self.small {
            Some(installed) => command.of(&installed.program()).run(),
            None => command.run(),
        };
        assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (Some(0), "", ""), "{event}");
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
