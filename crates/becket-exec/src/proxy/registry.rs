//! The open sockets of a proxy, so that all of them can be closed.

use std::collections::HashMap;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The open sockets of a proxy.
#[derive(Debug, Default)]
pub(super) struct Registry(Mutex<OpenSockets>);

#[derive(Debug, Default)]
struct OpenSockets {
    is_closed: bool,
    listener: Option<TcpListener>,
    streams: HashMap<u64, TcpStream>,
    next: u64,
}

/// A socket that is closed with the registry while this guard lives.
#[derive(Debug)]
pub(super) struct HeldSocket<'r> {
    registry: &'r Registry,
    number: u64,
}

impl Registry {
    fn sockets(&self) -> MutexGuard<'_, OpenSockets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers the listener. Returns `false` if the registry is closed.
    pub(super) fn listens(&self, listener: &TcpListener) -> bool {
        let mut sockets = self.sockets();
        sockets.listener = listener.try_clone().ok();
        !sockets.is_closed && sockets.listener.is_some()
    }

    /// Registers a stream. Returns `None` if the registry is closed, so that the stream must not be used.
    pub(super) fn hold(&self, stream: &TcpStream) -> Option<HeldSocket<'_>> {
        let copy = stream.try_clone().ok()?;
        let mut sockets = self.sockets();
        if sockets.is_closed {
            return None;
        }
        let number = sockets.next;
        sockets.next += 1;
        sockets.streams.insert(number, copy);
        Some(HeldSocket { registry: self, number })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.sockets().is_closed
    }

    /// Returns the number of streams.
    pub(super) fn count(&self) -> usize {
        self.sockets().streams.len()
    }

    /// Closes all sockets, and refuses later ones.
    pub(super) fn close(&self) {
        let mut sockets = self.sockets();
        sockets.is_closed = true;
        if let Some(listener) = sockets.listener.take() {
            let _ = rustix::net::shutdown(&listener, rustix::net::Shutdown::Both);
        }
        sockets.streams.drain().for_each(|(_, stream)| drop(stream.shutdown(Shutdown::Both)));
    }
}

impl Drop for HeldSocket<'_> {
    fn drop(&mut self) {
        self.registry.sockets().streams.remove(&self.number);
    }
}
