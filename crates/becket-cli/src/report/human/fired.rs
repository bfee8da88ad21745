//! `fire` for people: each hook, then what they came to.

use super::{dropped, headline};
use crate::env::Surroundings;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, SOURCE, WARNING, indented, one_line, plain, styled};
use crate::report::table::{Cell, Table};
use anstyle::Style;
use becket_embed::view::fired::{Decided, Fired, Result, Told};
use becket_embed::view::ran::{Asked, Model, Ran};

/// The outcome.
pub(crate) fn render(fired: &Fired, around: &Surroundings) -> String {
    let mut text = headline(fired.event, fired.subject.as_deref(), &fired.samples);
    let mut table = Table::default();
    for ran in &fired.hooks {
        row(&mut table, ran);
    }
    for skipped in &fired.skipped {
        dropped(&mut table, skipped, around);
    }
    if fired.hooks.is_empty() && fired.skipped.is_empty() {
        text.push_str(&format!("  no hooks are configured for `{}`\n", fired.event));
    }
    text.push_str(&table.render(2));
    text.push('\n');
    let unchecked = fired.hooks.iter().any(|ran| ran.unchecked);
    text.push_str(&verdict(&fired.verdict, fired.result, unchecked));
    text
}

/// A hook and, below it, what it asked, used and said.
pub(crate) fn row(table: &mut Table, ran: &Ran) {
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
    for asked in &ran.questions {
        table.below(&format!("      {}\n", question(asked)));
    }
    if let Some(model) = &ran.model {
        table.below(&format!("      {}\n", styled(FAINT, &used(model))));
    }
    if let Some(reason) = &ran.reason {
        // In full it stands below, where it decided.
        table.below(&format!("      {}\n", one_line(reason, 90)));
    }
    if let Some(failure) = &ran.failure {
        let what = if ran.unchecked { "not checked: " } else { "" };
        table.below(&format!("      {}\n", styled(WARNING, &format!("{what}{failure}"))));
    }
    for warning in &ran.warnings {
        table.below(&format!("      {} {}\n", styled(WARNING, "warning:"), plain(warning)));
    }
}

/// A question and what became of it.
fn question(asked: &Asked) -> String {
    let answer = match (&asked.selected, asked.outcome) {
        (Some(key), _) => styled(GOOD, &format!("`{}`", one_line(key, 40))),
        (None, "nobody") => styled(WARNING, "there is nobody to ask"),
        (None, "none_chosen") => styled(WARNING, "none chosen"),
        (None, "withdrawn") => styled(WARNING, "withdrawn, since the hook ended"),
        (None, _) => styled(WARNING, "not asked"),
    };
    format!("asked: {} {answer}", one_line(&asked.message, 60))
}

/// What a model took, on a line.
fn used(model: &Model) -> String {
    let requests =
        if model.requests == 1 { "1 request".to_owned() } else { format!("{} requests", model.requests) };
    let cost = model.cost_usd.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    let sent = if model.from_cache { "from the cache of verdicts".to_owned() } else { requests };
    let name = one_line(&model.name, 60);
    format!("{name}: {sent}, {} tokens read, {} written{cost}", model.input_tokens, model.output_tokens)
}

/// What a hook did, in one word.
fn word(ran: &Ran) -> (Style, &'static str) {
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

/// A time as people read it.
pub(super) fn duration(ms: f64) -> String {
    if ms < 9.95 { format!("{ms:.1} ms") } else { format!("{ms:.0} ms") }
}

fn verdict(decided: &Decided, result: Result, unchecked: bool) -> String {
    let (style, word) = match (result, decided.settlement) {
        (_, Some(settlement)) if settlement != "open" => (style_of(result), settlement),
        (Result::Passed, _) if unchecked => (WARNING, "nothing against it, but not everything was checked"),
        (Result::Passed, _) => (GOOD, "nothing against it"),
        (Result::Blocked, _) => (ERROR, "blocked"),
        (Result::Waits, _) => (WARNING, "waits"),
    };
    let mut text = format!("{}\n", styled(style, word));
    if let Some(reason) = &decided.reason {
        text.push_str(&indented(reason, 2));
    }
    if let Some(stop) = &decided.stop {
        let reason = stop.reason.as_deref().unwrap_or("a hook says so");
        text.push_str(&format!("{} {}\n", styled(ERROR, "the host stops:"), plain(reason)));
    }
    told(&mut text, "context for the model", &decided.context);
    told(&mut text, "messages for the user", &decided.messages);
    told(&mut text, "notes", &decided.notices);
    told(&mut text, "problems", &decided.failures);
    for (name, value) in &decided.fields {
        text.push_str(&format!("{} {}\n", styled(HEAD, &format!("{name}:")), plain(&value.to_string())));
    }
    for warning in &decided.warnings {
        text.push_str(&format!("{} {}\n", styled(WARNING, "warning:"), plain(warning)));
    }
    text
}

fn style_of(result: Result) -> Style {
    match result {
        Result::Passed => GOOD,
        Result::Blocked => ERROR,
        Result::Waits => WARNING,
    }
}

fn told(text: &mut String, headline: &str, what: &[Told]) {
    if what.is_empty() {
        return;
    }
    text.push_str(&format!("{}\n", styled(HEAD, headline)));
    for told in what {
        let lines = indented(&told.text, 4);
        text.push_str(&format!("  {}\n{lines}", styled(SOURCE, &told.source)));
    }
}
