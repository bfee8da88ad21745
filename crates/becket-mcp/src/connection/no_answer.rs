//! Errors of single requests, converted from those of `rmcp`.

use std::error::Error;

use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use serde_json::Value;

use super::handshake::shown;
use super::link::{NotSent, SendError};
use super::state::State;
use crate::fault::Fault;

/// The reason why a request has no valid answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The connection broke; its state has the cause.
    Gone,
    /// The connection was broken before the request was sent: the server has never seen it.
    NotSent,
    /// This request was not sent, or the transport could not be opened.
    Failed(Fault),
    /// The server answered with an error.
    Refused { code: i32, message: String, data: Option<Value> },
    /// The server's answer violates the protocol.
    Unexpected(String),
}

impl Trouble {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    pub(super) fn from_service(error: ServiceError, id: Option<&RequestId>, state: &State) -> Self {
        match error {
            ServiceError::McpError(error) => {
                id.and_then(|id| state.lost.take(Some(id))).unwrap_or_else(|| Self::refused(error))
            }
            ServiceError::TransportSend(error) => Self::of_transport(&error),
            ServiceError::TransportClosed => Self::Gone,
            other => Self::Unexpected(shown(&other.to_string())),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    pub(super) fn from_handshake(error: ClientInitializeError, state: &State) -> Self {
        match error {
            ClientInitializeError::JsonRpcError(error) => {
                state.lost.take(None).unwrap_or_else(|| Self::refused(error))
            }
            ClientInitializeError::TransportError { error, .. } => Self::of_transport(&error),
            ClientInitializeError::ConnectionClosed(_) => Self::Gone,
            other => Self::Unexpected(shown(&other.to_string())),
        }
    }

    fn refused(error: ErrorData) -> Self {
        Self::Refused { code: error.code.0, message: error.message.into_owned(), data: error.data }
    }

    fn of_transport(error: &DynamicTransportError) -> Self {
        if let Some(fault) = NotSent::within(error) {
            return Self::Failed(fault);
        }
        let error: &(dyn Error + 'static) = error.error.as_ref();
        if error.is::<SendError>() { Self::NotSent } else { Self::Gone }
    }
}
