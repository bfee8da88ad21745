//! Connections to hosts: each is judged, resolved once, and judged again by address.

use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use becket_rules::{Endpoint, Host};

use super::domain_gate::DomainGate;
use crate::network_host::{NetworkHost, RefusalCause, RefusedConnection};
use crate::running_programs::RunningPrograms;

/// The maximum wait for one address.
const CONNECT: Duration = Duration::from_secs(10);

/// The maximum number of addresses of a host that are tried.
const MOST_ADDRESSES: usize = 8;

/// The maximum number of refusals that are reported.
const MOST_REPORTS: usize = 1000;

/// The outgoing side of the proxy.
pub(super) struct Outbound {
    gate: DomainGate,
    host: Arc<dyn NetworkHost>,
    running: Arc<RunningPrograms>,
    reported: Mutex<HashSet<(String, RefusalCause)>>,
}

/// The reason why there is no connection.
#[derive(Debug)]
pub(super) enum ConnectError {
    /// The connection is not allowed.
    Refused(RefusedConnection),
    /// The host is not known, or does not answer.
    Failed(String),
}

impl Outbound {
    pub(super) fn new(gate: DomainGate, host: Arc<dyn NetworkHost>, running: Arc<RunningPrograms>) -> Self {
        Self { gate, host, running, reported: Mutex::default() }
    }

    /// Connects to the host and port that a program has named, `None` if they could not be read. `client` is the
    /// connection of the program.
    pub(super) fn connect(
        &self,
        client: &TcpStream,
        written: &str,
        endpoint: Option<Endpoint>,
    ) -> Result<TcpStream, ConnectError> {
        let refused = |cause| self.refused(client, written, cause);
        let endpoint = endpoint.ok_or_else(|| refused(RefusalCause::Unreadable))?;
        self.gate.judge(&endpoint).map_err(refused)?;
        let found = match &endpoint.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.resolve(name)?,
        };
        let (mut good, mut cause) = (Vec::new(), None);
        for address in found {
            match self.gate.judge_address(address, &endpoint) {
                Ok(()) => good.push(address),
                Err(why) => cause = cause.or(Some(why)),
            }
        }
        match cause {
            Some(cause) if good.is_empty() => Err(refused(cause)),
            Some(_) | None => connect_to(&good, &endpoint),
        }
    }

    fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ConnectError> {
        let found = self.host.resolve(name);
        found.map_err(|why| ConnectError::Failed(format!("the name `{name}` can't be resolved: {why}")))
    }

    /// Reports a refusal, once.
    fn refused(&self, client: &TcpStream, written: &str, cause: RefusalCause) -> ConnectError {
        let connection = RefusedConnection { endpoint: written.to_owned(), cause, program: None };
        let key = (connection.endpoint.clone(), connection.cause.clone());
        let is_new = {
            let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
            reported.len() < MOST_REPORTS && reported.insert(key)
        };
        if is_new {
            // The program waits for its answer, so it still exists.
            let port = client.peer_addr().ok().map(|address| address.port());
            let program = port.and_then(|port| self.running.of_connection(port));
            self.host.refused(&RefusedConnection { program, ..connection.clone() });
        }
        ConnectError::Refused(connection)
    }
}

fn connect_to(addresses: &[IpAddr], endpoint: &Endpoint) -> Result<TcpStream, ConnectError> {
    let mut why = io::Error::other("it has no address");
    for address in addresses.iter().take(MOST_ADDRESSES) {
        match TcpStream::connect_timeout(&SocketAddr::new(*address, endpoint.port), CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => why = error,
        }
    }
    Err(ConnectError::Failed(format!("`{endpoint}` can't be reached: {why}")))
}
