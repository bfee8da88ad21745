//! Results, requests to the client and notifications, in their wire format.

use super::fault::{Fault, WireFault};
use becket_embed::view::finding::Finding;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::path::PathBuf;

/// The version of the protocol.
pub(super) const PROTOCOL: u64 = 1;

/// A result, already serialized.
pub(super) type MethodResult = Result<Box<RawValue>, Fault>;

/// Serializes a result.
pub(super) fn to_result(result: &impl Serialize) -> MethodResult {
    to_raw_value(result).map_err(|_| Fault::Broken)
}

/// An answer with its id.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<WireFault>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(id: &'a Value, result: MethodResult) -> Self {
        let (result, error) = match result {
            Ok(result) => (Some(result), None),
            Err(fault) => (None, Some(fault.wire())),
        };
        Answer { jsonrpc: "2.0", id, result, error }
    }
}

/// A request to the client (with an id) or a notification (without).
#[derive(Serialize)]
pub(super) struct OutgoingMessage<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    method: &'static str,
    params: &'a P,
}

impl<'a, P> OutgoingMessage<'a, P> {
    pub(super) fn new(id: Option<&'a str>, method: &'static str, params: &'a P) -> Self {
        OutgoingMessage { jsonrpc: "2.0", id, method, params }
    }
}

/// Answers `initialize`.
#[derive(Serialize, JsonSchema)]
pub(super) struct InitializeResult {
    /// The version in use.
    pub(super) protocol: u64,
    /// The version of becket.
    pub(super) becket: &'static str,
}

/// Answers `session/open` and `session/reload`.
#[derive(Serialize, JsonSchema)]
pub(super) struct SessionOpenResult {
    /// The session's id.
    pub(super) session: String,
    /// The events that a hook or a permission rule may affect.
    pub(super) events: Vec<&'static str>,
    /// The problems in the configuration; its valid parts work.
    pub(super) findings: Vec<Finding>,
}

/// Answers `session/env_files`.
#[derive(Serialize, JsonSchema)]
pub(super) struct EnvFiles {
    /// The files; later ones take precedence.
    pub(super) files: Vec<PathBuf>,
}

/// An empty answer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Done {}

/// `hook/call`: calls a hook of the client.
#[derive(Serialize, JsonSchema)]
pub(super) struct HookCall<'a> {
    /// The session.
    pub(super) session: &'a str,
    /// The client's name for the hook.
    pub(super) hook: &'a str,
    /// The stdin of a command for the same event.
    pub(super) input: Value,
}

/// `question/ask`: asks the user.
#[derive(Serialize, JsonSchema)]
pub(super) struct Question<'a> {
    /// The session.
    pub(super) session: &'a str,
    /// The hook's own name for the question.
    pub(super) question: &'a str,
    /// The question.
    pub(super) message: &'a str,
    /// The possible answers.
    pub(super) options: Vec<Choice<'a>>,
    /// The hook that asks.
    pub(super) asked_by: &'a str,
}

/// One answer that a question offers.
#[derive(Serialize, JsonSchema)]
pub(super) struct Choice<'a> {
    /// The key that is returned.
    pub(super) key: &'a str,
    /// The text for the user.
    pub(super) label: &'a str,
    /// A longer description.
    pub(super) description: Option<&'a str>,
}

/// `hook/cancel` and `question/cancel`: the answer is no longer needed.
#[derive(Serialize, JsonSchema)]
pub(super) struct Withdrawn<'a> {
    /// The id of the call.
    pub(super) id: &'a str,
}
