//! Interpretation of WebSocket frames.

use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::super::handshake::shown;
use super::super::trouble::Place;
use crate::fault::Fault;

/// Returns the text of a message, `None` for other frames. A binary message with valid text is accepted: some servers
/// send all messages that way.
pub(super) fn text(message: Message) -> Result<Option<Bytes>, Fault> {
    match message {
        Message::Text(text) => Ok(Some(text.into())),
        Message::Binary(bytes) if std::str::from_utf8(&bytes).is_ok() => Ok(Some(bytes)),
        Message::Binary(_) => Err(Fault::NotMcp("it sent a binary message that is not text".into())),
        Message::Close(frame) => Err(Fault::BrokenOff(closed(frame.as_ref()))),
        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(None),
    }
}

fn closed(frame: Option<&CloseFrame>) -> String {
    match frame {
        None => "the server closed the connection".into(),
        Some(CloseFrame { code, reason }) if reason.is_empty() => {
            format!("the server closed the connection with code {}", u16::from(*code))
        }
        Some(CloseFrame { code, reason }) => {
            format!("the server closed the connection with code {}: {}", u16::from(*code), shown(reason))
        }
    }
}

/// Converts an error of the socket.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
pub(super) fn fault(error: &Error, place: &Place, cap: usize) -> Fault {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => Fault::TooLarge(cap),
        Error::Io(error) => place.broken_off(error),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing) => {
            Fault::BrokenOff("the server closed the connection without a word".into())
        }
        Error::Utf8(_) => Fault::NotMcp("it sent a text that is not UTF-8".into()),
        other => Fault::NotMcp(format!("it violates the WebSocket protocol: {other}")),
    }
}
