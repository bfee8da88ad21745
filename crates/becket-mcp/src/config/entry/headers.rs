//! Request headers in an entry.
//!
//! Rejects everything that could end a header and begin another one, and leaves out those that belong to the
//! transport.

use std::collections::HashSet;

use crate::config::error::ServerConfigError;
use crate::config::members::At;
use crate::config::warning::ServerWarning;
use becket_base::secret::Secret;

/// Headers that the transport sets. With a duplicate, the server would choose which one counts.
const OF_THE_TRANSPORT: [&str; 12] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// The prefix of headers of a WebSocket's handshake.
const OF_A_WEBSOCKET: &str = "sec-websocket-";

/// Returns the headers to send, from names and values with their variables expanded.
pub(super) fn check(
    written: Vec<(String, At<String>)>,
    warnings: &mut Vec<ServerWarning>,
) -> Result<Vec<(String, Secret)>, ServerConfigError> {
    let mut seen = HashSet::with_capacity(written.len());
    let mut headers = Vec::with_capacity(written.len());
    for (name, At { value, place }) in written {
        let lower = name.to_ascii_lowercase();
        if let Some(why) = unfit(&name, &value) {
            return Err(ServerConfigError::Header { place, name, why });
        }
        if OF_THE_TRANSPORT.contains(&lower.as_str()) || lower.starts_with(OF_A_WEBSOCKET) {
            warnings.push(ServerWarning::HeaderUnused { place, name });
        } else if seen.insert(lower) {
            headers.push((name, value.into()));
        } else {
            let why = "comes twice, as case makes no difference: remove one";
            return Err(ServerConfigError::Header { place, name, why });
        }
    }
    Ok(headers)
}

fn unfit(name: &str, value: &str) -> Option<&'static str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Some("has a name that no header can have: use letters, digits and `-`");
    }
    if value.chars().any(|c| matches!(c, '\r' | '\n' | '\0')) {
        return Some("has a value with a line break or a NUL in it: remove it");
    }
    if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return Some("has a value with a control character in it: remove it");
    }
    None
}
