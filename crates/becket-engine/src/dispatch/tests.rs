//! Handlers whose feature is missing; run by `.ci/run` without default features.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::{Decision, Engine};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Failure, Session};
use serde_json::{Value, json};

fn fired(handler: &Value) -> (Decision, Vec<Option<Failure>>) {
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}});
    let engine = Engine::builder().settings_text(settings.to_string()).build().unwrap();
    let body = PreToolUse::new(
        "Bash".into(),
        json!({"command": "make"}).as_object().cloned().unwrap(),
        "toolu_1".into(),
    );
    let event = Event::new(Session::new("s1", "/tmp/s1.jsonl", "/tmp"), body);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(engine.fire(&event));
    (outcome.decision(), outcome.runs.iter().map(|run| run.failure.clone()).collect())
}

// rule: O10
#[test]
fn a_handler_without_its_feature_fails_and_a_gate_still_blocks() {
    for (mut handler, feature) in [
        (json!({"type": "http", "url": "http://127.0.0.1:1/"}), "http"),
        (json!({"type": "prompt", "prompt": "is it safe?"}), "models"),
        (json!({"type": "agent", "prompt": "is it safe?"}), "models"),
    ] {
        let failure = Failure::MissingFeature { feature };
        assert!(failure.to_string().contains(&format!("`{feature}`")), "{failure}");
        assert!(failure.is_unchecked());
        assert_eq!(fired(&handler), (Decision::Proceed, vec![Some(failure.clone())]), "{handler}");
        handler["onFailure"] = json!("block");
        assert_eq!(fired(&handler), (Decision::Block, vec![Some(failure)]), "{handler}");
    }
}
