//! The handshake with a server, under one deadline.
//!
//! INVARIANT: if connecting fails, the server has been ended before this returns or is dropped.

use std::sync::Arc;
use std::time::Duration;

use becket_process::{CancellationToken, Runner};
use tokio::time::{Instant, timeout_at};

use super::ask::Requester;
use super::client::Client;
use super::connector::Connector;
use super::handshake::{self, Service};
use super::host_handle::HostHandle;
use super::http::HttpLink;
use super::in_process::InProcessLink;
use super::link::Link;
use super::live::Connection;
use super::no_answer::Trouble;
use super::pages;
use super::redactor::ConnectionRedactor;
use super::sse::SseLink;
use super::stdio::StdioLink;
use super::websocket::WebSocketLink;
use crate::catalog::Catalog;
use crate::config::{ServerConfig, Transport, shown_url};
use crate::connect_error::ConnectError;
use crate::options::Options;
use crate::tool::ToolList;

/// The parameters for connecting.
pub(crate) struct ConnectParams<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) options: &'a Options,
    pub(crate) host: &'a HostHandle,
    pub(crate) server: &'a Arc<str>,
    pub(crate) connector: &'a Connector,
    pub(crate) catalog: &'a Arc<Catalog>,
}

/// Connects one server (`protocol.md` X2, X7), and lists its tools.
pub(crate) async fn open(
    params: &ConnectParams<'_>,
    config: &ServerConfig,
    stop: &CancellationToken,
) -> Result<(Connection, ToolList), ConnectError> {
    if stop.is_cancelled() {
        return Err(ConnectError::Cancelled);
    }
    let ConnectParams { runner, options, server, connector, .. } = params;
    let network = connector.network();
    match &config.transport {
        Transport::Stdio(stdio) => {
            let redactor = ConnectionRedactor::of_variables(&stdio.env);
            over(StdioLink::start(runner, stdio, options), params, redactor, stop).await
        }
        Transport::Http(remote) => {
            let (target, redactor) = connector.remote(server, remote, runner, options).await?.watched();
            over(HttpLink::new(&target, network)?, params, redactor, stop).await
        }
        Transport::Proxy(proxy) if proxy.needs_host && !connector.lends_credentials() => {
            Err(ConnectError::NoProxy { proxy: shown_url(&proxy.url) })
        }
        Transport::Proxy(proxy) => {
            let (target, redactor) = connector.proxied(proxy, options).await?.watched();
            over(HttpLink::new(&target, network)?, params, redactor, stop).await
        }
        Transport::Sse(remote) => {
            let (target, redactor) = connector.remote(server, remote, runner, options).await?.watched();
            over(SseLink::new(target).through(network.proxy()), params, redactor, stop).await
        }
        Transport::WebSocket(remote) => {
            let (target, redactor) = connector.remote(server, remote, runner, options).await?.watched();
            over(WebSocketLink::new(target), params, redactor, stop).await
        }
        Transport::SseIde(ide) => {
            let (target, redactor) = connector.ide(ide, options).await?.watched();
            over(SseLink::new(target), params, redactor, stop).await
        }
        Transport::WsIde(ide) => {
            let (target, redactor) = connector.ide(ide, options).await?.watched();
            over(WebSocketLink::new(target), params, redactor, stop).await
        }
        Transport::InProcess => {
            let server = connector.in_process(server).ok_or(ConnectError::NotProvided)?;
            let link = InProcessLink::new(Arc::clone(server), options.line_cap.get());
            over(link, params, ConnectionRedactor::default(), stop).await
        }
    }
}

/// Connects the server at the other end of a link.
async fn over<L: Link>(
    link: L,
    params: &ConnectParams<'_>,
    redactor: ConnectionRedactor,
    stop: &CancellationToken,
) -> Result<(Connection, ToolList), ConnectError> {
    let over = link.state().broken().clone();
    let catalog = Arc::clone(params.catalog);
    let client = Client::new(Arc::clone(params.server), params.host.clone(), catalog, over);
    let opening = PendingConnection { link, client };
    let greeted = tokio::select! {
        biased;
        () = stop.cancelled() => Err(ConnectError::Cancelled),
        greeted = opening.greet(params.options) => greeted,
    };
    match greeted {
        Ok((service, tools)) => {
            let PendingConnection { link, client } = opening;
            Ok((Connection::new(link, service, client, redactor), tools))
        }
        Err(error) => {
            opening.link.end(Duration::ZERO).await;
            Err(redactor.connect_error(error))
        }
    }
}

/// A server before its handshake.
struct PendingConnection<L> {
    link: L,
    client: Client,
}

impl<L: Link> PendingConnection<L> {
    async fn greet(&self, options: &Options) -> Result<(Service, ToolList), ConnectError> {
        let limit = options.connect_timeout;
        let output = || self.link.state().output();
        // A deadline beyond the range of `Instant` is capped at a year.
        let deadline = Instant::now() + limit.min(Duration::from_secs(365 * 24 * 3600));
        let request = "initialize";
        let service = match timeout_at(deadline, handshake::initialize(&self.link, &self.client)).await {
            Ok(Ok(service)) => service,
            Ok(Err(trouble)) => return Err(self.error(request, trouble).await),
            Err(_) => return Err(ConnectError::TimedOut { request, limit, output: output() }),
        };
        let request = "tools/list";
        match timeout_at(deadline, pages::tools(&Requester::new(service.peer(), self.link.state()))).await {
            Ok(Ok(tools)) => Ok((service, tools)),
            Ok(Err(trouble)) => Err(self.error(request, trouble).await),
            Err(_) => Err(ConnectError::TimedOut { request, limit, output: output() }),
        }
    }

    async fn error(&self, request: &'static str, trouble: Trouble) -> ConnectError {
        let state = self.link.state();
        let fault = match trouble {
            Trouble::Gone | Trouble::NotSent => state.settled_fault().await,
            Trouble::Failed(fault) => fault,
            Trouble::Refused { code, message, .. } => {
                return ConnectError::Refused { request, code, message, output: state.output() };
            }
            Trouble::Unexpected(what) => {
                return ConnectError::Unexpected { request, what, output: state.output() };
            }
        };
        ConnectError::broken(request, fault, state.output())
    }
}
