//! A server that sends exactly the given bytes, and records what it receives.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The state of the connection: true if it stays open, so that the client may send more, or close it.
pub(crate) type Stays = bool;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    /// The number of the connection, from 0.
    pub(crate) connection: usize,
    /// Everything before the body, in lower case; values are as they came in `raw`.
    pub(crate) head: String,
    pub(crate) raw: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

impl ReceivedRequest {
    /// Returns the values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<Vec<u8>> {
        let lines = self.raw.split(|byte| *byte == b'\n').skip(1);
        let values = lines.filter_map(|line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            let (key, value) = line.split_at(colon);
            key.eq_ignore_ascii_case(name.as_bytes()).then(|| value[1..].trim_ascii().to_vec())
        });
        values.collect()
    }
}

/// Listens on loopback until the test program ends.
pub(crate) struct Server {
    pub(crate) port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    seen: Mutex<Vec<ReceivedRequest>>,
    opened: AtomicUsize,
    closed: AtomicUsize,
}

impl Server {
    /// Creates a server that calls `answer` for every request.
    pub(crate) fn new(
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) -> Stays + Send + Sync + 'static,
    ) -> Self {
        Server::on(Ipv4Addr::LOCALHOST.into(), 0, answer)
    }

    /// Creates such a server on an address and port.
    pub(crate) fn on(
        address: IpAddr,
        port: u16,
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) -> Stays + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address, port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (state, answer) = (Arc::new(State::default()), Arc::new(answer));
        let of_thread = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (state, answer) = (of_thread.clone(), answer.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &state, &*answer));
            }
        });
        Server { port, state }
    }

    /// Creates a server that answers each request with these bytes and keeps the connection.
    pub(crate) fn says(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Server::new(move |_, stream| stream.write_all(&bytes).is_ok())
    }

    /// Creates a server that answers 200 with a body.
    pub(crate) fn ok(body: &str) -> Self {
        Server::says(ok(body))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the requests so far.
    pub(crate) fn seen(&self) -> Vec<ReceivedRequest> {
        self.state.seen.lock().unwrap().clone()
    }

    /// Returns how many connections were made.
    pub(crate) fn opened(&self) -> usize {
        self.state.opened.load(Ordering::SeqCst)
    }

    /// Waits until the client has closed all its connections; false if it keeps one.
    pub(crate) fn all_closed(&self) -> bool {
        becket_testkit::proc::wait_until(|| self.state.closed.load(Ordering::SeqCst) == self.opened())
    }
}

/// Returns a plain 200 with a length.
pub(crate) fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn serve(mut stream: TcpStream, state: &State, answer: &dyn Fn(&ReceivedRequest, &mut TcpStream) -> Stays) {
    let connection = state.opened.fetch_add(1, Ordering::SeqCst);
    while let Some(seen) = read(&mut stream, connection) {
        state.seen.lock().unwrap().push(seen.clone());
        if !answer(&seen, &mut stream) {
            break;
        }
    }
    state.closed.fetch_add(1, Ordering::SeqCst);
}

/// Reads one request; returns `None` at the end of the connection.
pub(crate) fn read(stream: &mut impl Read, connection: usize) -> Option<ReceivedRequest> {
    let mut raw = Vec::new();
    while !raw.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        raw.extend(byte);
    }
    let head = String::from_utf8_lossy(&raw).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some(ReceivedRequest { connection, head, raw, body })
}
