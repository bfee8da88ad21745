//! `fire` for people: each hook, then their combined result.

use super::{dropped, headline};
use crate::env::Surroundings;
use crate::report::style::{
    ERROR, FAINT, GOOD, HEAD, SOURCE, WARNING, indented, one_line, plain, running, styled,
};
use crate::report::table::{Cell, Table};
use crate::wrap;
use anstyle::Style;
use becket_embed::view::fired::{AttributedText, EventResult, FireReport};
use becket_embed::view::ran::{Model, Process, QuestionReport, RunReport};

/// Returns the report of an outcome.
pub(crate) fn render(fired: &FireReport, around: &Surroundings) -> String {
    let mut text = wrap::fit(&headline(fired.event, fired.subject.as_deref(), &fired.samples), around.width);
    let mut table = Table::default();
    let reason = fired.verdict.reason.as_deref();
    for ran in &fired.hooks {
        row(&mut table, ran, reason);
    }
    for skipped in &fired.skipped {
        dropped(&mut table, skipped, around);
    }
    if fired.hooks.is_empty() && fired.skipped.is_empty() {
        text.push_str(&format!("  no hooks are configured for `{}`\n", fired.event));
    }
    text.push_str(&table.fitted(2, around.width));
    text.push('\n');
    text.push_str(&result(fired, around));
    text
}

/// Returns only the combined result.
pub(crate) fn result(fired: &FireReport, around: &Surroundings) -> String {
    wrap::fit(&verdict(fired, around.width), around.width)
}

/// Adds a hook and, below it, its questions, usage and messages; its reason is omitted if it is that of the verdict,
/// which is shown in full.
pub(crate) fn row(table: &mut Table, ran: &RunReport, verdict_reason: Option<&str>) {
    let (style, word) = word(ran);
    table.row([
        Cell::new(SOURCE, &ran.hook.source),
        Cell::new(style, word),
        Cell::text(&ran.hook.label),
        Cell::new(FAINT, &duration(ran.elapsed_ms)),
    ]);
    if ran.second_look {
        table.below(&indented("again, on the input that another hook rewrote", 6));
    }
    for entry in &ran.questions {
        table.below(&format!("      {}\n", question(entry)));
    }
    if let Some(model) = &ran.model {
        table.below(&format!("      {}\n", styled(FAINT, &used(model))));
    }
    if let Some(reason) = ran.reason.as_ref().filter(|reason| verdict_reason != Some(reason.as_str())) {
        // If the hook decided, the full text is below.
        table.below(&format!("      {}\n", one_line(reason, 90)));
    }
    if let Some(failure) = &ran.headline {
        let what = if ran.unchecked { "not checked: " } else { "" };
        table.below(&format!("      {}\n", styled(WARNING, &format!("{what}{failure}"))));
    }
    for line in &ran.last_lines {
        table.below(&format!("        {}\n", plain(line)));
    }
    if let Some(advice) = &ran.advice {
        table.below(&format!("      {}\n", styled(WARNING, advice)));
    }
    for warning in &ran.warnings {
        table.below(&format!("      {} {}\n", styled(WARNING, "warning:"), plain(warning)));
    }
    if let Some(process) = &ran.process {
        table.below(&of_process(process));
    }
}

/// Returns the input and output of a process.
fn of_process(process: &Process) -> String {
    let environment: String = process
        .environment
        .iter()
        .map(|(name, value)| format!("{name}={}\n", one_line(value, 1000)))
        .collect();
    let parts = [
        ("stdin", process.input.as_deref().unwrap_or_default()),
        ("environment, beside Becket's own", &environment),
        ("stdout", &process.stdout),
        ("stderr", &process.stderr),
    ];
    let mut text = String::new();
    for (name, content) in parts {
        let content = plain(content.trim_end());
        if content.is_empty() {
            text.push_str(&format!("      {}\n", styled(FAINT, &format!("{name}: nothing"))));
            continue;
        }
        text.push_str(&format!("      {}\n", styled(FAINT, &format!("{name}:"))));
        text.extend(content.lines().map(|line| format!("        {line}\n")));
    }
    text
}

/// Returns a question and its result.
fn question(report: &QuestionReport) -> String {
    let answer = match (&report.selected, report.outcome) {
        (Some(key), _) => styled(GOOD, &format!("`{}`", one_line(key, 40))),
        (None, "nobody") => styled(WARNING, "no user to ask"),
        (None, "none_chosen") => styled(WARNING, "none chosen"),
        (None, "withdrawn") => styled(WARNING, "withdrawn, since the hook ended"),
        (None, _) => styled(WARNING, "not asked"),
    };
    format!("asked: {} {answer}", one_line(&report.message, 60))
}

/// Returns the usage of a model, on one line.
fn used(model: &Model) -> String {
    let requests =
        if model.requests == 1 { "1 request".to_owned() } else { format!("{} requests", model.requests) };
    let cost = model.cost_usd.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    let sent = if model.from_cache { "from the cache of verdicts".to_owned() } else { requests };
    let name = one_line(&model.name, 60);
    format!("{name}: {sent}, {} tokens read, {} written{cost}", model.input_tokens, model.output_tokens)
}

