//! SOCKS5 (RFC 1928): connections without a password.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use becket_rules::{Endpoint, Host};

use super::connection::Connection;
use super::outbound::ConnectError;

const VERSION: u8 = 5;
const NO_PASSWORD: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;

/// The answers to a request.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
enum Answer {
    Connected = 0,
    NotAllowed = 2,
    Unreachable = 4,
    UnknownCommand = 7,
    UnknownAddress = 8,
}

/// Serves one request.
pub(super) fn serve(connection: &Connection<'_>) -> io::Result<()> {
    let mut client = connection.client;
    let [_, count] = bytes(client)?;
    let mut methods = vec![0; count.into()];
    client.read_exact(&mut methods)?;
    if !methods.contains(&NO_PASSWORD) {
        return client.write_all(&[VERSION, NO_METHOD]);
    }
    client.write_all(&[VERSION, NO_PASSWORD])?;
    let [_, command, _, kind] = bytes(client)?;
    let host = match kind {
        1 => Some(IpAddr::from(Ipv4Addr::from(bytes::<4>(client)?)).to_string()),
        3 => {
            let [length] = bytes(client)?;
            let mut name = vec![0; length.into()];
            client.read_exact(&mut name)?;
            Some(String::from_utf8_lossy(&name).into_owned())
        }
        4 => Some(IpAddr::from(Ipv6Addr::from(bytes::<16>(client)?)).to_string()),
        _ => None,
    };
    let Some(host) = host else { return answer(connection, Answer::UnknownAddress) };
    let port = u16::from_be_bytes(bytes(client)?);
    if command != CONNECT {
        return answer(connection, Answer::UnknownCommand);
    }
    let endpoint = Host::parse(&host).filter(|_| port != 0).map(|host| Endpoint { host, port });
    let written = endpoint.as_ref().map_or_else(|| format!("{host}:{port}"), Endpoint::to_string);
    match connection.outbound.connect(connection.client, &written, endpoint) {
        Ok(server) => {
            answer(connection, Answer::Connected)?;
            connection.relay(&server, &[])
        }
        Err(ConnectError::Refused(_)) => answer(connection, Answer::NotAllowed),
        Err(ConnectError::Failed(_)) => answer(connection, Answer::Unreachable),
    }
}

fn bytes<const N: usize>(mut client: impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn answer(connection: &Connection<'_>, answer: Answer) -> io::Result<()> {
    let mut client = connection.client;
    client.write_all(&[VERSION, answer as u8, 0, 1, 0, 0, 0, 0, 0, 0])
}
