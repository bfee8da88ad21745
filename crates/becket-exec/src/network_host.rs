//! The program that embeds the proxy of a line, and the connections that the proxy refuses (protocol.md E5).

use std::fmt;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};

use becket_base::address::AddressClass;
use becket_base::text::one_line;

use crate::chain::Chain;

/// The maximum number of characters of a host in a line.
const WIDEST: usize = 200;

/// The setting that allows hosts.
const ALLOWED: &str = "`sandbox.network.allowedDomains`";

/// The program that embeds the proxy. Both methods are called from threads of the proxy.
pub trait NetworkHost: Send + Sync {
    /// Returns the addresses of a name. It is called once for each connection, and only these addresses are connected
    /// to.
    ///
    /// # Errors
    /// Errors if the name is not known, or no resolver can be reached.
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = (name, 0).to_socket_addrs()?;
        Ok(found.map(|address| address.ip()).collect())
    }

    /// Receives a connection that was refused, once for each host and port.
    fn refused(&self, connection: &RefusedConnection) {
        let _ = connection;
    }
}

impl NetworkHost for () {}

/// A connection that was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedConnection {
    /// The host and the port as the program named them.
    pub endpoint: String,
    /// The reason for the refusal.
    pub cause: RefusalCause,
    /// The program that requested the connection, if it still existed.
    pub program: Option<ConnectingProgram>,
}

/// A program that requested a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectingProgram {
    /// The arguments of the program, joined by blanks.
    pub command: String,
    /// The programs that led to it, ending with itself.
    pub chain: Chain,
}

/// The reason why a connection was not made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalCause {
    /// The request can't be read, so the host is not known.
    Unreadable,
    /// No entry allows the host.
    NotAllowed,
    /// An entry denies the host.
    Denied {
        /// The entry.
        entry: String,
    },
    /// The address of the host is not public, and no entry names it.
    Address {
        /// The address.
        address: IpAddr,
    },
}

impl RefusedConnection {
    /// Returns the line for stderr and for the program, including the line feed.
    #[must_use]
    pub fn line(&self) -> String {
        format!("becket: {self}\n")
    }
}

impl fmt::Display for RefusedConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` was not connected to: {}", one_line(&self.endpoint, WIDEST), self.cause)?;
        let Some(ConnectingProgram { command, chain }) = &self.program else { return Ok(()) };
        let (command, chain) = (one_line(command, WIDEST), one_line(&chain.to_string(), WIDEST));
        write!(f, "; asked for by `{command}`, run by {chain}")
    }
}

impl fmt::Display for RefusalCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => {
                f.write_str("it is not a host and a port that can be read, so no entry can allow it")
            }
            Self::NotAllowed => write!(f, "no entry of {ALLOWED} is about it"),
            Self::Denied { entry } => {
                write!(f, "denied by `{}` of `sandbox.network.deniedDomains`", one_line(entry, WIDEST))
            }
            Self::Address { address } => {
                let class = match AddressClass::of(*address) {
                    AddressClass::Public => "public",
                    AddressClass::Private => "in a private network",
                    AddressClass::Loopback => "this machine",
                    AddressClass::Refused => "link-local, reserved or a cloud's metadata service",
                };
                write!(f, "its address {address} is {class}, and no entry of {ALLOWED} names that address")
            }
        }
    }
}
