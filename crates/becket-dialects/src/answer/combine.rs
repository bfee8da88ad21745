//! Combines the resolutions of the calls that one call of the agent stands for.

use super::output;
use crate::{Action, NativeCall, Resolution};
use serde_json::{Map, Value};

/// The resolutions of one payload as one.
pub(super) struct CombinedResolution {
    pub(super) resolution: Resolution,
    /// The rewrite in the agent's keys.
    pub(super) native: Option<Map<String, Value>>,
    /// Set if an input was rewritten, whether or not the agent's call has a form for it.
    pub(super) is_rewritten: bool,
    /// The output that replaces that of the agent's call.
    pub(super) output: Option<String>,
}

/// Combines resolutions: the strictest decision counts, reasons and contexts of all are kept.
pub(super) fn combine(resolutions: Vec<Resolution>, call: Option<&NativeCall>) -> CombinedResolution {
    let rewrites: Vec<Option<Map<String, Value>>> =
        resolutions.iter().map(|resolution| resolution.rewrite.clone()).collect();
    let is_rewritten = rewrites.iter().any(Option::is_some);
    let native = if is_rewritten { call.and_then(|call| call.rewritten(&rewrites)) } else { None };
    let output = output::combined(&resolutions, call);
    let resolution = resolutions.into_iter().reduce(join).unwrap_or_default();
    CombinedResolution { resolution, native, is_rewritten, output }
}

fn join(one: Resolution, other: Resolution) -> Resolution {
    Resolution {
        action: strictest(one.action, other.action),
        rewrite: one.rewrite.or(other.rewrite),
        context: joined(one.context, other.context),
        stop: one.stop.or(other.stop),
        message: joined(one.message, other.message),
        json: one.json,
        text: one.text,
    }
}

/// Returns the stricter action. An allow of one part does not allow the whole.
fn strictest(one: Action, other: Action) -> Action {
    match (one, other) {
        (Action::Refuse { reason: one }, Action::Refuse { reason: other }) => {
            Action::Refuse { reason: both(one, other) }
        }
        (refused @ Action::Refuse { .. }, _) | (_, refused @ Action::Refuse { .. }) => refused,
        (Action::Ask { reason: one }, Action::Ask { reason: other }) => {
            Action::Ask { reason: both(one, other) }
        }
        (ask @ Action::Ask { .. }, _) | (_, ask @ Action::Ask { .. }) => ask,
        (Action::Allow, Action::Allow) => Action::Allow,
        (Action::Proceed | Action::Allow, Action::Proceed | Action::Allow) => Action::Proceed,
    }
}

fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

/// Returns both texts, or one if they are equal.
fn both(one: String, other: String) -> String {
    if one.lines().any(|line| line == other) { one } else { format!("{one}\n{other}") }
}
