//! A running server.

use super::check;
use super::script::Script;
use super::turn::Turn;
use super::wire::{self, Then};
use crate::mcp_http::ReceivedRequest;
use serde_json::Value;
use std::fmt;
use std::io::{BufReader, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// A received request.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; a string if it is not JSON.
    pub body: Value,
}

/// A running server. When dropped, it closes its port.
pub struct Server {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    script: Mutex<Script>,
    recorded: Mutex<Vec<RecordedRequest>>,
    wrongs: Mutex<Vec<String>>,
    stopped: AtomicBool,
}

impl Server {
    /// Serves these turns, each once: the first one intended for the request, else the next one intended for none. A
    /// request after the last one is rejected, and counted as wrong.
    #[must_use]
    pub fn start(turns: Vec<Turn>) -> Self {
        Self::listening(Script::Turns(turns))
    }

    /// Answers with the result of `make` for a request's body; it is called for one request at a time.
    #[must_use]
    pub fn start_with(make: impl FnMut(&Value) -> Turn + Send + 'static) -> Self {
        Self::listening(Script::Computed(Box::new(make)))
    }

    fn listening(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has free ports");
        let address = listener.local_addr().expect("it is bound");
        let state = Arc::new(State {
            script: Mutex::new(script),
            recorded: Mutex::default(),
            wrongs: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || listen(&listener, &shared));
        Self { address, state }
    }

    /// Returns its URL: the value for `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns every request so far, in order, including rejected ones.
    #[must_use]
    pub fn recorded_requests(&self) -> Vec<RecordedRequest> {
        lock(&self.state.recorded).clone()
    }

    /// Returns the bodies of all requests.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.recorded_requests().into_iter().map(|request| request.body).collect()
    }

    /// Returns the faults that the API would have rejected, and the requests for which no turn was left.
    #[must_use]
    pub fn wrongs(&self) -> Vec<String> {
        lock(&self.state.wrongs).clone()
    }

    /// Returns the number of unused turns.
    #[must_use]
    pub fn remaining_turns(&self) -> usize {
        lock(&self.state.script).remaining_turns()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::Release);
        // Wakes the listening thread, which then ends.
        drop(TcpStream::connect(self.address));
    }
}

/// Returns a URL without a server.
#[must_use]
pub fn unreachable_url() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has free ports");
    format!("http://{}", listener.local_addr().expect("it is bound"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listen(listener: &TcpListener, state: &Arc<State>) {
    for tcp in listener.incoming() {
        if state.stopped.load(Ordering::Acquire) {
            return;
        }
        let Ok(tcp) = tcp else { continue };
        let state = Arc::clone(state);
        thread::spawn(move || serve(tcp, &state));
    }
}

fn serve(tcp: TcpStream, state: &State) {
    // An answer in small pieces must not wait for the other end to acknowledge the piece before.
    drop(tcp.set_nodelay(true));
    let mut socket = BufReader::new(tcp);
    while let Ok(Some(seen)) = ReceivedRequest::read(&mut socket, 0) {
        let (turn, nth) = state.turn(&seen);
        match wire::answer(socket.get_mut(), &turn, &seen.body, nth) {
            Ok(Then::Next) => {}
            Ok(Then::Hang) => return hang(socket.get_ref(), state),
            Ok(Then::Close) | Err(_) => return,
        }
    }
}

impl State {
    /// Returns the answer to a request, and the number of the request, from 1.
    fn turn(&self, seen: &ReceivedRequest) -> (Turn, usize) {
        let recorded = RecordedRequest { headers: seen.headers.clone(), body: seen.body.clone() };
        let nth = {
            let mut all = lock(&self.recorded);
            all.push(recorded);
            all.len()
        };
        if let Some(wrong) = wrong_request(seen).or_else(|| check::refusal(&seen.body)) {
            lock(&self.wrongs).push(format!("request {nth}: {wrong}"));
            return (Turn::refused(400, "invalid_request_error", &wrong), nth);
        }
        match lock(&self.script).take(&seen.body) {
            Some(turn) => (turn, nth),
            None => {
                let wrong = format!("there is no turn for it; it ends with: {}", last_text(&seen.body));
                lock(&self.wrongs).push(format!("request {nth}: {wrong}"));
                (Turn::refused(400, "invalid_request_error", &wrong), nth)
            }
        }
    }
}

/// Returns the last text block of a request; never the names of settings, by which a client detects rejected ones.
fn last_text(body: &Value) -> String {
    let last = body["messages"].as_array().and_then(|messages| messages.last());
    let block = last.and_then(|last| last["content"].as_array()).and_then(|blocks| blocks.last());
    let text = block.and_then(|block| block["text"].as_str()).unwrap_or("a result, or nothing");
    text.chars().take(200).collect()
}

/// Returns the fault of a request outside its body.
fn wrong_request(seen: &ReceivedRequest) -> Option<String> {
    let has = |name: &str| seen.header(name).is_some_and(|value| !value.is_empty());
    let path = seen.path.split('?').next().unwrap_or_default();
    if (seen.verb.as_str(), path) != ("POST", "/v1/messages") {
        return Some(format!("there is nothing at {} {path}", seen.verb));
    }
    if !has("x-api-key") && !has("authorization") {
        return Some("x-api-key header is required".into());
    }
    if !has("anthropic-version") {
        return Some("anthropic-version: header is required".into());
    }
    let is_json = seen.header("content-type").is_some_and(|value| value.starts_with("application/json"));
    (!is_json).then(|| "content-type must be application/json".into())
}

/// Waits until the peer or the server ends.
fn hang(tcp: &TcpStream, state: &State) {
    drop(tcp.set_read_timeout(Some(Duration::from_millis(20))));
    while !state.stopped.load(Ordering::Acquire) {
        match tcp.peek(&mut [0]) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Ok(_) | Err(_) => return,
        }
    }
}
