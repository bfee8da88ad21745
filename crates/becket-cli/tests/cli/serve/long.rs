//! Long lines of many clients over a socket, and the limit on their memory.

use super::client::{Client, OnSocket, fault, on_socket};
use super::{bash, command, with_hook};
use becket_testkit::proc::{Marker, wait_until, wait_until_every};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const CLIENTS: usize = 32;
const LONGEST: usize = 16 << 20;
/// The limit on all long lines together, and on becket's other memory.
const ROOM: usize = 128 << 20;
const BESIDES: usize = 64 << 20;
/// The number of the longest lines that fit at the same time.
const LET_IN: usize = ROOM / LONGEST;
/// A time that is longer than any notification takes here.
const LONG: Duration = Duration::from_secs(20);

/// Returns a request without effect, as long as a line may be.
fn longest(id: &str) -> Vec<u8> {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": "nothing"}).to_string();
    [vec![b' '; LONGEST - request.len()], request.into_bytes(), b"\n".to_vec()].concat()
}

/// Sends the longest request, and waits for its answer.
fn asks_at_length(client: &mut Client, id: &str) {
    client.writes(&longest(id));
    let answer = client.until(|line| line.get("error").is_some());
    assert_eq!((answer["id"].as_str(), fault(&answer).0.as_str()), (Some(id), "no_method"), "{answer}");
}

// rule: L3
#[test]
fn lines_that_stop_halfway_neither_make_it_grow_nor_keep_out_whole_ones() {
    let env = with_hook("Stop", command("true"));
    let serving = on_socket(&env, &[]);
    let (mut whole, mut short) = (serving.client(), serving.client());
    let half = vec![b' '; LONGEST / 2];
    let streams: Vec<UnixStream> = (0..CLIENTS).map(|_| patient(&serving)).collect();
    let (to, refused) = channel();
    std::thread::scope(|scope| {
        for stream in &streams {
            let (to, half) = (to.clone(), &half);
            scope.spawn(move || {
                if let Some(line) = answered(stream, half) {
                    drop(to.send((stream, line)));
                }
            });
        }
        let next = || refused.recv_timeout(LONG).expect("it is told");
        // Some have yielded to others, so there is no memory left.
        let mut told = vec![next()];
        short.opens(&env.project(), "s", json!({}));
        asks_at_length(&mut whole, "long");
        told.extend((1..CLIENTS - LET_IN).map(|_| next()));
        for (stream, line) in told {
            let (kind, words) = fault(&line);
            assert!(kind == "full" && words.contains("send it again"), "{kind}: {words}");
            let initialize =
                json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}});
            let goes_on = answered(stream, format!("\n{initialize}\n").as_bytes()).expect("it is answered");
            assert_eq!(goes_on["result"]["protocol"], 1, "nothing else is lost: {goes_on}");
        }
        for stream in &streams {
            drop(stream.shutdown(Shutdown::Both));
        }
    });
    let peak = peak(&serving);
    assert!(peak < ROOM + BESIDES, "{} MiB", peak >> 20);
}

/// Opens a connection whose reads and writes time out.
fn patient(serving: &OnSocket) -> UnixStream {
    let stream = serving.stream();
    stream.set_read_timeout(Some(LONG)).expect("it can be set");
    stream.set_write_timeout(Some(LONG)).expect("it can be set");
    stream
}

/// Sends bytes and reads the line that is returned; `None` if the connection has ended.
fn answered(mut stream: &UnixStream, bytes: &[u8]) -> Option<Value> {
    stream.write_all(bytes).ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

// rules: L2, L3
#[test]
fn a_line_that_is_not_finished_ends_its_client_and_gives_its_room_back() {
    let (marker, env) = (Marker::new(), with_hook("PreToolUse", command("sleep 300")));
    let serving = on_socket(&env, &[]);
    let mut stuck: Vec<Client> = (0..LET_IN).map(|_| serving.client()).collect();
    let (name, value) = marker.env();
    stuck[0].opens(&env.project(), "s", json!({"env": {name: value}}));
    stuck[0].request("event/fire", json!({"session": "s", "event": "PreToolUse", "input": bash("ls")}));
    assert!(wait_until(|| !marker.alive().is_empty()));
    let started = Instant::now();
    let half = vec![b' '; LONGEST / 2];
    stuck.iter_mut().for_each(|client| client.writes(&half));
    // A line that continues forever never ends.
    assert!(wait_until_every(Duration::from_millis(300), || {
        stuck.iter_mut().step_by(2).for_each(|client| client.writes(b" "));
        started.elapsed() > Duration::from_secs(25)
    }));
    assert!(!marker.alive().is_empty(), "it has its time");
    for client in &mut stuck {
        let told = client.rest();
        let faults: Vec<(String, String)> =
            told.iter().filter(|line| line["id"] == Value::Null).map(fault).collect();
        assert_eq!(faults.len(), 1, "{told:#?}");
        let (kind, words) = &faults[0];
        assert!(kind == "slow" && words.contains("was not complete within 30 seconds"), "{kind}: {words}");
    }
    assert!(started.elapsed() < Duration::from_secs(50), "{:?}", started.elapsed());
    marker.wait_for(0);
    for n in 0..LET_IN {
        asks_at_length(&mut serving.client(), &n.to_string());
    }
}

/// Returns the peak memory of becket, in bytes.
fn peak(serving: &OnSocket) -> usize {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", serving.child.id())).expect("it is there");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is told");
    peak.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
}
