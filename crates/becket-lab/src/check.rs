//! Compares the outcome of a step with what its case expects.

use crate::case::Step;
use crate::handler_key::HandlerKey;
use crate::handler_name::{self, UnresolvedName};
use becket_base::text_file;
use becket_engine::handler::Handler;
use becket_engine::{Outcome, Run, Settlement};
use becket_model::{Decision, Reply, RequestDecision, Ruling};
use serde_json::{Map, Value};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// An expectation that was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The key of `want`.
    pub what: &'static str,
    /// The expected value.
    pub wanted: String,
    /// The actual value.
    pub seen: String,
}

/// The outcome of a step.
#[non_exhaustive]
pub struct StepOutcome<'a> {
    /// The outcome.
    pub outcome: &'a Outcome,
    /// The time that it took.
    pub elapsed: Duration,
    /// The root of the throw-away project.
    pub root: &'a Path,
}

/// Compares a step; `handlers` are those of its event.
///
/// # Errors
/// Errors if a name in the case does not identify exactly one handler.
pub fn compare(
    step: &Step,
    handlers: &[Arc<Handler>],
    seen: &StepOutcome<'_>,
) -> Result<Vec<Mismatch>, UnresolvedName> {
    let mut found = Vec::new();
    decision(step, seen, &mut found);
    texts(step, seen, &mut found);
    let by = step.want.by.as_ref().map(|name| handler_name::resolve(name, step.event.name(), handlers));
    let by = by.transpose()?.map(|handler| HandlerKey::of(handler));
    credit(step, by, seen, &mut found);
    exit(step, by, seen, &mut found);
    skipped(step, handlers, seen, &mut found)?;
    failures(step, handlers, seen, &mut found)?;
    files(step, seen, &mut found);
    if let Some(within) = step.want.within.filter(|within| seen.elapsed > *within) {
        found.push(mismatch("within", format!("{within:?}"), format!("{:.0?}", seen.elapsed)));
    }
    Ok(found)
}

fn mismatch(what: &'static str, wanted: impl Into<String>, seen: impl Into<String>) -> Mismatch {
    Mismatch { what, wanted: wanted.into(), seen: seen.into() }
}

/// Returns the decision about an event in the vocabulary of cases, from hooks and permission rules together.
pub fn decided(outcome: &Outcome) -> &'static str {
    if outcome.nobody_to_ask {
        return "ask";
    }
    match &outcome.settlement {
        Some(Settlement::Denied { .. }) => return "deny",
        Some(Settlement::Asked { .. }) => return "ask",
        Some(Settlement::Allowed { .. }) => return "allow",
        Some(Settlement::Stopped { .. }) => return "stop",
        Some(Settlement::Deferred) => return "defer",
        Some(Settlement::Undecided) | None => {}
    }
    let ruling = &outcome.verdict.ruling;
    match ruling {
        Ruling::None if outcome.verdict.stop.is_some() => "stop",
        Ruling::None => "pass",
        Ruling::WorktreeFailed(_) => "block",
        Ruling::Permission { .. }
        | Ruling::Block(_)
        | Ruling::RequestAllow { .. }
        | Ruling::RequestDeny { .. }
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_) => ruling.word(),
    }
}

/// Returns the decision of one handler in the vocabulary of cases; `None` if it made none.
pub fn decided_by(reply: &Reply) -> Option<&'static str> {
    Some(match &reply.decision {
        Some(Decision::Permission { decision, .. }) => decision.as_str(),
        Some(Decision::Block { .. }) => "block",
        Some(Decision::PermissionRequest(RequestDecision::Allow { .. })) => "allow",
        Some(Decision::PermissionRequest(RequestDecision::Deny { .. })) => "deny",
        Some(Decision::Elicitation { action, .. }) => action.as_str(),
        Some(Decision::Worktree(_)) => "created",
        None if reply.stop.is_some() => "stop",
        None => return None,
    })
}

/// Returns whether two words mean the same decision.
fn is_same(one: &str, other: &str) -> bool {
    let holds_back = |word: &str| matches!(word, "deny" | "block");
    one == other || (holds_back(one) && holds_back(other))
}

fn decision(step: &Step, seen: &StepOutcome<'_>, found: &mut Vec<Mismatch>) {
    let Some(wanted) = &step.want.decision else { return };
    let decided = decided(seen.outcome);
    if !is_same(wanted, decided) {
        let why = seen.outcome.reason().map(|why| format!(": {why}")).unwrap_or_default();
        found.push(mismatch("decision", wanted, format!("{decided}{why}")));
    }
}

fn texts(step: &Step, seen: &StepOutcome<'_>, found: &mut Vec<Mismatch>) {
    let verdict = &seen.outcome.verdict;
    let messages: Vec<&str> = verdict.messages.iter().map(|message| message.what.as_str()).collect();
    let texts = [
        ("reason", &step.want.reason, seen.outcome.reason()),
        ("context", &step.want.context, verdict.joined_context()),
        ("message", &step.want.message, (!messages.is_empty()).then(|| messages.join("\n"))),
    ];
    for (what, wanted, text) in texts {
        let Some(pattern) = wanted else { continue };
        if !pattern.matches(text.as_deref().unwrap_or_default()) {
            found.push(mismatch(what, pattern.to_string(), text.unwrap_or_else(|| "none".to_owned())));
        }
    }
    if let Some(wanted) = &step.want.rewrite {
        let rewritten = rewrite(seen.outcome);
        if rewritten.as_ref() != Some(wanted) {
            let shown = rewritten.map_or_else(|| "none".to_owned(), |input| Value::Object(input).to_string());
            found.push(mismatch("rewrite", Value::Object(wanted.clone()).to_string(), shown));
        }
    }
}

