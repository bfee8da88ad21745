//! The opening handshake of WebSocket (RFC 6455, section 4): one request, one answer.
//!
//! Implemented here, since the library logs the request, including tokens.
//!
//! The subprotocol `mcp` is requested. A server that names none is accepted, as the RFC requires: the next request
//! shows whether it supports MCP. One that names another is rejected.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, LOCATION, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
    WWW_AUTHENTICATE,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::handshake::client::{Response, generate_key};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::handshake::machine::TryParse;
use url::{Position, Url};

use super::super::handshake::shown;
use super::super::trouble::{Place, deepest, no_answer};
use super::meter::MeteredSocket;
use crate::challenge::Challenge;
use crate::config::shown_url;
use crate::fault::Fault;

/// The maximum length of the head of a response, in bytes.
const HEAD: usize = 64 << 10;
/// The limits on size and time for reading a refusal, which is quoted: its status matters more.
const BEGINNING: usize = 4 << 10;
const MOMENT: Duration = Duration::from_secs(1);
const SUBPROTOCOL: &str = "mcp";

/// The headers of the handshake; the configuration can't set them.
const OWN: [HeaderName; 8] = [
    HOST,
    CONNECTION,
    UPGRADE,
    CONTENT_LENGTH,
    SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION,
    SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_EXTENSIONS,
];

/// Upgrades a socket to a WebSocket, and returns it with the bytes that have already arrived.
pub(super) async fn upgrade(
    socket: &mut MeteredSocket,
    url: &Url,
    headers: &HeaderMap,
    place: &Place,
) -> Result<Vec<u8>, Fault> {
    let key = generate_key();
    // A server that has already refused may not read the request; its refusal can still be read.
    let sent = match socket.write_all(&request(url, headers, &key)).await {
        Ok(()) => socket.flush().await,
        Err(error) => Err(error),
    };
    let (response, rest) = match (head(socket, place).await, sent) {
        (Err(Fault::NotMcp(_)), Err(error)) => return Err(place.broken_off(&error)),
        (answered, _) => answered?,
    };
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(refusal(socket, url, &response, rest).await);
    }
    agreed(response.headers(), &key).map_err(Fault::NotMcp)?;
    Ok(rest)
}

fn request(url: &Url, headers: &HeaderMap, key: &str) -> Vec<u8> {
    let mut text = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: {SUBPROTOCOL}\r\n",
        &url[Position::BeforePath..Position::AfterQuery],
        &url[Position::BeforeHost..Position::AfterPort],
    );
    text.push_str(concat!("User-Agent: becket/", env!("CARGO_PKG_VERSION"), "\r\n"));
    let mut bytes = text.into_bytes();
    for (name, value) in headers.iter().filter(|(name, _)| !OWN.contains(name)) {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes
}

/// Reads the head of the answer, with the bytes that arrive together with its end.
async fn head(socket: &mut MeteredSocket, place: &Place) -> Result<(Response, Vec<u8>), Fault> {
    let mut bytes = Vec::new();
    loop {
        match Response::try_parse(&bytes) {
            Ok(Some((end, response))) => return Ok((response, bytes.split_off(end))),
            Ok(None) if bytes.len() > HEAD => return Err(no_answer("there is no end to its headers")),
            Ok(None) => {}
            Err(error) => return Err(no_answer(&deepest(&error))),
        }
        match socket.read_buf(&mut bytes).await {
            Ok(0) => return Err(no_answer("it closed the connection")),
            Ok(_) => {}
            Err(error) => return Err(place.no_answer(&error)),
        }
    }
}

async fn refusal(socket: &mut MeteredSocket, url: &Url, response: &Response, body: Vec<u8>) -> Fault {
    let (status, headers) = (response.status(), response.headers());
    let text = |name| headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let header = text(WWW_AUTHENTICATE);
    let is_scope = header.as_ref().is_some_and(|header| header.contains("insufficient_scope"));
    if status == StatusCode::UNAUTHORIZED || (status == StatusCode::FORBIDDEN && is_scope) {
        return Fault::AuthNeeded(Challenge { header });
    }
    let number = status.as_u16();
    let location = text(LOCATION).filter(|_| status.is_redirection());
    if let Some(next) = location.and_then(|location| url.join(&location).ok()) {
        let body = format!("it sends us on to `{}`: configure that one", shown(&shown_url(&next)));
        return Fault::Status { status: number, body };
    }
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse().ok()).unwrap_or(BEGINNING);
    let body = beginning(socket, length, body).await;
    if status.is_success() {
        return Fault::NotMcp(format!("it answers with HTTP {number} instead of a WebSocket: {body}"));
    }
    Fault::Status { status: number, body }
}

/// Returns the beginning of an invalid answer, on one line; a part of it has been read already.
async fn beginning(socket: &mut MeteredSocket, length: usize, mut body: Vec<u8>) -> String {
    let enough = length.min(BEGINNING);
    let reading =
        async { while body.len() < enough && socket.read_buf(&mut body).await.is_ok_and(|read| read > 0) {} };
    let _ = timeout(MOMENT, reading).await;
    body.truncate(enough);
    let text = String::from_utf8_lossy(&body);
    shown(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Checks that the answer accepts this handshake.
fn agreed(headers: &HeaderMap, key: &str) -> Result<(), String> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let names = |name: &HeaderName, word: &str| {
        text(name).is_some_and(|list| list.split(',').any(|item| item.trim().eq_ignore_ascii_case(word)))
    };
    if !names(&UPGRADE, "websocket") || !names(&CONNECTION, "upgrade") {
        return Err("it switches to something other than WebSocket".into());
    }
    if text(&SEC_WEBSOCKET_ACCEPT) != Some(derive_accept_key(key.as_bytes()).as_str()) {
        return Err("its answer belongs to another WebSocket handshake".into());
    }
    if headers.contains_key(SEC_WEBSOCKET_EXTENSIONS) {
        return Err("it wants a WebSocket extension that was not offered".into());
    }
    match headers.get(SEC_WEBSOCKET_PROTOCOL).map(|value| String::from_utf8_lossy(value.as_bytes())) {
        Some(other) if other != SUBPROTOCOL => {
            Err(format!("it speaks the subprotocol `{}` instead of `{SUBPROTOCOL}`", shown(&other)))
        }
        Some(_) | None => Ok(()),
    }
}
