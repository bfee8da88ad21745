//! Tests of the older kind of server over real sockets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod opening;
mod secret;
mod server;
mod session;

use std::sync::Arc;

use url::Url;

use self::server::{Script, Server};
use super::SseLink;
use crate::auth::{HeaderSource, StaticHeaders};
use crate::connection::target::{Reach, Target};
use crate::connection::trial::{Security, Trial};

const CAP: usize = 1 << 20;

/// The target of a server, without headers.
fn target(address: &str, path: &str, security: &Security) -> Target {
    let scheme = if security.is_encrypted() { "https" } else { "http" };
    Target {
        url: Url::parse(&format!("{scheme}://{address}{path}")).unwrap(),
        headers: no_headers(),
        tls: security.client(None),
        reach: Reach::Anywhere,
        cap: CAP,
    }
}

fn no_headers() -> Arc<dyn HeaderSource> {
    Arc::new(StaticHeaders::new(&[]).unwrap())
}

async fn start(script: Script) -> Server {
    Server::start(script, &Security::None).await
}

fn link(server: &Server) -> SseLink {
    SseLink::new(target(&server.address, "/sse", &Security::None))
}

async fn connected(script: Script) -> (Server, Trial<SseLink>) {
    let server = start(script).await;
    let trial = Trial::connect(link(&server)).await.unwrap();
    (server, trial)
}

/// Returns the error of connecting to a server.
async fn refusal(script: Script) -> String {
    let server = start(script).await;
    let refusal = Trial::connect(link(&server)).await.err().unwrap();
    refusal.replace(&server.address, "HERE")
}