/// Returns the input with which hooks replace that of the tool.
pub fn rewrite(outcome: &Outcome) -> Option<Map<String, Value>> {
    if let Ruling::RequestAllow { updated_input: Some(input), .. } = &outcome.verdict.ruling {
        return Some(input.what.clone());
    }
    outcome.verdict.fields.updated_input.as_ref().map(|input| input.what.clone())
}

/// Checks that only the handler named by `by` made the decision, and by an answer.
fn credit(step: &Step, by: Option<HandlerKey>, seen: &StepOutcome<'_>, found: &mut Vec<Mismatch>) {
    let (Some(by), Some(wanted)) = (by, &step.want.decision) else { return };
    let decides = |run: &&Arc<Run>| decided_by(&run.reply).is_some_and(|word| is_same(word, wanted));
    let deciders: Vec<&Arc<Run>> = seen.outcome.runs.iter().filter(decides).collect();
    if !deciders.is_empty() && deciders.iter().all(|run| HandlerKey::of(&run.handler) == by) {
        return;
    }
    let mut names: Vec<String> = deciders.iter().map(|run| handler_name::short(&run.handler)).collect();
    names.dedup();
    let names = if names.is_empty() { "no hook".to_owned() } else { names.join(", ") };
    found.push(mismatch("by", step.want.by.clone().unwrap_or_default(), names));
}

fn exit(step: &Step, by: Option<HandlerKey>, seen: &StepOutcome<'_>, found: &mut Vec<Mismatch>) {
    let Some(wanted) = step.want.exit else { return };
    let runs = seen.outcome.runs.iter().filter(|run| by.is_none_or(|by| HandlerKey::of(&run.handler) == by));
    let exits: Vec<String> =
        runs.map(|run| run.exit.map_or_else(|| "no exit code".to_owned(), |code| code.to_string())).collect();
    if exits.is_empty() || exits.iter().any(|exit| *exit != wanted.to_string()) {
        let seen = if exits.is_empty() { "no run".to_owned() } else { exits.join(", ") };
        found.push(mismatch("exit", wanted.to_string(), seen));
    }
}

fn skipped(
    step: &Step,
    handlers: &[Arc<Handler>],
    seen: &StepOutcome<'_>,
    found: &mut Vec<Mismatch>,
) -> Result<(), UnresolvedName> {
    for name in &step.want.skipped {
        let key = HandlerKey::of(handler_name::resolve(name, step.event.name(), handlers)?);
        if seen.outcome.runs.iter().any(|run| HandlerKey::of(&run.handler) == key) {
            found.push(mismatch("skipped", name, "it ran"));
        }
    }
    Ok(())
}

/// Checks failures: a handler that fails is expected by name, or fails the case.
fn failures(
    step: &Step,
    handlers: &[Arc<Handler>],
    seen: &StepOutcome<'_>,
    found: &mut Vec<Mismatch>,
) -> Result<(), UnresolvedName> {
    let mut expected = Vec::new();
    for name in &step.want.failed {
        let key = HandlerKey::of(handler_name::resolve(name, step.event.name(), handlers)?);
        let is_it = |run: &&Arc<Run>| HandlerKey::of(&run.handler) == key && run.failure.is_some();
        if !seen.outcome.runs.iter().any(|run| is_it(&run)) {
            found.push(mismatch("failed", name, "it did not fail"));
        }
        expected.push(key);
    }
    for run in &seen.outcome.runs {
        let Some(failure) = &run.failure else { continue };
        if !expected.contains(&HandlerKey::of(&run.handler)) {
            let name = handler_name::short(&run.handler);
            found.push(mismatch("failed", "no hook", format!("`{name}` {failure}")));
        }
    }
    Ok(())
}

fn files(step: &Step, seen: &StepOutcome<'_>, found: &mut Vec<Mismatch>) {
    for (path, wanted) in &step.want.files {
        let content = match content(&seen.root.join(path)) {
            Ok(content) => content,
            Err(why) => {
                found.push(mismatch("files", format!("`{path}` to be read"), why.to_string()));
                continue;
            }
        };
        if content == *wanted {
            continue;
        }
        let shown = |text: &Option<String>| match text {
            Some(text) => format!("`{path}` with {text:?}"),
            None => format!("no file `{path}`"),
        };
        found.push(mismatch("files", shown(wanted), shown(&content)));
    }
}

/// Returns the text of a file; `None` if there is nothing at its path.
fn content(path: &Path) -> io::Result<Option<String>> {
    let file = match text_file::open(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        other => other?,
    };
    let mut bytes = Vec::new();
    file.take(text_file::LIMIT).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
