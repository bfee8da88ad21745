//! A connection, with TLS or without.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The maximum time to check the peer.
const LOOK: Duration = Duration::from_millis(10);

/// A stream to read from and to write to.
pub(super) trait Socket: Read + Write {
    /// Returns the underlying connection.
    fn tcp(&self) -> &TcpStream;

    /// Returns whether the peer has gone. Called only while the peer has nothing to send: data that arrives then ends
    /// the connection.
    fn is_gone(&self) -> bool {
        let tcp = self.tcp();
        if tcp.set_read_timeout(Some(LOOK)).is_err() {
            return true;
        }
        let looked = tcp.peek(&mut [0]);
        let is_silent =
            looked.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
        !is_silent || tcp.set_read_timeout(None).is_err()
    }
}

impl Socket for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl<S: Socket + ?Sized> Socket for Box<S> {
    fn tcp(&self) -> &TcpStream {
        (**self).tcp()
    }
}
