//! Connecting to a URL: name resolution, TCP, TLS. No proxy is used.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;

use super::super::target::Target;
use super::meter::MeteredSocket;
use crate::fault::Fault;

/// Connects a socket.
pub(super) async fn dial(target: &Target) -> Result<MeteredSocket, Fault> {
    target.check()?;
    let (place, port) = (target.place(), target.port());
    let tcp = match (target.addresses(), target.url.host()) {
        (Some(addresses), _) => TcpStream::connect(addresses.as_slice()).await,
        (None, Some(Host::Domain(name))) => TcpStream::connect((name, port)).await,
        (None, Some(Host::Ipv4(address))) => TcpStream::connect((address, port)).await,
        (None, Some(Host::Ipv6(address))) => TcpStream::connect((address, port)).await,
        (None, None) => return Err(Fault::Unreachable("its URL names no host".into())),
    };
    let tcp = tcp.map_err(|error| place.unreachable(&error))?;
    tcp.set_nodelay(true).map_err(|error| place.unreachable(&error))?;
    if !place.encrypted {
        return Ok(MeteredSocket::new(tcp));
    }
    let tls = TlsConnector::from(Arc::clone(&target.tls)).connect(server_name(target)?, tcp).await;
    Ok(MeteredSocket::new(tls.map_err(|error| place.unreachable(&error))?))
}

fn server_name(target: &Target) -> Result<ServerName<'static>, Fault> {
    let name = match target.url.host() {
        Some(Host::Domain(name)) => ServerName::try_from(name.to_owned()).ok(),
        Some(Host::Ipv4(address)) => Some(ServerName::from(std::net::IpAddr::from(address))),
        Some(Host::Ipv6(address)) => Some(ServerName::from(std::net::IpAddr::from(address))),
        None => None,
    };
    name.ok_or_else(|| {
        Fault::Unreachable("the host in its URL is not a name that a certificate can have".into())
    })
}
