//! The proxy of programs that may reach only some hosts (protocol.md E5).
//!
//! The programs have a network of their own, without a way out of it. Its only listener is accepted from here, outside
//! of it: a socket belongs to the network in which it was created, whichever process has it. Each connection names a
//! host, by HTTP or SOCKS5; the host is judged, resolved once, and each of its addresses is judged before it is
//! connected to.
//!
//! INVARIANT: only addresses that [`DomainGate`] has allowed for the same connection are connected to.

mod connection;
mod domain_gate;
mod http;
mod outbound;
mod registry;
mod socks;

pub(crate) use domain_gate::DomainGate;

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::network_host::NetworkHost;
use crate::running_programs::RunningPrograms;
use connection::Connection;
use outbound::Outbound;
use registry::Registry;

/// The port at which the programs find the proxy. Their network is new, so the port is free.
pub(crate) const PORT: u16 = 3128;

/// The maximum number of open sockets, two for each connection; further connections are closed.
const MOST: usize = 512;

/// The pause after a connection that could not be accepted, as when descriptors are used up.
const PAUSE: Duration = Duration::from_millis(50);

/// A proxy that runs until it is dropped, with all its connections.
#[derive(Debug)]
pub(crate) struct NetworkProxy {
    registry: Arc<Registry>,
    /// The socket over which the listener arrives.
    arrival: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl NetworkProxy {
    /// Starts the proxy. The listener arrives over the socket, from the network of the programs.
    pub(crate) fn start(
        arrival: UnixStream,
        gate: DomainGate,
        host: Arc<dyn NetworkHost>,
        running: Arc<RunningPrograms>,
    ) -> io::Result<Self> {
        let registry = Arc::new(Registry::default());
        let (incoming, held) = (arrival.try_clone()?, Arc::clone(&registry));
        let outbound = Arc::new(Outbound::new(gate, host, running));
        let thread = Builder::new().name("becket-proxy".to_owned()).spawn(move || {
            // If no listener arrives, the programs were not started.
            let Ok(listener) = receive(&incoming) else { return };
            if held.listens(&listener) {
                accept(&listener, &held, &outbound);
            }
        })?;
        Ok(Self { registry, arrival, thread: Some(thread) })
    }
}

impl Drop for NetworkProxy {
    fn drop(&mut self) {
        let _ = self.arrival.shutdown(Shutdown::Both);
        self.registry.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns the variables that make programs use the proxy. Their own network is reached without it, unless entries
/// name this machine.
pub(crate) fn variables(gate: &DomainGate) -> Vec<(OsString, OsString)> {
    let address = format!("http://127.0.0.1:{PORT}");
    let own = if gate.names_this_machine() { "" } else { "localhost,127.0.0.1,::1" };
    let both = |name: &str, value: &str| {
        [(name.to_lowercase(), value.to_owned()), (name.to_owned(), value.to_owned())]
    };
    let proxies =
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].into_iter().flat_map(|name| both(name, &address));
    let node = ("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned());
    let all = proxies.chain(both("NO_PROXY", own)).chain([node]);
    all.map(|(name, value)| (name.into(), value.into())).collect()
}

/// Receives the listener; errors if the socket is closed before.
fn receive(arrival: &UnixStream) -> io::Result<TcpListener> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut received = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(arrival, &mut [io::IoSliceMut::new(&mut byte)], &mut received, RecvFlags::CMSG_CLOEXEC)?;
    for message in received.drain() {
        if let RecvAncillaryMessage::ScmRights(mut descriptors) = message
            && let Some(descriptor) = descriptors.next()
        {
            return Ok(descriptor.into());
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Accepts connections until the registry is closed.
fn accept(listener: &TcpListener, registry: &Arc<Registry>, outbound: &Arc<Outbound>) {
    for client in listener.incoming() {
        match client {
            _ if registry.is_closed() => return,
            Ok(client) if registry.count() < MOST => serve(client, registry, outbound),
            // A connection over the limit is closed.
            Ok(_) => {}
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

fn serve(client: TcpStream, registry: &Arc<Registry>, outbound: &Arc<Outbound>) {
    let (registry, outbound) = (Arc::clone(registry), Arc::clone(outbound));
    let serving = move || {
        let Some(_held) = registry.hold(&client) else { return };
        // A client that disconnects, or sends an invalid request, affects no other one.
        let _ = Connection { client: &client, registry: &registry, outbound: &outbound }.serve();
        let _ = client.shutdown(Shutdown::Both);
    };
    // If no thread can be started, the connection is closed.
    let _ = Builder::new().name("becket-proxied".to_owned()).spawn(serving);
}
