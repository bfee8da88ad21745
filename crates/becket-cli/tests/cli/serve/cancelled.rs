//! Cancelled requests.

use super::client::{fault, on_stdio};
use super::{bash, command, with_hook};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::json;

// rule: H4
#[test]
fn a_firing_that_is_taken_back_ends_its_hooks_and_no_other() {
    let marker = Marker::new();
    let env = with_hook("PreToolUse", command(r#"cat >"$(mktemp started-XXXXXX)"; exec sleep 300"#));
    let mut serving = on_stdio(&env, &[], &[marker.env()]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    let (one, other) =
        (client.request("event/fire", fire.clone()), client.request("event/fire", fire.clone()));
    // becket itself carries the marker as well.
    marker.wait_for(3);
    client.line(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": one}}));
    let (kind, words) = fault(&client.answer_to(one));
    assert!(kind == "cancelled" && words.contains("nothing was decided"), "{words}");
    assert!(wait_until(|| marker.alive().len() == 2), "{:?}", marker.alive());
    // A request that is answered, or never existed, can't be cancelled.
    for id in [json!(one), json!("none"), json!(null)] {
        client.line(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": id}}));
    }
    client.line(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {}}));
    client.asks("event/plan", fire.clone());
    // A process that is executing another program can't be read for a moment.
    assert!(wait_until(|| marker.alive().len() == 2), "{:?}", marker.alive());
    // An id belongs to one pending request at a time.
    client.line(&json!({"jsonrpc": "2.0", "id": other, "method": "event/fire", "params": fire}));
    assert_eq!(fault(&client.answer_to(other)).0, "id_in_use");
    client.line(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": other}}));
    assert_eq!(fault(&client.answer_to(other)).0, "cancelled");
    marker.wait_for(1);
}

#[test]
fn no_more_than_so_many_requests_are_under_way() {
    let env = with_hook("Notification", command("true"));
    let mut serving = on_stdio(&env, &[], &[]).initialized();
    let client = &mut serving.client;
    client.opens(&env.project(), "s", json!({}));
    client.asks("hooks/register", json!({"session": "s", "id": "h", "event": "PreToolUse"}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    let all: Vec<u64> = (0..1_025).map(|_| client.request("event/fire", fire.clone())).collect();
    assert_eq!(fault(&client.answer_to(all[1_024])).0, "busy");
    for _ in 0..1_024 {
        let asked = client.asked("hook/call");
        client.answers(&asked, json!({}));
    }
    for id in &all[..1_024] {
        assert_eq!(client.result_of(*id)["result"], "passed");
    }
    let again = client.request("event/fire", fire);
    let asked = client.asked("hook/call");
    client.answers(&asked, json!({}));
    client.result_of(again);
}
