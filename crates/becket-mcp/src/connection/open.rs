//! Shakes hands with a server, under one deadline.
//!
//! INVARIANT: a server that is not connected in the end has been ended before this returns or is dropped.

use std::time::Duration;

use becket_process::{CancellationToken, Runner};
use tokio::time::{Instant, timeout_at};

use super::client::Client;
use super::handshake::{self, Service, Trouble};
use super::link::Link;
use super::live::Connection;
use super::stdio::StdioLink;
use crate::config::{ServerConfig, Transport};
use crate::connect_error::ConnectError;
use crate::fault::Fault;
use crate::options::Options;
use crate::tool::Tool;

/// Connects one server (`protocol.md` X2, X7).
pub(crate) async fn open(
    runner: &Runner,
    config: &ServerConfig,
    options: &Options,
    cancel: &CancellationToken,
) -> Result<Connection, ConnectError> {
    if cancel.is_cancelled() {
        return Err(ConnectError::Cancelled);
    }
    match &config.transport {
        Transport::Stdio(stdio) => {
            let link = StdioLink::start(runner, stdio, options);
            over(link, config.timeout, options, cancel).await
        }
        Transport::Http(_)
        | Transport::Sse(_)
        | Transport::WebSocket(_)
        | Transport::SseIde(_)
        | Transport::WsIde(_)
        | Transport::Proxy(_)
        | Transport::InProcess => Err(ConnectError::NotStdio { kind: config.transport.kind() }),
    }
}

/// Connects the server at the other end of a link.
async fn over<L: Link>(
    link: L,
    call_limit: Option<Duration>,
    options: &Options,
    cancel: &CancellationToken,
) -> Result<Connection, ConnectError> {
    let opening = Opening { link, client: Client::default() };
    let greeted = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ConnectError::Cancelled),
        greeted = opening.greet(options) => greeted,
    };
    match greeted {
        Ok((service, listed_at, tools)) => {
            let Opening { link, client } = opening;
            let connection = Connection::new(link, service, client, call_limit);
            connection.list(listed_at, tools);
            Ok(connection)
        }
        Err(error) => {
            opening.link.end(Duration::ZERO).await;
            Err(error)
        }
    }
}

/// A server that can't be called yet.
struct Opening<L> {
    link: L,
    client: Client,
}

impl<L: Link> Opening<L> {
    async fn greet(&self, options: &Options) -> Result<(Service, u64, Vec<Tool>), ConnectError> {
        let limit = options.connect_timeout;
        let said = || self.link.state().said();
        // Past the end of time there is no deadline; a year is as good.
        let deadline = Instant::now() + limit.min(Duration::from_secs(365 * 24 * 3600));
        let asked = "initialize";
        let service = match timeout_at(deadline, handshake::initialize(&self.link, &self.client)).await {
            Ok(Ok(service)) => service,
            Ok(Err(trouble)) => return Err(self.error(asked, trouble).await),
            Err(_) => return Err(ConnectError::TimedOut { asked, limit, said: said() }),
        };
        let asked = "tools/list";
        let listed_at = self.client.changes();
        match timeout_at(deadline, handshake::tools(service.peer())).await {
            Ok(Ok(tools)) => Ok((service, listed_at, tools)),
            Ok(Err(trouble)) => Err(self.error(asked, trouble).await),
            Err(_) => Err(ConnectError::TimedOut { asked, limit, said: said() }),
        }
    }

    async fn error(&self, asked: &'static str, trouble: Trouble) -> ConnectError {
        let state = self.link.state();
        let fault = match trouble {
            Trouble::Gone => state.settled_fault().await,
            Trouble::Failed(fault) => fault,
            Trouble::Refused { code, message } => {
                return ConnectError::Refused { asked, code, message, said: state.said() };
            }
            Trouble::Unexpected(what) => {
                return ConnectError::Unexpected { asked, what, said: state.said() };
            }
        };
        if let Fault::Spawn(error) = fault {
            return ConnectError::Spawn(error);
        }
        ConnectError::Broken { asked, fault, said: state.said() }
    }
}
