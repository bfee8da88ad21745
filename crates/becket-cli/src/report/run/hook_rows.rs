//! The hooks of one event, for people: as `fire` shows them, without the silent ones.

use crate::report::human::fired::row;
use crate::report::style::{FAINT, HEAD, WARNING, one_line, plain, styled};
use crate::report::table::Table;
use crate::wrap::block;
use becket_embed::view::ran::RunReport;
use becket_engine::Run;
use becket_model::{Attributed, Reply, Verdict};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The number of characters of a context that are shown.
const CONTEXT: usize = 90;
/// The number of lines of a reason that are shown.
const LINES: usize = 4;
/// The number of characters of an input that are shown.
const INPUT: usize = 100;

/// Returns the rows of all hooks, or of those with a message, in the order of the configuration, not of completion.
pub(super) fn rows(runs: &[Arc<Run>], all: bool, indent: usize, width: Option<usize>) -> String {
    let mut shown: Vec<&Arc<Run>> = runs.iter().filter(|run| all || says_something(run)).collect();
    shown.sort_by_key(|run| {
        let (place, at) = (&run.handler.place, &run.handler.location);
        (run.second_look, place.source.list_rank(), place.source.to_string(), at.line, at.column)
    });
    let mut table = Table::default();
    for run in shown {
        row(&mut table, &short(run), None);
    }
    table.fitted(indent, width)
}

/// Returns the report of a run without its reason, which is shown in full below the rows.
fn short(run: &Run) -> RunReport {
    let ran = RunReport::new(run);
    let rewrote = run.reply.fields.updated_input.as_ref().map(|_| "rewrote");
    let restricted = run.reply.fields.sandbox.as_ref().map(|_| "restricted");
    RunReport { reason: None, decision: ran.decision.or(rewrote).or(restricted), ..ran }
}

fn says_something(run: &Run) -> bool {
    run.reply != Reply::default()
        || run.failure.is_some()
        || run.withheld.as_ref().is_some_and(|withheld| withheld.observed.is_some())
        || !run.warnings.is_empty()
        || !run.questions.is_empty()
}

/// Returns the combined result: the reason, the messages and their readers, and the rewritten input.
pub(super) fn verdict(verdict: &Verdict, all: bool, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    let mut text = String::new();
    if let Some(reason) = verdict.joined_reason() {
        text.push_str(&block(&if all { reason } else { beginning(&reason) }, indent));
    }
    if let Some(stop) = &verdict.stop {
        let reason = stop.what.reason.as_deref().unwrap_or("a hook stopped it");
        text.push_str(&format!("{blanks}{} {}\n", styled(WARNING, "stops:"), plain(reason)));
    }
    if let Some(Attributed { what, .. }) = &verdict.fields.updated_input {
        text.push_str(&format!("{blanks}{} {}\n", styled(HEAD, "runs instead:"), input(what)));
    }
    for entry in &verdict.fields.sandbox {
        let rights = one_line(&entry.what.to_string(), CONTEXT);
        text.push_str(&format!("{blanks}{} {rights}\n", styled(HEAD, "takes rights away:")));
    }
    for entry in &verdict.context {
        let context = one_line(&entry.what.text, CONTEXT);
        text.push_str(&format!("{blanks}{} {context}\n", styled(FAINT, "context:")));
    }
    text
}

/// Returns the first lines of a reason: some hooks print whole logs.
fn beginning(reason: &str) -> String {
    let lines: Vec<&str> = reason.trim_end().lines().collect();
    match lines.len().checked_sub(LINES) {
        Some(more @ 2..) => {
            format!("{}\n… and {more} more lines (`--verbose` shows them)", lines[..LINES].join("\n"))
        }
        Some(0..=1) | None => reason.to_owned(),
    }
}

/// The most informative keys of a call, in order of preference.
const PRIMARY: &[&str] = &[
    "command",
    "file_path",
    "pattern",
    "url",
    "description",
    "skill",
    "query",
    "question",
    "task_id",
    "prompt",
    "path",
];

/// Returns a call's input on one line: its main field, or all of it.
pub(super) fn input(input: &Map<String, Value>) -> String {
    let main = PRIMARY.iter().find_map(|key| input.get(*key).and_then(Value::as_str));
    let whole = || serde_json::to_string(input).unwrap_or_default();
    let questions = questions(input);
    match main {
        Some(text) => one_line(&without_blank_lines(text), INPUT),
        None if !questions.is_empty() => one_line(&questions.join(" · "), INPUT),
        None if input.is_empty() => String::new(),
        None => one_line(&whole(), INPUT),
    }
}

/// Removes blank lines, which would take space from the others.
fn without_blank_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.join("\n")
}

/// Returns the questions of a call, if it asks any.
fn questions(input: &Map<String, Value>) -> Vec<&str> {
    let questions = input.get("questions").and_then(Value::as_array);
    questions.into_iter().flatten().filter_map(|one| one.get("question")?.as_str()).collect()
}
