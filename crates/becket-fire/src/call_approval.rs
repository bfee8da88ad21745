//! Asks that become denials: the reason names the command with which a person allows the call once, and a call that was
//! allowed in this way is not asked about.

use crate::Launch;
use crate::enclosing;
use crate::one_time_approval::{AskingEntry, OneTimeApproval, OneTimeApprovals};
use becket_dialects::{Action, Resolution};
use becket_engine::config::trust::is_outside;
use becket_model::{Event, EventBody};
use serde_json::{Value, json};

/// Names of processes that only start others.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"];

/// Allows a call that a person has approved, and otherwise names the way to approve it. The resolutions are those of
/// its events; `call` is the call as shown to the person, `entry` the one that asks.
pub fn settle(
    launch: &Launch,
    entry: &AskingEntry,
    call: impl FnOnce() -> Option<OneTimeApproval>,
    resolutions: &mut [Resolution],
) {
    // A rewritten call is not the one that would be shown to the person.
    let is_open =
        resolutions.iter().all(|resolution| !resolution.is_refused() && resolution.rewrite.is_none());
    let reasons: Vec<String> = resolutions.iter().filter_map(ask_reason).collect();
    if reasons.is_empty() || !is_open {
        return;
    }
    // A file in the project may have come with it.
    let request = launch.request();
    let directory = request.user_directory().filter(|directory| is_outside(directory, &request));
    let (Some(directory), Some(call)) = (directory, call()) else { return };
    let calls = OneTimeApprovals::of(&directory);
    // An unusable file allows nothing: the ask stays a denial.
    if calls.take_permission(&call, entry).unwrap_or(false) {
        for resolution in resolutions.iter_mut().filter(|resolution| ask_reason(resolution).is_some()) {
            resolution.action = Action::Proceed;
        }
        return;
    }
    let host = enclosing::ancestors().into_iter().find(|process| !SHELLS.contains(&process.name.as_str()));
    let Ok(id) = calls.keep(call, &reasons.join("\n"), host.map(|host| host.id)) else { return };
    let asking = resolutions.iter_mut().filter_map(|resolution| match &mut resolution.action {
        Action::Ask { reason } => Some(reason),
        Action::Proceed | Action::Allow | Action::Refuse { .. } => None,
    });
    if let Some(reason) = asking.last() {
        reason.push_str(&format!(
            "\nOnly a person can allow it, once and for exactly this input, by typing `becket allow-once {id}` at a terminal of \
             their own; the call may be made again then"
        ));
    }
}

fn ask_reason(resolution: &Resolution) -> Option<String> {
    match &resolution.action {
        Action::Ask { reason } => Some(reason.clone()),
        Action::Proceed | Action::Allow | Action::Refuse { .. } => None,
    }
}

/// Returns the call of some events of one agent; `None` if there is no event, or a path is not valid Unicode.
pub fn call_of(launch: &Launch, agent: &str, events: &[Event]) -> Option<OneTimeApproval> {
    let first = events.first()?;
    let project = launch.project.as_ref().unwrap_or(&launch.start);
    Some(OneTimeApproval {
        agent: agent.to_owned(),
        session: first.session.id.to_string(),
        project: project.to_str()?.to_owned(),
        directory: first.session.cwd.to_str()?.to_owned(),
        calls: events.iter().filter_map(tool_and_input).collect(),
    })
}

fn tool_and_input(event: &Event) -> Option<(String, Value)> {
    let EventBody::PreToolUse(call) = &event.body else { return None };
    Some((call.tool_name.to_string(), json!(call.tool_input)))
}