/// Returns the result of a hook, in one word.
fn word(ran: &RunReport) -> (Style, &'static str) {
    if let Some(would) = ran.would {
        return (WARNING, would_have(would));
    }
    match (ran.decision, ran.status) {
        (Some("deny" | "block" | "decline"), _) => (ERROR, ran.decision.unwrap_or("blocked")),
        (_, "blocked") => (ERROR, "blocked"),
        (_, "cancelled") => (WARNING, "cancelled"),
        (_, "error") => (WARNING, "error"),
        (Some(word @ ("ask" | "defer" | "cancel")), _) => (WARNING, word),
        (Some(word), _) => (GOOD, word),
        (None, _) if ran.in_background => (FAINT, "left"),
        (None, _) if ran.gave_context => (GOOD, "context"),
        (None, _) => (GOOD, "ok"),
    }
}

/// Returns the word for an answer that had no effect.
fn would_have(would: &str) -> &'static str {
    match would {
        "deny" => "would deny",
        "block" => "would block",
        "stop" => "would stop",
        "defer" => "would defer",
        "ask" => "would ask",
        "allow" => "would allow",
        "fail" => "would fail",
        "rewrite" => "would rewrite",
        _ => "would answer",
    }
}

/// Formats a duration for people.
pub(super) fn duration(ms: f64) -> String {
    if ms < 9.95 { format!("{ms:.1} ms") } else { format!("{ms:.0} ms") }
}

/// Returns the combined result of the hooks. An unchecked event is reported in the last line, where it can't be
/// overlooked.
fn verdict(fired: &FireReport, width: Option<usize>) -> String {
    let decided = &fired.verdict;
    let mut text = String::new();
    if !fired.unchecked {
        let (style, word) = match (fired.result, decided.settlement) {
            (_, Some(settlement)) if settlement != "open" => (style_of(fired.result), settlement),
            (EventResult::Passed, _) if fired.hooks.iter().any(|ran| ran.failure.is_some()) => {
                (WARNING, "allowed, though a hook failed")
            }
            (EventResult::Passed, _) => (GOOD, "allowed"),
            (EventResult::Blocked, _) => (ERROR, "blocked"),
            (EventResult::Waits, _) => (WARNING, "waits"),
        };
        text.push_str(&format!("{}\n", styled(style, word)));
    }
    if let Some(reason) = &decided.reason {
        text.push_str(&running(reason, 2, width));
    }
    if let Some(stop) = &decided.stop {
        let reason = stop.reason.as_deref().unwrap_or("a hook stopped it");
        text.push_str(&format!("{} {}\n", styled(ERROR, "the host stops:"), plain(reason)));
    }
    attributed_texts(&mut text, "context for the model", &decided.context, width);
    attributed_texts(&mut text, "messages for the user", &decided.messages, width);
    attributed_texts(&mut text, "notes", &decided.notices, width);
    for (name, value) in &decided.fields {
        text.push_str(&format!("{} {}\n", styled(HEAD, &format!("{name}:")), plain(&value.to_string())));
    }
    attributed_texts(&mut text, "in observation, without effect", &decided.observed, width);
    for warning in &decided.warnings {
        text.push_str(&format!("{} {}\n", styled(WARNING, "warning:"), plain(warning)));
    }
    if fired.unchecked {
        text.push_str(&unchecked(fired));
    }
    text
}

/// Returns a line such as `allowed, but not checked: `guard.sh`: ran out of time after 5 s`.
fn unchecked(fired: &FireReport) -> String {
    let ran = fired.hooks.iter().filter(|ran| ran.unchecked).map(|ran| {
        let why = ran.failure.as_ref().or(ran.lost_refusal.as_ref());
        (&ran.hook.label, why.map_or("", String::as_str))
    });
    let rejected = fired.skipped.iter().filter(|skipped| skipped.is_rejected());
    let mut hooks = ran.chain(rejected.map(|skipped| (&skipped.label, skipped.why.as_str())));
    let first = hooks.next().map(|(label, why)| format!("`{}`: {}", one_line(label, 60), one_line(why, 200)));
    let more = match hooks.count() {
        0 => String::new(),
        1 => ", and another hook".to_owned(),
        more => format!(", and {more} other hooks"),
    };
    let line = format!("allowed, but not checked: {}{more}", first.unwrap_or_default());
    format!("{}\n", styled(WARNING, &line))
}

fn style_of(result: EventResult) -> Style {
    match result {
        EventResult::Passed => GOOD,
        EventResult::Blocked => ERROR,
        EventResult::Waits => WARNING,
    }
}

fn attributed_texts(text: &mut String, headline: &str, what: &[AttributedText], width: Option<usize>) {
    if what.is_empty() {
        return;
    }
    text.push_str(&format!("{}\n", styled(HEAD, headline)));
    for entry in what {
        let lines = running(&entry.text, 4, width);
        text.push_str(&format!("  {}\n{lines}", styled(SOURCE, &entry.source)));
    }
}
