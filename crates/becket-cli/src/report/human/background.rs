//! Background hooks, for people.

use super::fired::duration;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, SOURCE, WARNING, indented, plain, styled};
use crate::report::table::{Cell, Table};
use anstyle::Style;
use becket_embed::view::background::BackgroundResult;

/// Shows each hook with its result; nothing if there is none.
pub(crate) fn render(all: &[BackgroundResult]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    for left in all {
        let (style, word) = word(left);
        table.row([
            Cell::new(SOURCE, &left.source),
            Cell::new(style, word),
            Cell::text(&left.label),
            Cell::new(FAINT, &duration(left.elapsed_ms)),
        ]);
        table.below(&below(left));
    }
    format!("{}\n{}", styled(HEAD, "in the background"), table.render(2))
}

fn word(left: &BackgroundResult) -> (Style, &'static str) {
    match (left.status, &left.reminder) {
        (_, Some(_)) => (ERROR, "wakes"),
        ("cancelled", None) => (WARNING, "cancelled"),
        ("error", None) => (WARNING, "error"),
        (_, None) if !left.context.is_empty() => (GOOD, "context"),
        (_, None) => (GOOD, "ok"),
    }
}

fn below(left: &BackgroundResult) -> String {
    let mut text = String::new();
    if let Some(reminder) = &left.reminder {
        text.push_str(&indented(&format!("the model reads at once: {reminder}"), 6));
    }
    for context in &left.context {
        text.push_str(&indented(&format!("the model reads on its next turn: {context}"), 6));
    }
    if let Some(failure) = &left.failure {
        text.push_str(&format!("      {}\n", styled(WARNING, failure)));
    }
    for warning in &left.warnings {
        text.push_str(&format!("      {} {}\n", styled(WARNING, "warning:"), plain(warning)));
    }
    text
}
