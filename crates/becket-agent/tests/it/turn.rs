//! Whole turns as data: hooks and a scripted model in, events, requests and ends out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

use crate::support::session::{At, never, settings, within};
use becket_agent::session::Prompt;
use becket_agent::turn::TurnOptions;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap()).collect()
}

/// Runs a case: its prompts in order, and the end of the session.
async fn run(case: &Value) {
    let name = case["name"].as_str().unwrap();
    let at = At::new(&settings(&case["hooks"], &case["settings"]), &case["script"]);
    let number = |key: &str| case[key].as_u64().map(|n| u32::try_from(n).unwrap());
    let options = TurnOptions {
        one_shot: case["one_shot"] == true,
        stop_cap: number("stop_cap").unwrap_or(TurnOptions::default().stop_cap),
        ..TurnOptions::default()
    };
    let mut builder = at.builder().options(options);
    if let Some(limit) = number("max_turns") {
        builder = builder.max_turns(limit);
    }
    let agent = builder.open().await.unwrap();
    let mut ends = Vec::new();
    let prompts = if case["prompts"].is_null() { vec!["go"] } else { texts(&case["prompts"]) };
    for prompt in prompts {
        ends.push(within(agent.prompt(Prompt::text(prompt), &never())).await);
    }
    within(agent.close("other")).await;
    let ended: Vec<&str> = ends.iter().map(|end| end.reason.as_str()).collect();
    let expected = if case["ends"].is_null() { vec!["completed"; ends.len()] } else { texts(&case["ends"]) };
    assert_eq!(ended, expected, "{name}: {ends:?} {:?}", at.notices());
    if let Some(because) = case["because"].as_str() {
        let reason = format!("{:?}", ends.last().unwrap().reason);
        assert!(reason.contains(because), "{name}: {reason}");
    }
    if !case["events"].is_null() {
        assert_eq!(at.events().join(" "), case["events"].as_str().unwrap(), "{name}");
    }
    for (id, denial) in texts(&case["denials"]).into_iter().zip(ends.iter().flat_map(|end| &end.denials)) {
        assert_eq!(id, denial.tool_use_id, "{name}");
    }
    assert_eq!(texts(&case["denials"]).is_empty(), ends.iter().all(|end| end.denials.is_empty()), "{name}");
    look(case, &at);
}

/// Compares the texts for the model and the user.
fn look(case: &Value, at: &At) {
    let name = case["name"].as_str().unwrap();
    let requests = at.requests();
    if let Some(expected) = case["requests"].as_u64() {
        assert_eq!(requests.len() as u64, expected, "{name}: {requests:#?}");
    }
    let last = requests.last().cloned().unwrap_or_default();
    let mut from = 0;
    for text in texts(&case["told"]) {
        let place = last[from..].find(&text.to_lowercase());
        let place = place.unwrap_or_else(|| panic!("{name}: no `{text}` in this order in\n{last}"));
        from += place + text.len();
    }
    for text in texts(&case["not_told"]) {
        assert!(!last.contains(&text.to_lowercase()), "{name}: `{text}` in\n{last}");
    }
    let notices = at.notices();
    for text in texts(&case["notices"]) {
        assert!(notices.iter().any(|notice| notice.contains(text)), "{name}: no `{text}` in {notices:#?}");
    }
    if let Some(ran) = case["ran"].as_array() {
        assert_eq!(&*at.done.ran.lock().unwrap(), ran, "{name}");
    }
    for text in texts(&case["no_notices"]) {
        assert!(!notices.iter().any(|notice| notice.contains(text)), "{name}: `{text}` in {notices:#?}");
    }
    for (event, expected) in case["count"].as_object().into_iter().flatten() {
        let count = at.events().iter().filter(|one| *one == event).count() as u64;
        assert_eq!(Some(count), expected.as_u64(), "{name}: {event} in {:?}", at.events());
    }
    if let Some(file) = case["no_file"].as_str() {
        assert!(!at.dir.join(file).exists(), "{name}: `{file}` is there");
    }
    if let Some(end) = case["ends_in"].as_str() {
        assert_eq!(at.facts.cwd(), at.dir.join(end), "{name}");
    }
    for (pointer, expected) in case["given"].as_object().into_iter().flatten() {
        let noted = Value::Array(at.noted());
        assert_eq!(noted.pointer(pointer), Some(expected), "{name}: {pointer} of {noted:#}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/turn.json")).unwrap();
    assert!(cases.iter().all(|case| case["rule"].is_string() || case["rules"].is_array()));
    let wrong: Vec<&str> = stream::iter(&cases)
        .map(|case| async move {
            let name = case["name"].as_str().unwrap();
            AssertUnwindSafe(run(case)).catch_unwind().await.err().map(|_| name)
        })
        .buffer_unordered(4)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), cases.len());
}

#[tokio::test]
async fn tools_run_under_the_limit_of_their_session() {
    let call = json!({"tool_uses": [{"id": "t", "name": "Probe", "input": {"limit": true}}]});
    for (options, told) in [
        (TurnOptions::default(), "limit: 600s"),
        (TurnOptions { call_limit: Duration::from_secs(900), ..TurnOptions::default() }, "limit: 900s"),
    ] {
        let at = At::new(&json!({}), &json!([call, {"text": "done"}]));
        let agent = at.builder().options(options).open().await.unwrap();
        within(agent.prompt(Prompt::text("go"), &never())).await;
        let last = at.requests().pop().unwrap();
        assert!(last.contains(told), "{last}");
    }
}
