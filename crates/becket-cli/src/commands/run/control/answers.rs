//! Answers to the host's requests, as lines.

use super::host::Host;
use serde_json::{Value, json};

impl Host {
    /// Answers a request.
    pub(crate) fn grant(&self, id: &str, response: Value) {
        let response = json!({"subtype": "success", "request_id": id, "response": response});
        self.send(json!({"type": "control_response", "response": response}));
    }

    /// Rejects a request with a code for the host's program, and a reason.
    pub(crate) fn refuse_as(&self, id: &str, code: &str, why: &str) {
        let response = json!({"subtype": "error", "request_id": id, "error": why, "error_code": code});
        self.send(json!({"type": "control_response", "response": response}));
    }

    /// Rejects a request with a reason.
    pub(crate) fn refuse(&self, id: &str, why: &str) {
        let response = json!({"subtype": "error", "request_id": id, "error": why});
        self.send(json!({"type": "control_response", "response": response}));
    }
}
