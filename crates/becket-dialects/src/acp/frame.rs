//! One line of ACP, parsed only as far as a relay needs it.
//!
//! INVARIANT: a line in which two readers could see different methods or ids is an error.

use super::AcpError;
use super::json;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// A line, with its parts as they are written.
#[derive(Debug)]
pub struct Frame<'a> {
    kind: FrameKind,
    id: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

/// The kind of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameKind {
    /// A message that expects an answer.
    Request {
        /// The method.
        method: String,
    },
    /// A message that expects no answer.
    Notification {
        /// The method.
        method: String,
    },
    /// The answer to a request.
    Response,
}

impl<'a> Frame<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// Errors if the line is not one message of JSON-RPC.
    pub fn read(line: &'a [u8]) -> Result<Self, AcpError> {
        let text = std::str::from_utf8(line).map_err(|error| AcpError::NotMessage(error.to_string()))?;
        let members: Members<'a> =
            serde_json::from_str(text).map_err(|error| json::error_of(&error.to_string()))?;
        let Members { id, method, params, result, error } = members;
        let is_answer = result.is_some() || error.is_some();
        let kind = match (method, id, is_answer) {
            (Some(method), Some(_), false) => FrameKind::Request { method },
            (Some(method), None, false) => FrameKind::Notification { method },
            (None, Some(_), true) => FrameKind::Response,
            (Some(_), _, true) | (None, None, _) | (None, Some(_), false) => {
                return Err(AcpError::NotMessage("it is neither a request nor an answer".to_owned()));
            }
        };
        Ok(Frame { kind, id, params, result, error })
    }

    /// Returns the kind.
    pub fn kind(&self) -> &FrameKind {
        &self.kind
    }

    /// Returns the id; `null` if there is none, or it can't be read.
    pub fn id(&self) -> Value {
        self.id.and_then(|id| serde_json::from_str(id.get()).ok()).unwrap_or_default()
    }

    /// Returns true for a response that is an error.
    pub fn is_error(&self) -> bool {
        self.error.is_some_and(|error| error.get() != "null")
    }

    /// Reads the parameters of a message that needs a decision.
    ///
    /// # Errors
    /// Errors if the parameters are not an object, or have a duplicate key at any depth.
    pub fn params(&self) -> Result<serde_json::Map<String, Value>, AcpError> {
        match json::read(self.params.ok_or(AcpError::missing("params"))?.get())? {
            Value::Object(params) => Ok(params),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(AcpError::missing("params"))
            }
        }
    }

    /// Returns the parameters of a message that is only observed, if they can be read.
    pub fn seen_params(&self) -> Option<Value> {
        serde_json::from_str(self.params?.get()).ok()
    }

    /// Returns the result of a response that is only observed, if it can be read.
    pub fn seen_result(&self) -> Option<Value> {
        serde_json::from_str(self.result?.get()).ok()
    }
}

/// The members of a message that count.
#[derive(Default)]
struct Members<'a> {
    id: Option<&'a RawValue>,
    method: Option<String>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members::default();
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(json::duplicate(&key));
            }
            match key.as_str() {
                "id" => members.id = Some(entries.next_value()?),
                "method" => members.method = Some(entries.next_value()?),
                "params" => members.params = Some(entries.next_value()?),
                "result" => members.result = Some(entries.next_value()?),
                "error" => members.error = Some(entries.next_value()?),
                _ => {
                    let _: &RawValue = entries.next_value()?;
                }
            }
            seen.push(key);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kind(line: &str) -> Option<FrameKind> {
        Frame::read(line.as_bytes()).ok().map(|frame| frame.kind)
    }

    #[test]
    fn a_message_is_a_request_a_notification_or_an_answer() {
        let method = || "m".to_owned();
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}"#,
                Some(FrameKind::Request { method: method() }),
            ),
            (r#"{"id":"a","\u006dethod":"m"}"#, Some(FrameKind::Request { method: method() })),
            (
                r#"{"method":"m","future":[{"a":1,"a":2}]}"#,
                Some(FrameKind::Notification { method: method() }),
            ),
            (r#"{"id":1,"result":null}"#, Some(FrameKind::Response)),
            (r#"{"id":null,"error":{"code":1}}"#, Some(FrameKind::Response)),
            (r#"{"id":1,"method":"m","result":{}}"#, None),
            (r#"{"id":1}"#, None),
            (r#"{"id":1,"method":"m","method":"n"}"#, None),
            (r#"{"id":1,"id":2,"method":"m"}"#, None),
            (r#"{"id":1,"method":5}"#, None),
            ("[]", None),
            ("log line", None),
            ("{\"method\":\"\u{0}\"}", None),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
        assert!(Frame::read(b"{\"method\":\"\xff\"}").is_err());
        for (line, is_error) in [
            (r#"{"id":1,"result":null}"#, false),
            (r#"{"id":1,"result":{},"error":null}"#, false),
            (r#"{"id":1,"result":null,"error":{}}"#, true),
            (r#"{"id":1,"error":{"code":1}}"#, true),
        ] {
            assert_eq!(Frame::read(line.as_bytes()).unwrap().is_error(), is_error, "{line}");
        }
    }

    #[test]
    fn only_what_is_decided_about_is_read_strictly() {
        let frame = r#"{"id": [1], "method": "m", "params": {"a": {"b": 1, "b": 2}}}"#;
        let frame = Frame::read(frame.as_bytes()).unwrap();
        assert_eq!(frame.params(), Err(AcpError::DuplicateKey("b".to_owned())));
        assert_eq!((frame.seen_params(), frame.id()), (Some(json!({"a": {"b": 2}})), json!([1])));
        let lone = Frame::read(br#"{"method": "m", "params": {"a": "\ud800"}}"#).unwrap();
        assert!(lone.params().is_err() && lone.seen_params().is_none());
    }
}
