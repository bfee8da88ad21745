//! Tests of WebSocket over real sockets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod opening;
mod pulse;
mod server;
mod session;

use std::sync::Arc;

use url::Url;

use self::server::{Hello, Manner, SWITCH, Server};
use super::WebSocketLink;
use crate::auth::StaticHeaders;
use crate::connection::target::{Reach, Target};
use crate::connection::trial::{Security, Trial};
use becket_base::secret::Secret;

const CAP: usize = 1 << 20;

fn target(address: &str, security: &Security) -> Target {
    let scheme = if security.is_encrypted() { "wss" } else { "ws" };
    let headers = [("X-Who", "hunter2"), ("Host", "evil.example"), ("Sec-WebSocket-Version", "7")];
    let headers = headers.map(|(name, value)| (name.to_owned(), Secret::new(value)));
    Target {
        url: Url::parse(&format!("{scheme}://{address}/mcp?a=b")).unwrap(),
        headers: Arc::new(StaticHeaders::new(&headers).unwrap()),
        tls: security.client(None),
        reach: Reach::Anywhere,
        cap: CAP,
    }
}

fn link(server: &Server) -> WebSocketLink {
    WebSocketLink::new(target(&server.address, &Security::None))
}

async fn start(manner: Manner) -> Server {
    Server::start(Hello::Switch(SWITCH), manner, &Security::None).await
}

async fn connected(manner: Manner) -> (Server, Trial<WebSocketLink>) {
    let server = start(manner).await;
    let trial = Trial::connect(link(&server)).await.unwrap();
    (server, trial)
}
