//! The case that would notice a mutant, as text for a case file.

use crate::case_text::{quoted, toml, written};
use crate::check;
use crate::coverage::can_hold_back;
use crate::handler_key::HandlerKey;
use crate::handler_name;
use crate::mutant::Mutant;
use crate::runner::{CaseRecord, StepRecord};
use becket_engine::handler::Handler;
use becket_rules::tools;
use serde_json::{Map, Value};

/// The placeholder for text that only the author knows.
const OPEN: &str = "…";

/// Returns a case that would notice a mutant of a handler.
pub(super) fn case_to_add<'a>(
    handler: &Handler,
    mutant: Mutant,
    records: impl Iterator<Item = &'a CaseRecord> + Clone,
) -> String {
    let name = handler_name::short(handler);
    if matches!(mutant, Mutant::MatcherWidened | Mutant::IfDropped) {
        return unselected(handler, mutant, &name);
    }
    let key = HandlerKey::of(handler);
    if mutant == Mutant::Exit1 {
        let ran = first(records.clone(), |step| runs(key, step).next().map(|_| ()));
        if let Some((input, ())) = ran {
            return written(&format!("{name} exits with 0"), handler.event, &input, "{ exit = 0 }");
        }
    }
    // The handler acted in a case that expects nothing of it.
    if let Some((input, want)) = first(records, |step| wanted(key, &name, step)) {
        return written(&format!("{name} does its work"), handler.event, &input, &want);
    }
    let input = open_input(handler, &first_tool(handler));
    let want =
        if can_hold_back(handler.event) { denies(&name) } else { "{ context = \"*…*\" }".to_owned() };
    written(&format!("{name} does its work"), handler.event, &input, &want)
}

fn runs(key: HandlerKey, step: &StepRecord) -> impl Iterator<Item = &becket_engine::Run> {
    step.outcome.runs.iter().map(|run| &**run).filter(move |run| HandlerKey::of(&run.handler) == key)
}

/// Returns the input of the first step with an expectation, and the expectation.
fn first<'a, T>(
    mut records: impl Iterator<Item = &'a CaseRecord>,
    say: impl Fn(&StepRecord) -> Option<T>,
) -> Option<(Map<String, Value>, T)> {
    records.find_map(|record| {
        let mut pairs = record.case.steps.iter().zip(&record.steps);
        pairs.find_map(|(step, seen)| Some((step.input.clone(), say(seen)?)))
    })
}

/// Returns the expectation that a handler met in a step: its decision, its rewrite or its context.
fn wanted(key: HandlerKey, name: &str, step: &StepRecord) -> Option<String> {
    let run = runs(key, step).find(|run| !run.reply.is_silent())?;
    if let Some(decision) = check::decided_by(&run.reply) {
        return Some(format!("{{ decision = {}, by = {} }}", quoted(decision), quoted(name)));
    }
    if let Some(input) = &run.reply.fields.updated_input {
        return Some(format!("{{ rewrite = {} }}", toml(&Value::Object(input.clone()))));
    }
    let context = run.reply.context.first()?;
    Some(format!("{{ context = {} }}", quoted(&format!("*{}*", context.text.trim_end()))))
}

fn denies(name: &str) -> String {
    format!("{{ decision = \"deny\", by = {} }}", quoted(name))
}

/// Returns a case in which the handler must not run.
fn unselected(handler: &Handler, mutant: Mutant, name: &str) -> String {
    let common = ["Read", "Write", "Bash"].into_iter().chain(tools::known().iter().copied());
    let other = common.into_iter().find(|tool| !handler.matcher.matches(tool));
    let (tool, why) = if mutant == Mutant::MatcherWidened {
        (other.unwrap_or(OPEN).to_owned(), "what its matcher leaves out")
    } else {
        (first_tool(handler), "what its `if` leaves out")
    };
    let input = open_input(handler, &tool);
    let title = format!("{name} does not run for {why}");
    written(&title, handler.event, &input, &format!("{{ skipped = {} }}", quoted(name)))
}

/// Returns a tool that the matcher of a handler matches.
fn first_tool(handler: &Handler) -> String {
    let common = ["Bash", "Edit", "Write", "Read"].into_iter().chain(tools::known().iter().copied());
    common.into_iter().find(|tool| handler.matcher.matches(tool)).unwrap_or(OPEN).to_owned()
}

/// Returns the input of a call whose main field the author fills in.
fn open_input(handler: &Handler, tool: &str) -> Map<String, Value> {
    let mut input = Map::new();
    if !handler.event.spec().input.iter().any(|field| field.name == "tool_name") {
        return input;
    }
    let field = tools::find(tool).and_then(|tool| tool.primary.field()).unwrap_or(OPEN);
    input.insert("tool_name".to_owned(), tool.into());
    input.insert("tool_input".to_owned(), Value::Object(Map::from_iter([(field.to_owned(), OPEN.into())])));
    input
}
