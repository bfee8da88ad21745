//! Conversions for any transport that carries one message at a time: bytes to messages, and answers to their requests.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

use super::in_flight::InFlight;
use super::message::{self, Line};
use super::state::State;

/// The messages of one connection.
#[derive(Debug)]
pub(super) struct Messages {
    pub(super) in_flight: InFlight,
    state: Arc<State>,
}

impl Messages {
    pub(super) fn new(state: Arc<State>) -> Self {
        Self { in_flight: InFlight::default(), state }
    }

    /// Encodes a message, and records its request.
    pub(super) fn write(&self, message: &TxJsonRpcMessage<RoleClient>) -> Result<Vec<u8>, serde_json::Error> {
        let text = serde_json::to_vec(message)?;
        self.in_flight.record(message);
        Ok(text)
    }

    /// Parses a message, and records its answer; `None` for ignored lines.
    pub(super) fn read(&self, text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        match message::read(text) {
            Line::Message(mut message) => {
                self.in_flight.received(&mut message);
                Some(*message)
            }
            Line::Unreadable(id, why) => {
                let mut reply = self.state.lost.unreadable(id, why);
                self.in_flight.received(&mut reply);
                Some(reply)
            }
            Line::Ignored => None,
            Line::NoMessage => {
                self.state.no_message(text);
                None
            }
        }
    }
}
