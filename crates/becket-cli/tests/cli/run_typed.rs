//! `/compact` and `/clear`, typed as prompts of a run.

use crate::run::{lines, run, scripted};
use serde_json::{Value, json};

/// Returns a hook that records a field of its input.
fn keeps(field: &str) -> Value {
    let command = format!(
        "python3 -c 'import json,sys; e=json.load(sys.stdin); print(e[\"hook_event_name\"], e[\"{field}\"], \
         file=open(\"seen.txt\",\"a\"))'"
    );
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

fn messages(prompts: &[&str]) -> String {
    let line = |prompt: &&str| {
        json!({"type": "user", "message": {"role": "user", "content": prompt}}).to_string() + "\n"
    };
    prompts.iter().map(line).collect()
}

const STREAMS: [&str; 4] = ["--input-format", "stream-json", "--output-format", "stream-json"];

#[test]
fn a_conversation_is_compacted_and_cleared_by_typed_commands() {
    // rules: L0, L5
    let settings = json!({"hooks": {
        "PreCompact": keeps("custom_instructions"), "PostCompact": keeps("trigger"), "SessionStart": keeps("source"),
        "SessionEnd": keeps("reason"), "UserPromptSubmit": keeps("prompt")
    }});
    let turns = json!([
        {"text": "The till adds up."},
        {"expect": ["mind the tests"], "text": "<summary>The till was looked at.</summary>"},
        {"expect": ["The till was looked at.", "and now"], "text": "Still."},
        {"expect": ["afresh"], "text": "Hello."}
    ]);
    let env = scripted(&settings, &turns);
    let said = messages(&["what does it do?", "/compact mind the tests", "and now", "/clear", "afresh"]);
    let ended = run(&env, &STREAMS).stdin(said).run();
    let lines = lines(&ended);
    let results: Vec<&Value> = lines.iter().filter(|line| line["type"] == "result").collect();
    let told: Vec<(&str, &str)> =
        results.iter().map(|of| (of["subtype"].as_str().unwrap(), of["result"].as_str().unwrap())).collect();
    assert_eq!(
        told,
        [
            ("success", "The till adds up."),
            ("success", ""),
            ("success", "Still."),
            ("success", ""),
            ("success", "Hello.")
        ],
        "{ended:?}"
    );
    let boundary = lines.iter().find(|line| line["subtype"] == "compact_boundary").unwrap();
    assert_eq!(boundary["compact_metadata"]["trigger"], "manual");
    assert_eq!(
        std::fs::read_to_string(env.project().join("seen.txt")).unwrap().lines().collect::<Vec<_>>(),
        [
            "SessionStart startup",
            "UserPromptSubmit what does it do?",
            "PreCompact mind the tests",
            "SessionStart compact",
            "PostCompact manual",
            "UserPromptSubmit and now",
            "SessionEnd clear",
            "SessionStart clear",
            "UserPromptSubmit afresh",
            "SessionEnd other"
        ]
    );
    let of = |nth: usize| results[nth]["session_id"].as_str().unwrap();
    assert!(of(0) == of(2) && of(3) == of(4) && of(0) != of(4), "{ended:?}");
}

#[test]
fn a_compaction_that_is_not_done_says_why() {
    // rule: D3
    let forbids = json!([{"hooks": [{"type": "command", "command": "echo not now >&2; exit 2"}]}]);
    let env = scripted(&json!({"hooks": {"PreCompact": forbids}}), &json!([{"text": "hi"}]));
    let said = messages(&["/compact", "hi", "/compact"]);
    let ended = run(&env, &STREAMS).stdin(said).run();
    let lines = lines(&ended);
    let told: Vec<(&str, bool)> = lines
        .iter()
        .filter(|line| line["type"] == "result")
        .map(|of| (of["result"].as_str().unwrap(), of["is_error"].as_bool().unwrap()))
        .collect();
    let [(nothing, false), ("hi", false), (held, false)] = told[..] else { panic!("{ended:?}") };
    assert!(nothing.contains("nothing to compact") && held.contains("not now"), "{ended:?}");
    assert_eq!(ended.code, Some(0));
}
