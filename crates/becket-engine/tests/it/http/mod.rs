//! HTTP handlers against real sockets: answers of every kind, addresses, headers, secrets, TLS, proxies.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod addresses;
mod allowed;
mod answers;
mod connections;
mod endings;
mod headers;
mod proxies;
mod secrets;
pub(crate) mod server;
mod tls;

use becket_engine::Outcome;
use serde_json::{Value, json};

/// Returns settings with one HTTP handler on PreToolUse.
fn guard(url: &str, more: Value) -> Value {
    crate::common::hooks("PreToolUse", "", json!([handler(url, more)]))
}

/// Returns an HTTP handler with more keys.
pub(crate) fn handler(url: &str, more: Value) -> Value {
    let mut handler = json!({ "type": "http", "url": url });
    handler.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    handler
}

/// Returns the failure of the only run.
fn failure(outcome: &Outcome) -> String {
    let [run] = &outcome.runs[..] else { panic!("{} runs", outcome.runs.len()) };
    run.failure.as_ref().map(ToString::to_string).unwrap_or_default()
}
