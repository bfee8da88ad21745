//! Reports for people: aligned, coloured by meaning, and short.

pub(crate) mod answer;
pub(crate) mod audited;
pub(crate) mod background;
pub(crate) mod called;
pub(crate) mod event_rows;
pub(crate) mod findings;
pub(crate) mod fired;
mod frame;
pub(crate) mod listed;
pub(crate) mod masked;
pub(crate) mod mcp;
pub(crate) mod pending;
pub(crate) mod planned;
pub(crate) mod profiled;
pub(crate) mod replayed;
pub(crate) mod rules;
pub(crate) mod tested;

use super::style::{FAINT, SOURCE, WARNING, styled};
use super::table::{Cell, Table};
use crate::env::Surroundings;
use becket_embed::view::hook::{NOT_RUN_HERE, SkippedHook, SourcePosition};
use std::fmt::Display;
use std::path::Path;

/// Returns a number with its noun, in the plural unless it is 1.
fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Returns `file:line:column`, with the shortest correct path.
pub(crate) fn short_position(at: &SourcePosition, around: &Surroundings) -> String {
    let file = around.short(Path::new(&at.file));
    if at.line == 0 { file } else { format!("{file}:{}:{}", at.line, at.column) }
}

/// Returns the first line: the event and its subject.
pub(crate) fn headline(event: &str, subject: Option<&str>, samples: &[&str]) -> String {
    let about = subject.map(|subject| format!("  {}", styled(SOURCE, subject))).unwrap_or_default();
    let made_up = match samples {
        [] => String::new(),
        names => format!("  {}", styled(FAINT, &format!("(sample {})", names.join(", ")))),
    };
    format!("{}{about}{made_up}\n", styled(super::style::HEAD, event))
}

/// Adds a row for a handler that does not run, with the stage and the reason.
pub(crate) fn dropped(table: &mut Table, dropped: &SkippedHook, around: &Surroundings) {
    let (style, word) = match dropped.stage {
        "schema" => (WARNING, "broken"),
        NOT_RUN_HERE => (WARNING, "not run here"),
        _ => (FAINT, "skipped"),
    };
    table.row([
        Cell::new(SOURCE, &dropped.source),
        Cell::new(style, word),
        Cell::text(&dropped.label),
        Cell::last(FAINT, &short_position(&dropped.at, around)),
    ]);
    let why = super::style::plain(&dropped.why);
    table.below(&format!("      {why} {}\n", styled(FAINT, &format!("[{}]", dropped.stage))));
}
