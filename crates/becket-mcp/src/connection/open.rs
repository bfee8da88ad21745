//! The handshake with a server, under one deadline.
//!
//! INVARIANT: a server that is not connected in the end has been ended before this returns or is dropped.

use std::sync::Arc;
use std::time::Duration;

use becket_process::{CancellationToken, Runner};
use tokio::time::{Instant, timeout_at};

use super::client::Client;
use super::handshake::{self, Service};
use super::hidden::Hidden;
use super::http::HttpLink;
use super::in_process::InProcessLink;
use super::lent::Lent;
use super::link::Link;
use super::live::Connection;
use super::no_answer::Trouble;
use super::pages;
use super::sse::SseLink;
use super::stdio::StdioLink;
use super::ways::Ways;
use super::websocket::WebSocketLink;
use crate::catalog::Catalog;
use crate::config::{ServerConfig, Transport, shown_url};
use crate::connect_error::ConnectError;
use crate::options::Options;
use crate::tool::ToolList;

/// The parameters for connecting.
pub(crate) struct Means<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) options: &'a Options,
    pub(crate) lent: &'a Lent,
    pub(crate) server: &'a Arc<str>,
    pub(crate) ways: &'a Ways,
    pub(crate) catalog: &'a Arc<Catalog>,
}

/// Connects one server (`protocol.md` X2, X7), and lists its tools.
pub(crate) async fn open(
    means: &Means<'_>,
    config: &ServerConfig,
    stop: &CancellationToken,
) -> Result<(Connection, ToolList), ConnectError> {
    if stop.is_cancelled() {
        return Err(ConnectError::Cancelled);
    }
    let Means { runner, options, server, ways, .. } = means;
    let network = ways.network();
    match &config.transport {
        Transport::Stdio(stdio) => {
            let hidden = Hidden::of_variables(&stdio.env);
            over(StdioLink::start(runner, stdio, options), means, hidden, stop).await
        }
        Transport::Http(remote) => {
            let (target, hidden) = ways.remote(server, remote, runner, options).await?.watched();
            over(HttpLink::new(&target, network)?, means, hidden, stop).await
        }
        Transport::Proxy(proxy) if proxy.needs_host && !ways.lends_credentials() => {
            Err(ConnectError::NoProxy { proxy: shown_url(&proxy.url) })
        }
        Transport::Proxy(proxy) => {
            let (target, hidden) = ways.proxied(proxy, options).await?.watched();
            over(HttpLink::new(&target, network)?, means, hidden, stop).await
        }
        Transport::Sse(remote) => {
            let (target, hidden) = ways.remote(server, remote, runner, options).await?.watched();
            over(SseLink::new(target).through(network.proxy()), means, hidden, stop).await
        }
        Transport::WebSocket(remote) => {
            let (target, hidden) = ways.remote(server, remote, runner, options).await?.watched();
            over(WebSocketLink::new(target), means, hidden, stop).await
        }
        Transport::SseIde(ide) => {
            let (target, hidden) = ways.ide(ide, options).await?.watched();
            over(SseLink::new(target), means, hidden, stop).await
        }
        Transport::WsIde(ide) => {
            let (target, hidden) = ways.ide(ide, options).await?.watched();
            over(WebSocketLink::new(target), means, hidden, stop).await
        }
        Transport::InProcess => {
            let lent = ways.in_process(server).ok_or(ConnectError::NotLent)?;
            let link = InProcessLink::new(Arc::clone(lent), options.line_cap.get());
            over(link, means, Hidden::default(), stop).await
        }
    }
}

/// Connects the server at the other end of a link.
async fn over<L: Link>(
    link: L,
    means: &Means<'_>,
    hidden: Hidden,
    stop: &CancellationToken,
) -> Result<(Connection, ToolList), ConnectError> {
    let over = link.state().broken().clone();
    let catalog = Arc::clone(means.catalog);
    let client = Client::new(Arc::clone(means.server), means.lent.clone(), catalog, over);
    let opening = Opening { link, client };
    let greeted = tokio::select! {
        biased;
        () = stop.cancelled() => Err(ConnectError::Cancelled),
        greeted = opening.greet(means.options) => greeted,
    };
    match greeted {
        Ok((service, tools)) => {
            let Opening { link, client } = opening;
            Ok((Connection::new(link, service, client, hidden), tools))
        }
        Err(error) => {
            opening.link.end(Duration::ZERO).await;
            Err(hidden.connect_error(error))
        }
    }
}

/// A server before its handshake.
struct Opening<L> {
    link: L,
    client: Client,
}

impl<L: Link> Opening<L> {
    async fn greet(&self, options: &Options) -> Result<(Service, ToolList), ConnectError> {
        let limit = options.connect_timeout;
        let said = || self.link.state().said();
        // A deadline beyond the range of `Instant` is capped at a year.
        let deadline = Instant::now() + limit.min(Duration::from_secs(365 * 24 * 3600));
        let asked = "initialize";
        let service = match timeout_at(deadline, handshake::initialize(&self.link, &self.client)).await {
            Ok(Ok(service)) => service,
            Ok(Err(trouble)) => return Err(self.error(asked, trouble).await),
            Err(_) => return Err(ConnectError::TimedOut { asked, limit, said: said() }),
        };
        let asked = "tools/list";
        match timeout_at(deadline, pages::tools(service.peer())).await {
            Ok(Ok(tools)) => Ok((service, tools)),
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
        ConnectError::broken(asked, fault, state.said())
    }
}
