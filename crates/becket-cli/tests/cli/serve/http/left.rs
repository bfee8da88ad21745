//! The state after a client is gone.

use super::caller::on_port;
use crate::serve::{bash, command, with_hook};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::io::BufRead;
use std::time::{Duration, Instant};

const HANGS: &str = "touch started; sleep 300 & exec sleep 300";

fn fire() -> Value {
    json!({"session": "s", "event": "PreToolUse", "input": bash("ls")})
}

#[test]
fn who_hangs_up_takes_its_request_back() {
    let env = with_hook("PreToolUse", command(HANGS));
    let marker = Marker::new();
    let port = on_port(&env, &[], &[marker.env()]);
    let caller = port.caller();
    caller.opens(&env.project(), "s", json!({}));
    let asking = caller.starts("event/fire", &fire());
    assert!(wait_until(|| env.project().join("started").exists()));
    assert!(wait_until(|| hooks(&marker).len() == 2));
    drop(asking);
    assert!(wait_until(|| hooks(&marker).is_empty()), "{:?}", marker.alive());
    assert_eq!(caller.asks("session/close", &json!({"session": "s"})), json!({}));
}

/// Returns the processes of hooks, which are sleeping.
fn hooks(marker: &Marker) -> Vec<u32> {
    let sleeps =
        |id: &u32| std::fs::read(format!("/proc/{id}/comm")).is_ok_and(|name| name.starts_with(b"sleep"));
    marker.alive().into_iter().filter(sleeps).collect()
}

// rule: A1
#[test]
fn a_client_that_is_gone_ends_with_its_sessions_and_all_that_they_run() {
    let hook = json!({"type": "command", "command": "sleep 300 & exec sleep 300", "async": true});
    let env = with_hook("Stop", hook);
    let marker = Marker::new();
    let port = on_port(&env, &["--linger", "2"], &[marker.env()]);
    let (gone, stays) = (port.caller(), port.caller());
    let mut still = stays.told();
    let stop = json!({"session": "s", "event": "Stop", "input": {"stop_hook_active": false}});
    for (caller, running) in [(&gone, 2), (&stays, 4)] {
        caller.opens(&env.project(), "s", json!({}));
        let told = caller.told();
        assert_eq!(caller.asks("event/fire", &stop)["hooks"][0]["in_background"], true);
        assert!(wait_until(|| hooks(&marker).len() == running), "{:?}", hooks(&marker));
        drop(told);
    }
    // The newer stream of the remaining client has ended as well, so it opens another one.
    while still.next().is_some() {}
    let mut still = stays.told();
    assert!(wait_until(|| hooks(&marker).len() == 2), "{:?}", hooks(&marker));
    assert_eq!(port.asks("GET", Some(&gone.id), "").status, 404);
    assert_eq!(stays.asks("event/plan", &stop)["event"], "Stop");
    assert_eq!(port.asks("DELETE", Some(&stays.id), "").status, 204);
    assert_eq!(still.next(), None);
    assert_eq!(hooks(&marker), Vec::<u32>::new());
}

#[test]
fn whoever_has_something_open_stays() {
    let env = with_hook("PreToolUse", command("sleep 3"));
    let port = on_port(&env, &["--linger", "1"], &[]);
    let (asks, listens, leaves) = (port.caller(), port.caller(), port.caller());
    let _told = listens.told();
    asks.opens(&env.project(), "s", json!({}));
    assert_eq!(asks.asks("event/fire", &fire())["result"], "passed");
    assert_eq!(port.asks("POST", Some(&leaves.id), "{}").status, 404);
    listens.opens(&env.project(), "s", json!({}));
}

#[test]
fn a_signal_ends_all() {
    let env = with_hook("PreToolUse", command(HANGS));
    let marker = Marker::new();
    let mut port = on_port(&env, &[], &[marker.env()]);
    let caller = port.caller();
    caller.opens(&env.project(), "s", json!({}));
    let (mut told, asking) = (caller.told(), caller.starts("event/fire", &fire()));
    assert!(wait_until(|| hooks(&marker).len() == 2));
    let sent = std::process::Command::new("kill").arg(port.child.id().to_string()).status();
    assert!(sent.is_ok_and(|sent| sent.success()));
    assert_eq!(told.next(), None);
    let mut line = String::new();
    std::io::BufReader::new(asking).read_line(&mut line).expect("it is answered");
    assert!(line.contains("200") || line.contains("410"), "{line}");
    assert_eq!(port.child.wait().expect("it ends").code(), Some(0));
    assert!(wait_until(|| marker.alive().is_empty()), "{:?}", marker.alive());
}

// rule: L3
#[test]
fn who_does_not_read_its_stream_is_cut_off() {
    let env = with_hook("PreToolUse", command("head -c 400000 /dev/zero | tr '\\0' x"));
    let port = on_port(&env, &["--patience", "1"], &[]);
    let caller = port.caller();
    caller.opens(&env.project(), "s", json!({}));
    caller.asks(
        "hooks/register",
        &json!({"session": "s", "id": "mine", "event": "PreToolUse", "timeout": 300}),
    );
    let _told = caller.told();
    let started = Instant::now();
    let large = "x".repeat(1 << 20);
    let line = json!({"session": "s", "event": "PreToolUse", "input": bash(&large)});
    let mut asking = Vec::new();
    let is_gone = || {
        port.asks("DELETE", Some("0"), "").status == 404
            && port.asks("POST", Some(&caller.id), "{").status == 404
    };
    while !is_gone() {
        assert!(started.elapsed() < Duration::from_secs(60), "it is still served");
        if asking.len() < 24 {
            asking.push(caller.starts("event/fire", &line));
        }
    }
    port.caller();
}
