//! Shakes hands with a server, under one deadline.
//!
//! INVARIANT: a server that is not connected in the end has been ended before this returns or is dropped.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use becket_process::{CancellationToken, Runner};
use tokio::time::{Instant, timeout_at};

use super::client::Client;
use super::handshake::{self, Service};
use super::lent::Lent;
use super::link::Link;
use super::live::Connection;
use super::no_answer::Trouble;
use super::pages;
use super::stdio::StdioLink;
use crate::config::{ServerConfig, Transport};
use crate::connect_error::ConnectError;
use crate::fault::Fault;
use crate::options::Options;
use crate::tool::Tool;

/// What connecting takes.
pub(crate) struct Means<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) options: &'a Options,
    pub(crate) lent: &'a Lent,
    pub(crate) server: &'a Arc<str>,
}

/// Connects one server (`protocol.md` X2, X7).
pub(crate) async fn open(
    means: &Means<'_>,
    config: &ServerConfig,
    stop: &CancellationToken,
) -> Result<Connection, ConnectError> {
    if stop.is_cancelled() {
        return Err(ConnectError::Cancelled);
    }
    match &config.transport {
        Transport::Stdio(stdio) => {
            over(StdioLink::start(means.runner, stdio, means.options), means, stop).await
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
    means: &Means<'_>,
    stop: &CancellationToken,
) -> Result<Connection, ConnectError> {
    let over = link.state().broken().clone();
    let client = Client::new(Arc::clone(means.server), means.lent.clone(), over);
    let opening = Opening { link, client };
    let greeted = tokio::select! {
        biased;
        () = stop.cancelled() => Err(ConnectError::Cancelled),
        greeted = opening.greet(means.options) => greeted,
    };
    match greeted {
        Ok((service, listed_at, tools)) => {
            let Opening { link, client } = opening;
            let connection = Connection::new(link, service, client);
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
        let listed_at = self.client.changes().tools.load(Ordering::Acquire);
        match timeout_at(deadline, pages::tools(service.peer())).await {
            Ok(Ok(tools)) => Ok((service, listed_at, tools)),
            Ok(Err(trouble)) => Err(self.error(asked, trouble).await),
            Err(_) => Err(ConnectError::TimedOut { asked, limit, said: said() }),
        }
    }

    async fn error(&self, asked: &'static str, trouble: Trouble) -> ConnectError {
        let state = self.link.state();
        let fault = match trouble {
            Trouble::Gone | Trouble::NotSent => state.settled_fault().await,
            Trouble::Failed(fault) => fault,
            Trouble::Refused { code, message, .. } => {
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
