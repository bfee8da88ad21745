//! Callbacks of the host, as hooks of the engine (`protocol.md` H9).
//!
//! INVARIANT: everything but an answer fails the hook: an error, a value that is not an object, a disconnected host,
//! and a timeout. The engine decides on the effect of the failure.

use super::host::Host;
use crate::peer;
use becket_embed::session::limit;
use becket_engine::{Callback, CallbackAnswer, CancellationToken, Hook};
use becket_model::wire::input;
use becket_model::{Event, EventKind, OnFailure};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A callback that the host has registered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallbackConfig {
    pub(super) event: EventKind,
    pub(super) id: String,
    pub(super) matcher: Option<String>,
    pub(super) timeout: Option<Duration>,
    /// The effect of a failure, if the host sets it.
    pub(super) on_failure: Option<OnFailure>,
}

/// Reads `hooks` of an `initialize`: for each event a list of matchers, each with the ids of its callbacks.
///
/// # Errors
/// Returns the problem and its position: a guard that can't be understood must not be left out.
pub(super) fn read(hooks: &Value) -> Result<Vec<CallbackConfig>, String> {
    let Value::Object(events) = hooks else { return Err("`hooks` must be an object".to_owned()) };
    let mut all = Vec::new();
    for (name, matchers) in events {
        let event: EventKind = name
            .parse()
            .map_err(|_| format!("`hooks`: `{name}` is not an event; `becket events` lists all"))?;
        let Value::Array(matchers) = matchers else { return Err(format!("`hooks.{name}` must be a list")) };
        for (n, matcher) in matchers.iter().enumerate() {
            let wanted = of_matcher(event, matcher).map_err(|why| format!("`hooks.{name}[{n}]`: {why}"))?;
            all.extend(wanted);
        }
    }
    Ok(all)
}

/// The fields of a matcher.
const MATCHER: [&str; 4] = ["matcher", "hookCallbackIds", "timeout", "onFailure"];

/// Returns the paths of the fields of matchers that have no effect.
pub(super) fn ignored(hooks: &Value) -> Vec<String> {
    let mut ignored = Vec::new();
    for (event, matchers) in hooks.as_object().into_iter().flatten() {
        for (n, matcher) in matchers.as_array().into_iter().flatten().enumerate() {
            let fields = matcher.as_object().into_iter().flatten();
            let unknown =
                fields.filter(|(name, value)| !MATCHER.contains(&name.as_str()) && !value.is_null());
            ignored.extend(unknown.map(|(name, _)| format!("hooks.{event}[{n}].{name}")));
        }
    }
    ignored
}

fn of_matcher(event: EventKind, matcher: &Value) -> Result<Vec<CallbackConfig>, String> {
    let Value::Object(fields) = matcher else { return Err("it must be an object".to_owned()) };
    let ids = match fields.get("hookCallbackIds") {
        Some(Value::Array(ids)) => ids,
        Some(_) | None => return Err("`hookCallbackIds` must be a list".to_owned()),
    };
    let pattern = match fields.get("matcher") {
        None | Some(Value::Null) => None,
        Some(Value::String(pattern)) => Some(pattern.clone()),
        Some(_) => return Err("`matcher` must be a string".to_owned()),
    };
    let timeout = timeout(fields)?;
    let on_failure = match fields.get("onFailure") {
        None | Some(Value::Null) => None,
        Some(Value::String(word)) if word == "continue" => Some(OnFailure::Continue),
        // An unknown value counts as the stricter one.
        Some(_) => Some(OnFailure::Block),
    };
    ids.iter()
        .map(|id| {
            let id = id.as_str().ok_or("an id of `hookCallbackIds` is not a string")?.to_owned();
            Ok(CallbackConfig { event, id, matcher: pattern.clone(), timeout, on_failure })
        })
        .collect()
}

fn timeout(fields: &Map<String, Value>) -> Result<Option<Duration>, String> {
    match fields.get("timeout") {
        None | Some(Value::Null) => Ok(None),
        // A value that is not a number is an invalid limit.
        Some(value) => limit(value.as_f64().unwrap_or(f64::NAN)).map(Some),
    }
}

impl CallbackConfig {
    /// Converts the callback to the engine's type.
    pub(super) fn callback(&self, host: &Host) -> Callback {
        let hook = HostHook { host: host.clone(), id: self.id.clone(), on_failure: self.on_failure };
        let mut callback =
            Callback::object(self.event, Arc::new(hook)).named(format!("the host's callback {}", self.id));
        if let Some(on_failure) = self.on_failure {
            callback = callback.on_failure(on_failure);
        }
        if let Some(matcher) = &self.matcher {
            callback = callback.matcher(matcher.as_str());
        }
        if let Some(limit) = self.timeout {
            callback = callback.timeout(limit);
        }
        callback
    }
}

/// A callback of the host. If it is dropped at its limit, the question is cancelled.
struct HostHook {
    host: Host,
    id: String,
    on_failure: Option<OnFailure>,
}

impl Hook for HostHook {
    fn call<'a>(&'a self, event: &'a Event, _: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer> {
        let input = input::to_value(event);
        let pending = self.host.ask(json!({
            "subtype": "hook_callback",
            "callback_id": self.id,
            "tool_use_id": input.get("tool_use_id"),
            "input": input,
        }));
        Box::pin(async move { peer::of_hook(pending.await, self.on_failure) })
    }
}
