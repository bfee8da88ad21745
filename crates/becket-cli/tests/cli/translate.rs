//! `translate`: hooks in the native form of other agents.

use crate::env_with;
use serde_json::{Value, json};

fn settings() -> String {
    let hook = |matcher: Option<&str>, fields: Value| {
        let mut handler = json!({"type": "command", "command": "./guard.sh"});
        handler.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        let mut group = json!({"hooks": [handler]});
        if let Some(matcher) = matcher {
            group["matcher"] = json!(matcher);
        }
        group
    };
    json!({"hooks": {
        "PreToolUse": [
            hook(Some("Bash"), json!({"timeout": 20})),
            hook(Some("Write|Edit"), json!({})),
            hook(Some("Bash"), json!({"if": "Bash(git *)"})),
            hook(Some("mcp__x__.*"), json!({})),
        ],
        "Stop": [hook(None, json!({"command": "\"$CLAUDE_PROJECT_DIR\"/stop.sh"}))],
        "WorktreeCreate": [hook(None, json!({}))],
    }})
    .to_string()
}

#[test]
fn hooks_are_written_in_the_form_of_the_agent_and_losses_are_named() {
    let env = env_with(&settings());
    let ended = env.becket(["translate", "--to", "gemini"]).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let written: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(
        written["hooks"]["BeforeTool"],
        json!([
            {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 20_000}]},
            {"matcher": "write_file|replace", "hooks": [{"type": "command", "command": "./guard.sh"}]},
        ])
    );
    assert!(written["hooks"]["AfterAgent"].is_array());
    for part in [
        "its `if` has no place there",
        "no tool of the agent is like `mcp__x__.*`",
        "the agent has no event like WorktreeCreate",
        "PreToolUse under Gemini CLI",
        "gives these hooks its own input",
    ] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    assert!(
        !ended.stderr.contains("does not set CLAUDE_PROJECT_DIR"),
        "Gemini CLI sets it: {}",
        ended.stderr
    );
}

#[test]
fn every_agent_is_translated_to_or_told_why_not() {
    let env = env_with(&settings());
    for agent in &becket_install::AGENTS {
        let ended = env.becket(["translate", "--to", agent.name]).run();
        let is_code = ["cline", "opencode", "kilo", "pi"].contains(&agent.name);
        assert_eq!(ended.code, Some(if is_code { 2 } else { 1 }), "{}: {ended:?}", agent.name);
        assert_eq!(
            ended.stdout.contains("guard.sh") || ended.stdout.contains("stop.sh"),
            !is_code,
            "{ended:?}"
        );
    }
    let kimi = env.becket(["translate", "--to", "kimi"]).run();
    assert!(kimi.stdout.contains("matcher = \"Bash|Shell\"\n"), "{kimi:?}");
    assert!(kimi.stderr.contains("does not set CLAUDE_PROJECT_DIR"), "{kimi:?}");
    // An agent without matchers gets no hook that would run for other calls.
    let copilot = env.becket(["translate", "--to", "copilot"]).run();
    assert!(!copilot.stdout.contains("guard.sh") && copilot.stdout.contains("stop.sh"), "{copilot:?}");
}

#[test]
fn a_file_that_is_there_is_not_replaced() {
    let env = env_with("{}");
    let to = |file: &str| env.becket(["translate", "--to", "codex", "--output", file]).run();
    assert_eq!(to("new.json").code, Some(0));
    let text = std::fs::read_to_string(env.project().join("new.json")).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), json!({"hooks": {}}));
    env.write("project/mine.json", "mine");
    let ended = to("mine.json");
    assert!(ended.code == Some(1) && ended.stderr.contains("can't be written"), "{ended:?}");
    assert_eq!(std::fs::read_to_string(env.project().join("mine.json")).expect("a file"), "mine");
    assert!(env.becket(["translate", "--to", "nobody"]).run().stderr.contains("there is no agent `nobody`"));
}
