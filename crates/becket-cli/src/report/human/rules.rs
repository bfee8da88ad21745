//! The rules of `check` for people.

use crate::report::style::{FAINT, HEAD, NONE, styled};
use crate::report::table::{Cell, Table};
use becket_engine::config::DiagnosticRule;

/// Returns one line for each rule.
pub(crate) fn list(rules: &[DiagnosticRule], width: Option<usize>) -> String {
    let mut table = Table::default();
    for rule in rules {
        table.row([Cell::new(HEAD, rule.code), Cell::last(FAINT, rule.title)]);
    }
    table.fitted(0, width) + "\n`becket rule CODE` explains one\n"
}

/// Returns a rule in full.
pub(crate) fn one(rule: &DiagnosticRule, width: Option<usize>) -> String {
    let mut facts = Table::default();
    for (name, text) in [("problem", rule.title), ("effect", rule.reason), ("fix", rule.remedy)] {
        facts.row([Cell::new(FAINT, name), Cell::last(NONE, text)]);
    }
    format!("{}\n\n{}", styled(HEAD, rule.code), facts.fitted(0, width))
}
