//! Responses to requests.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use super::received_request::ReceivedRequest;

/// The response to a request.
#[derive(Debug)]
pub enum Reply {
    /// An answer in one piece.
    Whole {
        /// The status.
        status: u16,
        /// Headers in addition to `Content-Length`.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// A stream of events, with these headers in addition to `Content-Type`. It ends after the last step.
    Stream(Vec<(String, String)>, Vec<Step>),
    /// The stream for server messages; see [`super::Server::push`].
    Listen,
    /// A result with a text of so many bytes, whose length is not announced; as an event of a stream or as JSON.
    Huge {
        /// The length of the text.
        bytes: usize,
        /// True if it is sent as an event.
        as_event: bool,
    },
    /// Nothing, until the client disconnects.
    Hang,
    /// The connection is closed without a byte.
    Close,
    /// Sends these bytes unchanged, then closes the connection.
    Raw(Vec<u8>),
    /// Another reply, after a delay.
    Later(Duration, Box<Reply>),
}

/// A piece of a stream.
pub enum Step {
    /// A message.
    Message(Value),
    /// Text that is written as it is; an event ends with an empty line.
    Text(String),
    /// Nothing, for a while.
    Wait(Duration),
    /// Nothing, until the client disconnects.
    Hang,
    /// A request to the client; its answer is available to the following steps.
    Ask(Value),
    /// A message built from the client's last answer.
    Answered(Box<dyn Fn(&Value) -> Value + Send + Sync>),
    /// The connection is closed in the middle of the stream.
    CutOff,
}

impl Reply {
    /// Creates a reply with a body of a content type.
    #[must_use]
    pub fn text(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Whole { status, headers: vec![header("Content-Type", content_type)], body: body.into() }
    }

    /// Creates a reply with a JSON body.
    #[must_use]
    pub fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", body.to_string())
    }

    /// Creates a reply without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Whole { status, headers: Vec::new(), body: Vec::new() }
    }

    /// Creates the result of a request.
    #[must_use]
    pub fn result(seen: &ReceivedRequest, result: &Value) -> Self {
        Self::json(200, &json!({"jsonrpc": "2.0", "id": seen.id(), "result": result}))
    }

    /// Creates the result of a call with a text.
    #[must_use]
    pub fn text_result(seen: &ReceivedRequest, text: &str) -> Self {
        Self::result(seen, &text_content(text))
    }

    /// Creates a JSON-RPC error with a status and an id, which is often null.
    #[must_use]
    pub fn error(status: u16, id: &Value, code: i64, message: &str) -> Self {
        let error = json!({"code": code, "message": message});
        Self::json(status, &json!({"jsonrpc": "2.0", "error": error, "id": id}))
    }

    /// Creates the reply for an unknown or expired session.
    #[must_use]
    pub fn expired() -> Self {
        Self::error(404, &Value::Null, -32001, "Session not found")
    }

    /// Creates a 401, with or without a challenge.
    #[must_use]
    pub fn unauthorized(challenge: Option<&str>) -> Self {
        let reply = Self::status(401);
        match challenge {
            Some(challenge) => reply.with("WWW-Authenticate", challenge),
            None => reply,
        }
    }

    /// Creates a redirect to another address.
    #[must_use]
    pub fn redirect(status: u16, to: &str) -> Self {
        Self::status(status).with("Location", to)
    }

    /// Creates a stream.
    #[must_use]
    pub fn stream(steps: Vec<Step>) -> Self {
        Self::Stream(Vec::new(), steps)
    }

    /// Delays this reply.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self::Later(time, Box::new(self))
    }

    /// Adds a header, if the reply has headers.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        match &mut self {
            Self::Whole { headers, .. } | Self::Stream(headers, _) => headers.push(header(name, value)),
            Self::Later(time, reply) => {
                let inner = std::mem::replace(&mut **reply, Self::Close).with(name, value);
                return inner.after(*time);
            }
            Self::Listen | Self::Huge { .. } | Self::Hang | Self::Close | Self::Raw(_) => {}
        }
        self
    }
}

impl Step {
    /// Creates the result of a request.
    #[must_use]
    pub fn result(seen: &ReceivedRequest, result: &Value) -> Self {
        Self::Message(json!({"jsonrpc": "2.0", "id": seen.id(), "result": result}))
    }

    /// Creates the result of a call with a text.
    #[must_use]
    pub fn text_result(seen: &ReceivedRequest, text: &str) -> Self {
        Self::result(seen, &text_content(text))
    }

    /// Creates a notification.
    #[must_use]
    pub fn notice(method: &str, params: &Value) -> Self {
        Self::Message(json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(message) => write!(f, "Message({message})"),
            Self::Text(text) => write!(f, "Text({text:?})"),
            Self::Wait(time) => write!(f, "Wait({time:?})"),
            Self::Hang => f.write_str("Hang"),
            Self::Ask(request) => write!(f, "Ask({request})"),
            Self::Answered(_) => f.write_str("Answered"),
            Self::CutOff => f.write_str("CutOff"),
        }
    }
}

pub(super) fn text_content(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "resultType": "complete"})
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
