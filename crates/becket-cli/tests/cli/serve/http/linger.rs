//! The answer to a client that is rejected while it still writes.

use super::caller::{OnPort, answer, on_port};
use crate::serve::{command, with_hook};
use becket_testkit::proc::wait_until;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;

const LONGEST: usize = 16 << 20;

/// Opens a connection that is rejected because of its head, which announces a body of this length.
fn turned_away(port: &OnPort, line: &str, length: usize) -> TcpStream {
    let (mut stream, address) = (port.stream(), port.address);
    let head = format!("{line}\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it is taken");
    stream
}

#[test]
fn who_is_turned_away_while_it_writes_reads_why() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let own = format!("POST / HTTP/1.1\r\nAuthorization: Bearer {}", port.token);
    let body = vec![b' '; LONGEST - (1 << 20)];
    for _ in 0..10 {
        for (line, length, status, kind) in [
            ("POST / HTTP/1.1", body.len(), 401, "unauthorized"),
            (own.as_str(), LONGEST + 1, 413, "too_long"),
            (&own.replace("POST / ", "POST /x "), body.len(), 404, "no_path"),
        ] {
            let mut stream = turned_away(&port, line, length);
            stream.write_all(&body).expect("it is read");
            let mut from = BufReader::new(stream);
            let answer = answer(&mut from);
            assert_eq!((answer.status, answer.kind().as_str()), (status, kind));
            assert_eq!(from.read(&mut [0]).expect("it ends well"), 0);
        }
    }
}

// rule: L3
#[test]
fn who_is_turned_away_does_not_write_for_ever() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let mut much = turned_away(&port, "POST / HTTP/1.1", 1 << 30);
    let mib = vec![b' '; 1 << 20];
    let taken = (0..1 << 10).take_while(|_| much.write_all(&mib).is_ok()).count();
    assert!(taken < 64, "{taken} MiB");
    let mut long = turned_away(&port, "POST / HTTP/1.1", 1 << 30);
    assert!(wait_until(|| long.write_all(b" ").is_err()), "it is closed in the end");
}
