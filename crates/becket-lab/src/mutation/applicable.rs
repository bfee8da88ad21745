//! Mutants without effect on a handler, each with the reason.

use crate::handler_key::HandlerKey;
use crate::mutant::Mutant;
use crate::runner::CaseRecord;
use becket_engine::handler::{Action, Handler, If};
use becket_engine::{RunEnd, SkipReason};
use becket_model::EventKind;
use becket_model::table::Exit2Effect;
use becket_process::End;
use becket_rules::MatcherKind;

/// Returns the reason why a mutant does not apply to a handler, or `None` if it does.
pub(super) fn not_applicable<'a>(
    handler: &Handler,
    mutant: Mutant,
    records: impl Iterator<Item = &'a CaseRecord> + Clone,
) -> Option<String> {
    if let Some(why) = copied(handler, mutant, records.clone()) {
        return Some(why);
    }
    let event = handler.event;
    let key = HandlerKey::of(handler);
    let why = match mutant {
        Mutant::AlwaysDeny if !exit_2_holds_back(event) => {
            format!("exit code 2 holds nothing back on `{event}`")
        }
        Mutant::Exit2To1 if !ended(key, records.clone(), |end, _| end == End::Exited(2)) => {
            "it exits with 2 in no case".to_owned()
        }
        Mutant::AnswerOnStderr if !ended(key, records, |_, stdout| !stdout.is_empty()) => {
            "it prints nothing on stdout in any case".to_owned()
        }
        Mutant::MatcherNever | Mutant::MatcherWidened if event.spec().matcher.is_none() => {
            format!("`{event}` has no matcher")
        }
        Mutant::MatcherWidened if handler.matcher.kind() == MatcherKind::Everything => {
            "its matcher matches everything".to_owned()
        }
        Mutant::MatcherWidened if let Some(tool) = only_tool(handler) => {
            format!("its `if` is about `{tool}` alone, which its matcher matches")
        }
        Mutant::IfDropped if !matches!(handler.condition, If::Rule(_)) => "it has no `if`".to_owned(),
        Mutant::EmptyStdin if !matches!(handler.action, Action::Command(_)) => {
            format!("{} hooks have no stdin", handler.action.name())
        }
        Mutant::AlwaysPass
        | Mutant::AlwaysDeny
        | Mutant::Exit1
        | Mutant::Exit2To1
        | Mutant::Killed
        | Mutant::TimesOut
        | Mutant::Deleted
        | Mutant::MatcherNever
        | Mutant::MatcherWidened
        | Mutant::IfDropped
        | Mutant::AnswerOnStderr
        | Mutant::EmptyStdin => return None,
    };
    Some(why)
}

/// Returns the reason why a handler that is configured twice can't be broken alone: of two copies one runs (H1), and
/// the other runs if that one is removed.
fn copied<'a>(
    handler: &Handler,
    mutant: Mutant,
    records: impl Iterator<Item = &'a CaseRecord>,
) -> Option<String> {
    let skipped = records.flat_map(|record| &record.steps).flat_map(|step| step.outcome.plan.skipped());
    let takes_away = matches!(mutant, Mutant::Deleted | Mutant::MatcherNever);
    skipped.filter(|skipped| skipped.handler.event == handler.event).find_map(|skipped| {
        let SkipReason::Duplicate { source, label } = &skipped.why else { return None };
        if HandlerKey::of(&skipped.handler) == HandlerKey::of(handler) {
            return Some(format!("it is a copy of `{label}` ({source}), which runs in its place"));
        }
        let leads = takes_away && *label == handler.place.label && *source == handler.place.source;
        let copy = || format!("its copy ({}) would run in its place", skipped.handler.place.source);
        leads.then(copy)
    })
}

/// Returns whether exit code 2 of a hook denies or blocks.
fn exit_2_holds_back(event: EventKind) -> bool {
    !matches!(event.spec().exit_2.effect, Exit2Effect::Proceed | Exit2Effect::Ignored)
}

/// Returns the one tool that the `if` of a handler is about, if its matcher matches it: then no other tool can select
/// the handler, whatever its matcher.
fn only_tool(handler: &Handler) -> Option<String> {
    let If::Rule(condition) = &handler.condition else { return None };
    let text = condition.to_string();
    let (tool, rest) = text.split_once('(').unwrap_or((&text, ")"));
    let is_name = !tool.is_empty() && tool.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // Only one rule: in a longer text, only parsing would show the tools.
    let is_alone = rest.ends_with(')') && !rest.contains(['(', '|']);
    (is_name && is_alone && handler.matcher.matches(tool)).then(|| tool.to_owned())
}

/// Returns whether a run of the handler ended in this way in any case.
fn ended<'a>(
    key: HandlerKey,
    mut records: impl Iterator<Item = &'a CaseRecord>,
    test: impl Fn(End, &[u8]) -> bool,
) -> bool {
    records.any(|record| {
        record.runs.iter().filter(|run| run.handler == key).any(|run| match &run.end {
            RunEnd::Ended { end, stdout, .. } => test(*end, &stdout.bytes),
            RunEnd::Failed(_) => false,
        })
    })
}
