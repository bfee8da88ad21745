//! The errors of messages: a code, a stable name, and a text with the problem and its position.

use becket_embed::view::finding::Finding;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// An error in a message.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("line {line} is not JSON: {why}")]
    NotJson { line: u64, why: String },
    #[error("the last line, {line}, is cut off after {bytes} bytes: end each message with a line end")]
    CutOff { line: u64, bytes: usize },
    #[error("line {line} is longer than {} MiB and was not read", .limit >> 20)]
    TooLong { line: u64, limit: usize },
    #[error(
        "line {line} was not read to its end: the long lines of all clients fill the memory for them: send it again"
    )]
    Full { line: u64 },
    #[error("line {line} was not complete within {} seconds, so the connection is closed and its sessions end: connect again, and write each line at once", .limit.as_secs())]
    Slow { line: u64, limit: Duration },
    #[error("line {line} is not a message: {why}")]
    NoMessage { line: u64, why: String },
    #[error("the id `{id}` belongs to a pending request: give each request its own")]
    IdInUse { id: Value },
    #[error("there is no method `{name}`{}; `becket schema rpc` lists all", near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default())]
    NoMethod { name: String, near: Option<&'static str> },
    #[error("the params of `{method}` can't be used: {why}")]
    Params { method: &'static str, why: String },
    #[error("`initialize` has to be answered before other requests are sent")]
    NotInitialized,
    #[error("version {given} of the protocol is not supported, only {spoken}")]
    Version { given: u64, spoken: u64 },
    #[error("no such session: `{id}`")]
    NoSession { id: String },
    #[error("no session starts with this configuration: {why}")]
    NotOpened { why: String, findings: Vec<Finding> },
    #[error("{why}")]
    Busy { why: String },
    #[error("it was cancelled: hooks that still ran were ended, so nothing was decided")]
    Cancelled,
    #[error("internal error, so nothing was decided: this is a bug in becket, please report it")]
    Broken,
}

/// An error, as it goes over the wire.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WireFault {
    /// The number of the kind of error.
    pub(super) code: i32,
    /// The error message.
    pub(super) message: String,
    /// The `kind` of error, a stable name, and its details for programs.
    pub(super) data: Value,
}

/// Every kind: its code and its name. Those of JSON-RPC keep their codes.
pub(super) const KINDS: [(i32, &str); 15] = [
    (-32700, "not_json"),
    (-32700, "cut_off"),
    (-32001, "too_long"),
    (-32600, "no_message"),
    (-32600, "id_in_use"),
    (-32601, "no_method"),
    (-32602, "params"),
    (-32002, "not_initialized"),
    (-32003, "version"),
    (-32004, "no_session"),
    (-32005, "not_opened"),
    (-32006, "busy"),
    (-32800, "cancelled"),
    (-32007, "full"),
    (-32008, "slow"),
];
/// The internal error.
pub(super) const BROKEN: (i32, &str) = (-32603, "broken");

impl Fault {
    /// Converts the fault to its wire format.
    pub(super) fn wire(&self) -> WireFault {
        let (code, kind) = self.kind();
        let mut data = self.details();
        data["kind"] = kind.into();
        WireFault { code, message: self.to_string(), data }
    }

    fn kind(&self) -> (i32, &'static str) {
        match self {
            Fault::NotJson { .. } => KINDS[0],
            Fault::CutOff { .. } => KINDS[1],
            Fault::TooLong { .. } => KINDS[2],
            Fault::NoMessage { .. } => KINDS[3],
            Fault::IdInUse { .. } => KINDS[4],
            Fault::NoMethod { .. } => KINDS[5],
            Fault::Params { .. } => KINDS[6],
            Fault::NotInitialized => KINDS[7],
            Fault::Version { .. } => KINDS[8],
            Fault::NoSession { .. } => KINDS[9],
            Fault::NotOpened { .. } => KINDS[10],
            Fault::Busy { .. } => KINDS[11],
            Fault::Cancelled => KINDS[12],
            Fault::Full { .. } => KINDS[13],
            Fault::Slow { .. } => KINDS[14],
            Fault::Broken => BROKEN,
        }
    }

    fn details(&self) -> Value {
        match self {
            Fault::NotJson { line, .. }
            | Fault::CutOff { line, .. }
            | Fault::NoMessage { line, .. }
            | Fault::Full { line } => json!({"line": line}),
            Fault::Slow { line, limit } => json!({"line": line, "limit": limit.as_secs()}),
            Fault::TooLong { line, limit } => json!({"line": line, "limit": limit}),
            Fault::Version { spoken, .. } => json!({"spoken": [spoken]}),
            Fault::NoSession { id } => json!({"session": id}),
            Fault::NotOpened { findings, .. } => json!({"findings": findings}),
            Fault::IdInUse { .. }
            | Fault::NoMethod { .. }
            | Fault::Params { .. }
            | Fault::NotInitialized
            | Fault::Busy { .. }
            | Fault::Cancelled
            | Fault::Broken => json!({}),
        }
    }
}
