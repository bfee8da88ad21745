//! Asks that become denials: the reason names the command by which a person allows the call once, and a call that was
//! allowed so is not asked about.

use crate::Launch;
use crate::enclosing;
use crate::one_time_approval::{AskingEntry, FILE, OneTimeApproval, OneTimeApprovals};
use becket_dialects::{Action, Resolution};
use becket_model::{Event, EventBody};
use becket_rules::shell::Line;
use becket_rules::tools::path_field;
use serde_json::{Value, json};

/// Names of processes that only start others.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"];

/// Lets a call pass that a person has allowed, and otherwise names the way to allow it. The resolutions are those of its
/// events; `call` is the call as the person is shown it, `entry` the one that asks.
pub fn settle(
    launch: &Launch,
    entry: &AskingEntry,
    call: impl FnOnce() -> Option<OneTimeApproval>,
    resolutions: &mut [Resolution],
) {
    // A rewritten call is not the one that a person would be shown.
    let is_open =
        resolutions.iter().all(|resolution| !resolution.is_refused() && resolution.rewrite.is_none());
    let reasons: Vec<String> = resolutions.iter().filter_map(ask_reason).collect();
    if reasons.is_empty() || !is_open {
        return;
    }
    let (Some(directory), Some(call)) = (launch.request().user_directory(), call()) else { return };
    let calls = OneTimeApprovals::of(&directory);
    // A file that can't be used allows nothing: the ask stays a denial.
    if calls.take_permission(&call, entry).unwrap_or(false) {
        for resolution in resolutions.iter_mut().filter(|resolution| ask_reason(resolution).is_some()) {
            resolution.action = Action::Proceed;
        }
        return;
    }
    let host = enclosing::ancestors().into_iter().find(|process| !SHELLS.contains(&process.name.as_str()));
    let Ok(name) = calls.keep(call, &reasons.join("\n"), host.map(|host| host.id)) else { return };
    let asking = resolutions.iter_mut().filter_map(|resolution| match &mut resolution.action {
        Action::Ask { reason } => Some(reason),
        Action::Proceed | Action::Allow | Action::Refuse { .. } => None,
    });
    if let Some(reason) = asking.last() {
        reason.push_str(&format!(
            "\nOnly a person can allow it, once and for exactly this input, by typing `becket allow-once {name}` at a terminal of \
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
        project: project.to_str()?.to_owned(),
        directory: first.session.cwd.to_str()?.to_owned(),
        calls: events.iter().filter_map(tool_and_input).collect(),
    })
}

fn tool_and_input(event: &Event) -> Option<(String, Value)> {
    let EventBody::PreToolUse(call) = &event.body else { return None };
    Some((call.tool_name.to_string(), json!(call.tool_input)))
}

/// The commands by which a person grants something.
const OF_PERSONS: [&str; 2] = ["allow-once", "trust"];

/// Denies a call that would itself type `becket allow-once` or `becket trust`, or that names the file of the calls that were
/// allowed. A program that hides both is not recognised.
pub fn deny_own(resolution: &mut Resolution, event: &Event) {
    let EventBody::PreToolUse(call) = &event.body else { return };
    let text_of = |key: &str| call.tool_input.get(key).and_then(Value::as_str).unwrap_or_default();
    let text = text_of("command");
    let path = path_field(&call.tool_name).map(text_of).unwrap_or_default();
    if !resolution.is_refused() && (text.contains(FILE) || path.ends_with(FILE)) {
        let why = format!("`{FILE}` holds what a person has allowed: it is not for an agent");
        *resolution = Resolution::denied(why);
    }
    if !text.contains("becket") || resolution.is_refused() {
        return;
    }
    let line = Line::parse(text);
    let of_command = |name: &&&str| {
        line.commands().iter().any(|command| {
            let words: Vec<&str> = command.words().flatten().collect();
            let own = words.iter().position(|word| *word == "becket" || word.ends_with("/becket"));
            own.is_some_and(|own| names(&words[own + 1..], name))
        })
    };
    if let Some(name) = OF_PERSONS.iter().find(of_command) {
        let why = format!("`becket {name}` is for a person at a terminal, not for an agent");
        *resolution = Resolution::denied(why);
    }
}

/// Returns true if the arguments of Becket are those of a command. Withdrawing and listing grants nothing.
fn names(arguments: &[&str], name: &str) -> bool {
    let Some(at) = arguments.iter().position(|word| *word == name) else { return false };
    // An option, or its value.
    let is_option = |word: &str| word.starts_with('-');
    let is_global =
        |before: usize| is_option(arguments[before]) || before > 0 && is_option(arguments[before - 1]);
    let grants_nothing = arguments.iter().any(|word| matches!(*word, "--list" | "--revoke"));
    (0..at).all(is_global) && !grants_nothing
}
