//! The shared memory of the bodies of many clients.

use super::caller::{Answer, OnPort, answer, on_port};
use crate::serve::{command, with_hook};
use becket_testkit::proc::wait_until;
use serde_json::json;
use std::io::{BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

const CLIENTS: usize = 64;
const LONGEST: usize = 16 << 20;
/// The limit on all long bodies together, and on becket's other memory.
const ROOM: usize = 128 << 20;
const BESIDES: usize = 64 << 20;
/// The number of the longest bodies that fit.
const LET_IN: usize = ROOM / LONGEST;

// rule: L3
#[test]
fn bodies_that_stop_halfway_do_not_make_it_grow() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let caller = port.caller();
    let half = vec![b' '; LONGEST / 2];
    let streams: Vec<TcpStream> = (0..CLIENTS).map(|_| port.stream()).collect();
    let (to, refused) = channel();
    std::thread::scope(|scope| {
        for (number, stream) in streams.iter().enumerate() {
            let (to, port, half) = (to.clone(), &port, &half);
            scope.spawn(move || halfway(port, stream, number, half, &to));
        }
        for _ in 0..CLIENTS - LET_IN {
            let answer = refused.recv_timeout(Duration::from_secs(120)).expect("all others are refused");
            assert_eq!((answer.status, answer.kind().as_str()), (503, "full"));
        }
        // The accepted bodies still use all memory for long ones: a short one needs none of it.
        caller.opens(&env.project(), "s", json!({}));
        assert!(refused.try_recv().is_err());
        for stream in &streams {
            drop(stream.shutdown(Shutdown::Both));
        }
    });
    let large = " ".repeat(LONGEST - 200) + &caller.request("nothing", &json!({}));
    assert!(
        wait_until(|| port.asks("POST", Some(&caller.id), &large).status == 200),
        "the room is free again"
    );
    let peak = peak(&port);
    assert!(peak < ROOM + BESIDES, "{} MiB", peak >> 20);
}

/// Sends half of the announced body, every other one chunked without a length, and reports the response.
fn halfway(port: &OnPort, mut stream: &TcpStream, number: usize, half: &[u8], to: &Sender<Answer>) {
    let length = LONGEST.to_string();
    let (header, chunk) = match number % 2 {
        0 => (("Content-Length", length.as_str()), String::new()),
        _ => (("Transfer-Encoding", "chunked"), format!("{LONGEST:x}\r\n")),
    };
    let head = format!("{}\r\n{chunk}", port.head("POST", &[header]));
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(half)).expect("it is taken");
    // An accepted client receives nothing, and disconnects at the end.
    if stream.peek(&mut [0]).is_ok_and(|bytes| bytes > 0) {
        drop(to.send(answer(&mut BufReader::new(stream))));
    }
}

/// Returns the peak memory of becket, in bytes.
fn peak(port: &OnPort) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", port.child.id())).expect("it is there");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is told");
    peak.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
}
