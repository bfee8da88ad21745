//! The proxy's own messages, and the parts of other messages that it looks at.

use becket_dialects::acp::AcpError;
use serde_json::{Value, json};

/// The JSON-RPC code for a line that is not a message.
const UNREADABLE: i64 = -32700;
/// The JSON-RPC code for parameters that can't be used.
const INVALID_PARAMS: i64 = -32602;
/// The error code of a denial.
pub(super) const DENIED: i64 = -32000;

/// Returns the code for an error.
pub(super) fn code_of(error: &AcpError) -> i64 {
    match error {
        AcpError::NotMessage(_) => UNREADABLE,
        AcpError::DuplicateKey(_) | AcpError::Field { .. } | AcpError::Vague { .. } | AcpError::TooMany => {
            INVALID_PARAMS
        }
    }
}

/// Returns the error response to a request that is refused.
pub(super) fn error(id: &Value, code: i64, why: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": format!("becket: {why}")}})
}

/// Returns the response to a request.
pub(super) fn answer(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Returns a request.
pub(super) fn request(id: &Value, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Returns a message as a line.
pub(super) fn line_of(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Returns the session id in parameters or in a result.
pub(super) fn session_id(params: &Value) -> Option<String> {
    params.get("sessionId").and_then(Value::as_str).map(str::to_owned)
}

/// Returns true if a line contains no message.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}
