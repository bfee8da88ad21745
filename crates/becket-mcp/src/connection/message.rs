//! Parsing of messages.
//!
//! An answer that can't be parsed still names its request, which must not have to wait for its deadline. A line that
//! is not JSON-RPC is not a message; servers print banners.

use rmcp::RoleClient;
use rmcp::model::RequestId;
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::shortcut;

/// A parsed line.
#[derive(Debug)]
pub(in crate::connection) enum Line {
    Message(Box<RxJsonRpcMessage<RoleClient>>),
    /// The answer to this request can't be parsed, with the reason.
    Unreadable(RequestId, String),
    /// JSON-RPC without an effect: an unknown notification, a malformed request.
    Ignored,
    /// Anything else.
    NoMessage,
}

/// The members that distinguish JSON-RPC from other JSON, unparsed: their content may be the unreadable part.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

pub(in crate::connection) fn read(line: &[u8]) -> Line {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if let Some(answer) = shortcut::read(line) {
        return Line::Message(Box::new(answer));
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Line::Message(Box::new(message)),
        Err(error) => error,
    };
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else { return Line::NoMessage };
    if envelope.jsonrpc.is_none() {
        return Line::NoMessage;
    }
    let is_answer = envelope.method.is_none() && (envelope.result.is_some() || envelope.error.is_some());
    match envelope.id.and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok()) {
        Some(id) if is_answer => Line::Unreadable(id, format!("it can't be read: {error}")),
        Some(_) | None => Line::Ignored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::JsonRpcMessage;

    fn kind(line: &str) -> String {
        match read(line.as_bytes()) {
            Line::Message(message) => match *message {
                JsonRpcMessage::Request(_) => "request".into(),
                JsonRpcMessage::Response(response) => format!("response to {}", response.id),
                JsonRpcMessage::Notification(_) => "notification".into(),
                JsonRpcMessage::Error(_) => "error".into(),
            },
            Line::Unreadable(id, _) => format!("unreadable {id}"),
            Line::Ignored => "ignored".into(),
            Line::NoMessage => "no message".into(),
        }
    }

    #[test]
    fn lines_are_told_apart() {
        let deep = format!(r#"{{"jsonrpc":"2.0","id":4,"result":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, "response to 1"),
            ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}", "response to a"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#, "error"),
            (r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no"}}"#, "error"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request"),
            (r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, "notification"),
            (r#"{"jsonrpc":"2.0","id":3,"error":"no"}"#, "unreadable 3"),
            (deep.as_str(), "unreadable 4"),
            (r#"{"jsonrpc":"2.0","id":[],"result":{}}"#, "ignored"),
            (r#"{"jsonrpc":"2.0","method":7}"#, "ignored"),
            ("Server listening on stdio", "no message"),
            (r#"{"level":"info","msg":"ready"}"#, "no message"),
            ("[1]", "no message"),
            ("7", "no message"),
            ("\u{1}", "no message"),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }
}
