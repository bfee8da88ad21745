//! The reachability of a remote server.

use super::steps::Steps;
use becket_mcp::config::{ConfiguredServer, Transport};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

/// The time limit for a name lookup, and for opening a connection to one address.
const REACH: Duration = Duration::from_secs(10);

/// Resolves a server's host and connects to it; returns true for other transports.
pub(super) async fn reached(server: &ConfiguredServer, steps: &mut Steps) -> bool {
    let Ok(config) = &server.config else { return false };
    let url = match &config.transport {
        Transport::Stdio(_) | Transport::InProcess => return true,
        Transport::Http(remote) | Transport::Sse(remote) | Transport::WebSocket(remote) => &remote.url,
        Transport::SseIde(ide) | Transport::WsIde(ide) => &ide.url,
        // The handshake fails because this host has no credentials for the proxy.
        Transport::Proxy(proxy) if proxy.needs_host => return true,
        Transport::Proxy(proxy) => &proxy.url,
    };
    let default = if matches!(url.scheme(), "https" | "wss") { 443 } else { 80 };
    let (host, port) = (url.host_str().unwrap_or_default(), url.port().unwrap_or(default));
    match looked_up(host, port, steps).await {
        Some(addresses) => listens(&addresses, steps).await,
        None => false,
    }
}

async fn looked_up(host: &str, port: u16, steps: &mut Steps) -> Option<Vec<SocketAddr>> {
    let begun = Some(Instant::now());
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let why = match timeout(REACH, lookup_host((bare, port))).await {
        Ok(Ok(addresses)) => {
            let addresses: Vec<SocketAddr> = addresses.collect();
            let found: Vec<String> = addresses.iter().map(|address| address.ip().to_string()).collect();
            steps.good("name", begun, format_args!("`{host}` is {}", found.join(", ")));
            return Some(addresses);
        }
        Ok(Err(error)) => format!("can't be looked up: {error}: check the host in `url`"),
        Err(_) => format!("was not looked up within {} s: check the resolver", REACH.as_secs()),
    };
    steps.bad("name", begun, format_args!("`{host}` {why}"));
    None
}

async fn listens(addresses: &[SocketAddr], steps: &mut Steps) -> bool {
    let begun = Some(Instant::now());
    let mut last = "it has no address".to_owned();
    for address in addresses {
        match timeout(REACH, TcpStream::connect(address)).await {
            Ok(Ok(_)) => {
                steps.good("connection", begun, format_args!("{address} listens"));
                return true;
            }
            Ok(Err(error)) => last = format!("{address}: {error}"),
            Err(_) => last = format!("{address} does not answer within {} s", REACH.as_secs()),
        }
    }
    steps.bad("connection", begun, format_args!("{last}: is the server running, and is the port right?"));
    false
}
