//! A running server.

use std::io::BufReader;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use serde_json::Value;

use super::answers;
use super::plan::Plan;
use super::received_request::ReceivedRequest;
use super::socket::Socket;
use super::state::State;
use super::write::{self, Then};

/// A running server. When dropped, it closes its port and every connection.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    state: Arc<State>,
}

impl Server {
    pub(super) fn start(plan: Plan) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has free ports");
        let address = listener.local_addr().expect("it is bound");
        #[cfg(feature = "tls")]
        let scheme = if plan.tls.is_some() { "https" } else { "http" };
        #[cfg(not(feature = "tls"))]
        let scheme = "http";
        let state = Arc::new(State::default());
        let (shared, plan) = (Arc::clone(&state), Arc::new(plan));
        thread::spawn(move || listen(&listener, &plan, &shared));
        Self { address, scheme, state }
    }

    /// Returns its URL: `http://127.0.0.1:<port>/mcp`, or `https`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}/mcp", self.scheme, self.address)
    }

    /// Returns every request so far, in order of arrival.
    #[must_use]
    pub fn seen(&self) -> Vec<ReceivedRequest> {
        self.state.seen()
    }

    /// Returns the number of requests with an RPC method, or with a verb other than `POST`.
    #[must_use]
    pub fn count(&self, what: &str) -> usize {
        let is_meant =
            |seen: &&ReceivedRequest| seen.rpc() == what || (seen.verb == what && seen.verb != "POST");
        self.state.seen().iter().filter(is_meant).count()
    }

    /// Returns the number of connections ever made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state.opened.load(Ordering::Acquire)
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn open(&self) -> usize {
        self.state.open()
    }

    /// Returns the sessions that were started and not ended.
    #[must_use]
    pub fn sessions(&self) -> Vec<String> {
        self.state.sessions()
    }

    /// Forgets every session and ends the streams, as a restart does.
    pub fn forget(&self) {
        self.state.forget_all();
    }

    /// Sends a message over each stream that a client keeps open, and returns their number.
    pub fn push(&self, message: &Value) -> usize {
        self.state.push(&write::event(message))
    }

    /// Closes every connection, also in the middle of a response.
    pub fn cut(&self) {
        self.state.cut();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::Release);
        self.state.cut();
        // Wakes the listening thread, which then ends.
        let _ = TcpStream::connect(self.address);
    }
}

fn listen(listener: &TcpListener, plan: &Arc<Plan>, state: &Arc<State>) {
    for tcp in listener.incoming() {
        if state.is_stopped() {
            return;
        }
        let Ok(tcp) = tcp else { continue };
        let connection = state.opened.fetch_add(1, Ordering::AcqRel) + 1;
        let Ok(copy) = tcp.try_clone() else { continue };
        state.keep(connection, copy);
        let (plan, state) = (Arc::clone(plan), Arc::clone(state));
        thread::spawn(move || {
            if let Some(socket) = accept(&plan, tcp) {
                serve(socket, connection, &plan, &state);
            }
            state.release(connection);
        });
    }
}

#[cfg(feature = "tls")]
fn accept(plan: &Plan, tcp: TcpStream) -> Option<Box<dyn Socket>> {
    match &plan.tls {
        Some(config) => super::tls::accept(config, tcp),
        None => Some(Box::new(tcp)),
    }
}

#[cfg(not(feature = "tls"))]
fn accept(_: &Plan, tcp: TcpStream) -> Option<Box<dyn Socket>> {
    Some(Box::new(tcp))
}

fn serve(socket: Box<dyn Socket>, connection: usize, plan: &Plan, state: &State) {
    // An answer in small pieces must not wait for the other end to acknowledge the piece before.
    let _ = socket.tcp().set_nodelay(true);
    let mut socket = BufReader::new(socket);
    while let Ok(Some(mut seen)) = ReceivedRequest::read(&mut socket, connection) {
        state.note(&mut seen);
        let ruled = plan.rules.iter().find_map(|rule| rule(&seen));
        let reply = ruled.unwrap_or_else(|| answers::answer(plan, state, &seen));
        match write::reply(socket.get_mut(), reply, &seen, state) {
            Ok(Then::Next) if !state.is_stopped() => {}
            Ok(Then::Next | Then::Close) | Err(_) => return,
        }
    }
}
