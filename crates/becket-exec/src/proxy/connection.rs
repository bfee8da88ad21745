//! One connection of a program: its protocol, and the bytes that are relayed.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread::{Builder, scope};
use std::time::Duration;

use super::outbound::Outbound;
use super::registry::Registry;
use super::{http, socks};

/// The time limit for a program's request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The version byte of SOCKS5, which no HTTP request starts with.
const SOCKS: u8 = 5;

/// A connection of a program.
pub(super) struct Connection<'c> {
    pub(super) client: &'c TcpStream,
    pub(super) registry: &'c Registry,
    pub(super) outbound: &'c Outbound,
}

impl Connection<'_> {
    /// Serves the connection to its end.
    pub(super) fn serve(&self) -> io::Result<()> {
        self.client.set_read_timeout(Some(REQUEST_TIMEOUT))?;
        let mut first = [0];
        if self.client.peek(&mut first)? == 0 {
            return Ok(());
        }
        if first == [SOCKS] { socks::serve(self) } else { http::serve(self) }
    }

    /// Relays bytes between the program and a host, `first` before the others of the program, until both have ended.
    pub(super) fn relay(&self, server: &TcpStream, first: &[u8]) -> io::Result<()> {
        let Some(_held) = self.registry.hold(server) else { return Ok(()) };
        self.client.set_read_timeout(None)?;
        let mut to_server = server;
        to_server.write_all(first)?;
        scope(|scope| {
            let back = Builder::new().spawn_scoped(scope, || pass(server, self.client))?;
            pass(self.client, server);
            let _ = back.join();
            Ok(())
        })
    }
}

/// Relays bytes until there are no more. A failure ends both directions.
fn pass(mut from: &TcpStream, mut to: &TcpStream) {
    let mut buffer = vec![0; 32 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => {
                let _ = to.shutdown(Shutdown::Write);
                return;
            }
            Ok(read) if buffer.get(..read).is_some_and(|bytes| to.write_all(bytes).is_ok()) => {}
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => {
                let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                return;
            }
        }
    }
}
