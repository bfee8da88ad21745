//! Interpretation of a complete answer, for the request that it answers. Pure.
//!
//! A POST has one answer, so an error without an id, or with another id, is the error of its request.

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::Deserialize;
use serde_json::Value;

use super::super::in_flight::is_same;
use super::super::lost_answers::LostAnswers;
use super::super::message::{self, Line};
use crate::fault::Fault;

/// The limit on the quoted part of an invalid answer, in characters.
const SHOWN: usize = 200;
/// The code with which the transport itself refuses a request: it was not processed.
const REFUSED: i32 = -32000;
/// The code for a session that is unknown to the server.
const EXPIRED: &str = "-32001";

pub(super) type Message = RxJsonRpcMessage<RoleClient>;

/// The properties of a request that the meaning of its answer depends on.
#[derive(Debug, Clone)]
pub(super) struct RequestContext {
    /// The id of the request that waits for an answer.
    pub(super) id: Option<RequestId>,
    pub(super) kind: Kind,
    /// True if it was sent within a session.
    pub(super) has_session: bool,
}

/// The role of a message in the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `initialize`.
    Initialize,
    /// `server/discover`.
    Discover,
    /// The notification that the handshake is done.
    Initialized,
    /// Anything else.
    Other,
}

impl RequestContext {
    pub(super) fn of(message: &TxJsonRpcMessage<RoleClient>, has_session: bool) -> Self {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the enums are another crate's")]
        let kind = match message {
            JsonRpcMessage::Request(request) => match request.request {
                ClientRequest::InitializeRequest(_) => Kind::Initialize,
                ClientRequest::DiscoverRequest(_) => Kind::Discover,
                _ => Kind::Other,
            },
            JsonRpcMessage::Notification(sent) => match sent.notification {
                ClientNotification::InitializedNotification(_) => Kind::Initialized,
                _ => Kind::Other,
            },
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Kind::Other,
        };
        let id = match message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            JsonRpcMessage::Notification(_) | JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        };
        Self { id, kind, has_session }
    }
}

/// Interprets a status other than success, with its body.
///
/// # Errors
/// Errors if it is not a server's answer to this request, but a transport failure.
pub(super) fn of_refusal(status: u16, body: &[u8], asked: &RequestContext) -> Result<Message, Fault> {
    let text = String::from_utf8_lossy(body);
    if status == 404 && (asked.has_session || names(&text, EXPIRED)) {
        return Err(Fault::SessionExpired);
    }
    let is_about_who_asks = matches!(status, 401 | 403);
    match (rpc_error(body), &asked.id) {
        (Some(refused), _) if status == 400 && refused.is_lost_session() && asked.has_session => {
            Err(Fault::SessionExpired)
        }
        (Some(refused), Some(id)) if !is_about_who_asks => {
            Ok(JsonRpcMessage::error(refused.error, Some(id.clone())))
        }
        // A server of the older kind, or a proxy in front of it: it may still support `initialize`.
        (None, Some(id))
            if asked.kind == Kind::Discover && (400..500).contains(&status) && !is_about_who_asks =>
        {
            let error = ErrorData::invalid_request(format!("HTTP {status}: {}", beginning(&text)), None);
            Ok(JsonRpcMessage::error(error, Some(id.clone())))
        }
        _ => Err(Fault::Status { status, body: beginning(&text) }),
    }
}

/// Interprets a complete body with a success status, for the request with this id.
///
/// # Errors
/// Errors if it is not an answer.
pub(super) fn of_body(
    body: &[u8],
    content_type: Option<&str>,
    id: &RequestId,
    lost: &LostAnswers,
) -> Result<Message, Fault> {
    let text = || beginning(&String::from_utf8_lossy(body));
    match message::read(body) {
        Line::Message(message) => answer_to(id, *message),
        Line::Unreadable(_, why) => Ok(lost.unreadable(id.clone(), why)),
        Line::Ignored => Err(Fault::NotMcp(format!("its answer names no request: {}", text()))),
        Line::NoMessage if body.trim_ascii().is_empty() => Err(Fault::NotMcp("its answer is empty".into())),
        Line::NoMessage => {
            let content_type = content_type.unwrap_or("something without a type");
            Err(Fault::NotMcp(format!("it sends `{}`: {}", beginning(content_type), text())))
        }
    }
}

/// Converts the answer to a request, setting its id.
pub(super) fn answer_to(id: &RequestId, message: Message) -> Result<Message, Fault> {
    match message {
        JsonRpcMessage::Response(mut response) if is_same(id, &response.id) => {
            response.id = id.clone();
            Ok(JsonRpcMessage::Response(response))
        }
        JsonRpcMessage::Response(response) => {
            Err(Fault::NotMcp(format!("it answers request {} when it is asked {id}", response.id)))
        }
        JsonRpcMessage::Error(error) => Ok(JsonRpcMessage::error(error.error, Some(id.clone()))),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {
            Err(Fault::NotMcp("it sends a message of its own instead of an answer".into()))
        }
    }
}

/// Returns the beginning of a text, on one line.
pub(super) fn beginning(text: &str) -> String {
    becket_base::text::one_line(text, SHOWN)
}

/// A JSON-RPC error, with or without its envelope.
#[derive(Deserialize)]
struct RpcError {
    error: ErrorData,
    #[serde(default)]
    id: Value,
}

impl RpcError {
    /// Returns whether the session is lost. Servers with sessions in memory report this after a restart, before they
    /// process the request.
    fn is_lost_session(&self) -> bool {
        let says_session = self.error.message.to_ascii_lowercase().contains("session");
        self.error.code.0 == REFUSED && !self.id.is_number() && says_session
    }
}

fn rpc_error(body: &[u8]) -> Option<RpcError> {
    serde_json::from_slice(body).ok()
}

/// Returns whether a number occurs in a text, and not only as the beginning of a longer one.
fn names(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let next = text[at + number.len()..].chars().next();
        !next.is_some_and(|next| next.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests;
