//! Clients that read nothing, or too slowly.

use super::client::{Client, on_socket};
use super::{bash, command, with_hook};
use becket_testkit::proc::{Marker, wait_until, wait_until_every};
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::time::Duration;

/// The interval between two repeated requests.
const INTERVAL: Duration = Duration::from_millis(50);

/// Returns the peak memory of a process, in KiB.
fn peak(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or(" 0 kB");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}

// rules: L2, L3
#[test]
fn a_client_that_reads_nothing_is_cut_off_with_its_sessions() {
    let marker = Marker::new();
    let env = with_hook("PreToolUse", command("sleep 300"));
    let serving = on_socket(&env, &["--patience", "1"]);
    let mut stream = serving.stream();
    let (name, value) = marker.env();
    let mut say = |line: serde_json::Value| stream.write_all(format!("{line}\n").as_bytes());
    let open = json!({"start": env.project(), "session": "s", "env": {name: value}});
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}}))
        .expect("it reads");
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "session/open", "params": open})).expect("it reads");
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    // The session is open once a request about it is answered; until then, the request is repeated.
    assert!(wait_until_every(INTERVAL, || {
        say(json!({"jsonrpc": "2.0", "id": "f", "method": "event/fire", "params": fire})).expect("it reads");
        !marker.alive().is_empty()
    }));
    let explain = json!({"jsonrpc": "2.0", "id": 3, "method": "event/explain", "params": fire});
    let written = (0..2_000_000).find_map(|_| say(explain.clone()).err());
    assert!(written.is_some(), "it takes no requests for ever");
    marker.wait_for(0);
    assert!(peak(serving.child.id()) < 200 * 1024, "{} KiB", peak(serving.child.id()));
    // Other clients are not affected.
    let mut other = serving.client();
    other.opens(&env.project(), "s", json!({}));
    assert_eq!(other.asks("event/plan", fire)["event"], "PreToolUse");
}

#[test]
fn a_client_that_reads_late_gets_all_answers() {
    let env = with_hook("PreToolUse", command("true"));
    let serving = on_socket(&env, &[]);
    let mut client = serving.client();
    client.opens(&env.project(), "s", json!({}));
    drop(client);
    let mut stream = serving.stream();
    let mut say =
        |line: serde_json::Value| stream.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    say(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocol": 1}}));
    for id in 1..=500 {
        say(
            json!({"jsonrpc": "2.0", "id": id, "method": "event/plan", "params": {"session": "x", "event": "Stop"}}),
        );
    }
    stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it is text");
    let ids: Vec<u64> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")["id"].as_u64().expect("a number")
        })
        .collect();
    assert_eq!(ids, (0..=500).collect::<Vec<_>>());
}

// rule: H13
#[test]
fn a_client_that_lags_behind_what_happens_is_told_how_much_it_missed() {
    let env = with_hook("PreToolUse", command("head -c 900000 /dev/zero | tr '\\0' x; echo >>ended"));
    let serving = on_socket(&env, &[]);
    let stream = serving.stream();
    let mut to = stream.try_clone().expect("it can be cloned");
    let mut say = |line: serde_json::Value| to.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}}));
    let settings = json!({"hooks": {"Stop": [{"hooks": [command("touch over")]}]}});
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "session/open",
        "params": {"start": env.project(), "session": "s", "settings": settings}}));
    let fire = json!({"session": "s", "event": "PreToolUse", "input": bash("ls")});
    // A request before the session is open is rejected, so its effect is awaited.
    let stop = json!({"session": "s", "event": "Stop", "input": {"stop_hook_active": false}});
    assert!(wait_until_every(INTERVAL, || {
        say(json!({"jsonrpc": "2.0", "id": "s", "method": "event/fire", "params": stop}));
        env.project().join("over").exists()
    }));
    fs::remove_file(env.project().join("over")).expect("it is there");
    say(json!({"jsonrpc": "2.0", "id": 3, "method": "events/subscribe", "params": {"session": "s"}}));
    for id in 10..20 {
        say(json!({"jsonrpc": "2.0", "id": id, "method": "event/fire", "params": fire}));
    }
    let ended = || fs::read_to_string(env.project().join("ended")).unwrap_or_default().lines().count();
    assert!(wait_until(|| ended() == 10));
    let mut client = Client::new(stream.try_clone().expect("it can be cloned"), stream);
    for id in 10..20 {
        client.answer_to(id);
    }
    client.line(&json!({"jsonrpc": "2.0", "id": 30, "method": "event/fire", "params": stop}));
    client.answer_to(30);
    let missed = client.until(|line| line["params"]["what"] == "missed");
    assert!(missed["params"]["events"].as_u64() > Some(0), "{missed}");
}
