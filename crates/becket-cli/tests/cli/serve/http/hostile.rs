//! Requests that are cut short, too long, or too slow.

use super::caller::{OnPort, answer, on_port};
use crate::serve::{command, with_hook};
use becket_testkit::env::TestEnv;
use serde_json::json;
use std::io::{BufReader, Read, Write};
use std::time::{Duration, Instant};

const LONGEST: usize = 16 << 20;

fn place() -> (TestEnv, OnPort) {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    (env, port)
}

#[test]
fn what_is_too_long_is_refused_unread() {
    let (_env, port) = place();
    let caller = port.caller();
    for (connection, length) in [(None, 100 << 20), (Some(caller.id.as_str()), LONGEST + 1)] {
        let told = length.to_string();
        let mut more = vec![("Content-Length", told.as_str())];
        more.extend(connection.map(|id| ("Becket-Connection", id)));
        let answer = port.sends(format!("{}\r\n", port.head("POST", &more)).as_bytes());
        assert_eq!((answer.status, answer.kind().as_str()), (413, "too_long"));
    }
    let mut stream = port.stream();
    let mut from = BufReader::new(stream.try_clone().expect("it can be cloned"));
    let head = format!("{}\r\n", port.head("POST", &[("Transfer-Encoding", "chunked")]));
    stream.write_all(head.as_bytes()).expect("it is taken");
    let chunk = [b"100000\r\n".to_vec(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
    let mut taken = 0;
    while taken < 100 && stream.write_all(&chunk).is_ok() {
        taken += 1;
    }
    assert!(taken < 100, "it is not read to its end");
    assert_eq!(answer(&mut from).status, 413);
    let blanks = " ".repeat(LONGEST - 200) + &caller.request("nothing", &json!({}));
    assert_eq!(port.asks("POST", Some(&caller.id), &blanks).status, 200);
}

#[test]
fn half_a_request_asks_for_nothing() {
    let (env, port) = place();
    let caller = port.caller();
    let whole = port.written(
        "POST",
        Some(&caller.id),
        &caller.request("session/open", &json!({"start": env.project(), "session": "s"})),
    );
    for end in [3, whole.find("\r\n\r\n").expect("a head") + 2, whole.len() - 1] {
        let mut stream = port.stream();
        stream.write_all(&whole.as_bytes()[..end]).expect("it is taken");
        stream.shutdown(std::net::Shutdown::Write).expect("it is open");
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest));
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"), "{end}");
    }
    let closed = caller.answers("session/close", &json!({"session": "s"}));
    assert_eq!(closed["error"]["data"]["kind"], "no_session");
}

#[test]
fn who_dawdles_is_cut_off_and_others_are_served() {
    let (_env, port) = place();
    let mut slow: Vec<_> = (0..50).map(|_| port.stream()).collect();
    let head = port.head("POST", &[]);
    for (number, stream) in slow.iter_mut().enumerate() {
        stream.write_all(&head.as_bytes()[..number]).expect("it is taken");
    }
    port.caller();
    let started = Instant::now();
    for stream in &mut slow {
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest));
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    }
    assert!(started.elapsed() < Duration::from_secs(50), "{:?}", started.elapsed());
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let (_env, port) = place();
    let long = "x".repeat(200 << 10);
    let request = format!("{}\r\n", port.head("GET", &[("X-Long", &long)]));
    assert_eq!(port.sends(request.as_bytes()).status, 431);
    let many: Vec<(&str, &str)> = vec![("X-Many", "1"); 500];
    assert_eq!(port.sends(format!("{}\r\n", port.head("GET", &many)).as_bytes()).status, 431);
    port.caller();
}

/// The limit on connections without a token.
const STRANGERS: usize = 64;

// rule: L3
#[test]
fn who_brings_no_token_makes_room_for_who_comes_later() {
    let (_env, port) = place();
    let known = port.caller();
    let half = |port: &OnPort| {
        let mut stream = port.stream();
        stream.write_all(b"POST / HTTP/1.1\r\nHost: ").expect("it is taken");
        stream
    };
    let started = Instant::now();
    let mut strangers: Vec<_> = (0..=STRANGERS).map(|_| half(&port)).collect();
    // The first connection is closed, long before its head is late.
    drop(strangers[0].read(&mut [0]));
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    let last = strangers.last_mut().expect("there are some");
    last.write_all(format!("{}\r\n\r\n", port.address).as_bytes()).expect("it is taken");
    assert_eq!(answer(&mut BufReader::new(last)).status, 401);
    // A connection that has presented the token does not count.
    assert_eq!(port.asks("POST", Some(&known.id), &known.request("nothing", &json!({}))).status, 200);
}

#[test]
fn a_connection_with_the_token_stays_while_others_without_come() {
    let (_env, port) = place();
    let caller = port.caller();
    let mut kept = port.stream();
    let mut from = BufReader::new(kept.try_clone().expect("it can be cloned"));
    for _ in 0..2 {
        let request = port.written("POST", Some(&caller.id), &caller.request("nothing", &json!({})));
        kept.write_all(request.as_bytes()).expect("it is taken");
        assert_eq!(answer(&mut from).status, 200);
        let strangers: Vec<_> = (0..2 * STRANGERS).map(|_| port.stream()).collect();
        // All of them were accepted once the last one is answered.
        let mut last = strangers.last().expect("there are some");
        last.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it is taken");
        assert_eq!(answer(&mut BufReader::new(last)).status, 401);
    }
}

#[test]
fn a_head_has_64_kib_at_most() {
    let (_env, port) = place();
    let caller = port.caller();
    for (length, status) in [(60 << 10, 200), (66 << 10, 431), (70_000, 431), (200 << 10, 431)] {
        let body = caller.request("nothing", &json!({}));
        let (text, bytes) = ("x".repeat(length), body.len().to_string());
        let more = [("Becket-Connection", caller.id.as_str()), ("Content-Length", &bytes), ("X-Long", &text)];
        let answer = port.sends(format!("{}\r\n{body}", port.head("POST", &more)).as_bytes());
        assert_eq!(answer.status, status, "{length}");
    }
}
