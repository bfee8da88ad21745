//! Reads the control lines of the host, and the fields that all of them have.

use crate::report::run::{BadLine, quoted};
use serde_json::{Map, Value};

/// A message of the host.
#[derive(Debug, PartialEq)]
pub(crate) enum HostMessage {
    /// A request of the host.
    Request(Request),
    /// An answer to a request of becket.
    Response { id: String, answer: Result<Value, String> },
    /// A cancellation of the host's own request.
    Cancel { id: String },
    /// A keep-alive message.
    Nothing,
}

/// A request of the host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) subtype: String,
    /// All fields of the request, including `subtype`.
    pub(crate) fields: Map<String, Value>,
}

/// Reads a control line.
///
/// # Errors
/// Errors if a field that every line of its type has is missing.
pub(crate) fn read(mut fields: Map<String, Value>) -> Result<HostMessage, BadLine> {
    match fields.get("type").and_then(Value::as_str).unwrap_or_default() {
        "control_request" => {
            let id = text(&fields, "request_id")?;
            let request = object(&mut fields, "request")?;
            let subtype = text(&request, "subtype")?;
            Ok(HostMessage::Request(Request { id, subtype, fields: request }))
        }
        "control_response" => response(object(&mut fields, "response")?),
        "control_cancel_request" => Ok(HostMessage::Cancel { id: text(&fields, "request_id")? }),
        _ => Ok(HostMessage::Nothing),
    }
}

fn response(mut fields: Map<String, Value>) -> Result<HostMessage, BadLine> {
    let id = text(&fields, "request_id")?;
    let answer = match fields.get("subtype").and_then(Value::as_str) {
        Some("success") => Ok(fields.remove("response").unwrap_or(Value::Null)),
        Some("error") => Err(text(&fields, "error").unwrap_or_else(|_| "it gives no reason".to_owned())),
        Some(_) | None => {
            let got = found(fields.get("subtype"));
            return Err(BadLine::Control { field: "response.subtype", got, wanted: "`success` or `error`" });
        }
    };
    Ok(HostMessage::Response { id, answer })
}

fn text(fields: &Map<String, Value>, field: &'static str) -> Result<String, BadLine> {
    match fields.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        other => Err(BadLine::Control { field, got: found(other), wanted: "a string" }),
    }
}

fn object(fields: &mut Map<String, Value>, field: &'static str) -> Result<Map<String, Value>, BadLine> {
    match fields.remove(field) {
        Some(Value::Object(object)) => Ok(object),
        other => Err(BadLine::Control { field, got: found(other.as_ref()), wanted: "an object" }),
    }
}

fn found(value: Option<&Value>) -> String {
    crate::report::style::one_line(&quoted(value), 100)
}
