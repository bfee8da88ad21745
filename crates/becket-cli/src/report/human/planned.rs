//! `explain` for people.

use super::{dropped, headline, short_position};
use crate::env::Surroundings;
use crate::report::style::{FAINT, GOOD, SOURCE, WARNING, indented, plain, styled};
use crate::report::table::{Cell, Table};
use crate::wrap;
use becket_embed::view::planned::{PlanReport, PlannedHook};

/// Returns the plan: the hooks that run, then those that do not.
pub(crate) fn render(planned: &PlanReport, around: &Surroundings) -> String {
    let headline = headline(planned.event, planned.subject.as_deref(), &planned.samples);
    wrap::fit(&(headline + &body(planned, 2, around)), around.width)
}

/// Returns the plan without its first line, indented.
pub(super) fn body(planned: &PlanReport, indent: usize, around: &Surroundings) -> String {
    let mut table = Table::default();
    for run in &planned.runs {
        runs(&mut table, run, around);
    }
    for skipped in planned.skipped.iter().chain(&planned.modules) {
        dropped(&mut table, skipped, around);
    }
    let mut text = String::new();
    if planned.runs.is_empty() && planned.skipped.is_empty() {
        text.push_str(&format!("{:indent$}no hooks are configured for `{}`\n", "", planned.event));
    }
    text.push_str(&table.fitted(indent, around.width));
    if let Some(rules) = &planned.rules {
        text.push_str(&format!("\n{:2$}without hooks: {}\n", "", plain(rules.settlement), indent - 2));
        text.push_str(&indented(&rules.reason, indent));
    }
    text
}

fn runs(table: &mut Table, run: &PlannedHook, around: &Surroundings) {
    table.row([
        Cell::new(SOURCE, &run.hook.source),
        Cell::new(GOOD, "runs"),
        Cell::text(&run.hook.label),
        Cell::last(FAINT, &short_position(&run.hook.at, around)),
    ]);
    let matcher = match run.matcher.as_str() {
        "" | "*" => "matches everything".to_owned(),
        matcher => format!("\"{matcher}\" matches"),
    };
    table.below(&format!("      {} {}\n", styled(FAINT, "matcher:"), plain(&matcher)));
    if let Some(mode) = &run.mode {
        table.below(&format!("      {} {}\n", styled(WARNING, "mode:"), plain(mode)));
    }
    if let Some(note) = &run.note {
        table.below(&format!("      {} {}\n", styled(FAINT, "if:"), plain(note)));
    }
    if let Some(why) = &run.fails {
        table.below(&format!("      {} {}\n", styled(WARNING, "fails:"), plain(why)));
    }
}
