//! Invalid calls, and settings that change while they are in force.

use crate::hard::place::{Place, bash, call, hook, hooks, results};
use becket_testkit::messages_api::{Call, Turn};
use serde_json::{Value, json};

/// A hook that records the tool and the call.
const NOTES: &str = r#"python3 -c 'import json,sys; i=json.load(sys.stdin); print(i["tool_name"], i["tool_use_id"], file=open("noted","a"))'"#;

fn notes() -> Value {
    hooks(&[("PreToolUse", vec![hook(NOTES)]), ("PostToolBatch", vec![hook("cat >batch.json")])])
}

// rules: L0, L1, L2, N3
#[test]
fn calls_that_are_none_are_answered_and_no_hook_sees_them_before_the_batch() {
    let broken = |id: &str, raw: &str| Call { raw: Some(raw.into()), ..call(id, "Bash", Value::Null) };
    let turns = vec![
        Turn::calls([
            call("unknown", "Bosh", json!({"command": "pwd"})),
            broken("torn", r#"{"command": "touch ran-torn"#),
            broken("list", r#"["touch ran-list"]"#),
            broken("twice", r#"{"command": "true", "command": "touch ran-twice"}"#),
            call("wrong", "Bash", json!({"command": 7})),
            call("more", "Bash", json!({"command": "true", "wait": true})),
            bash("good", "echo well"),
        ]),
        Turn::text("Done."),
    ];
    let place = Place::new(&notes(), turns);
    let (result, ended) = place.result(&["Work."]);
    assert_eq!((result["result"].as_str(), ended.code), (Some("Done."), Some(0)), "{ended:?}");
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    assert_eq!(place.lines("noted"), ["Bash good"]);
    let results = results(&place.server.requests()[1]);
    for (id, says) in [
        ("unknown", "Bosh"),
        ("torn", "JSON"),
        ("list", "object"),
        ("twice", "command"),
        ("wrong", "command"),
        ("more", "wait"),
    ] {
        let (_, failed, text) = results.iter().find(|(of, ..)| of == id).expect("each call has a result");
        assert!(*failed && text.contains("<tool_use_error>") && text.contains(says), "{id}: {text}");
    }
    let (_, failed, text) = results.last().expect("the last one");
    assert!(!failed && text.contains("well"), "{text}");
    let batch: Value = serde_json::from_str(&place.lines("batch.json").concat()).expect("the hook's input");
    assert_eq!(batch["tool_calls"].as_array().map(Vec::len), Some(7));
    for name in ["ran-torn", "ran-list", "ran-twice"] {
        assert!(!place.env.project().join(name).exists(), "{name}");
    }
}

// rule: C8
#[test]
fn hooks_and_rules_that_change_in_their_file_are_those_of_the_start() {
    for (text, what) in [("{}", "empty"), ("{ not json", "broken"), ("", "gone")] {
        let deny = r#"case "$(cat)" in *secret*) echo no >&2; exit 2;; esac"#;
        let change = match text {
            "" => "rm .claude/settings.json".to_owned(),
            text => format!("printf '%s' '{text}' >.claude/settings.json"),
        };
        // Nobody accepts the change, which would be the only way for it to take effect before the next session.
        let settings = hooks(&[
            ("PreToolUse", vec![hook(deny)]),
            ("PostToolUse", vec![hook(&change)]),
            ("ConfigChange", vec![hook("echo not now >&2; exit 2")]),
        ]);
        let turns = vec![
            Turn::calls([bash("t1", "echo first")]),
            Turn::calls([bash("t2", "touch secret")]),
            Turn::calls([bash("t3", "touch allowed")]),
            Turn::text("Done."),
        ];
        let place = Place::new(&settings, turns);
        let (result, ended) = place.result(&["Work."]);
        assert_eq!((result["result"].as_str(), ended.code), (Some("Done."), Some(0)), "{what}: {ended:?}");
        assert_eq!(place.lines(".claude/settings.json").concat(), text, "{what}: it was changed");
        let project = place.env.project();
        assert!(!project.join("secret").exists() && project.join("allowed").exists(), "{what}");
        let requests = place.server.requests();
        let (_, failed, told) = &results(&requests[2])[0];
        assert!(*failed && told.contains("no"), "{what}: {told}");
    }
}
