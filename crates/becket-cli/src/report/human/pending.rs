//! `background` for people.

use crate::env::Surroundings;
use crate::report::style::{FAINT, GOOD, HEAD, SOURCE, WARNING, plain, styled};
use crate::report::table::{Cell, Table};
use crate::wrap;
use anstyle::Style;
use becket_embed::view::pending::{AllPending, PendingHook, State};
use std::path::Path;

/// Returns the pending hooks, or a line about the directory if there are none.
pub(crate) fn render(all: &AllPending, around: &Surroundings) -> String {
    let directory = around.short(Path::new(&all.directory));
    let mut text = if all.hooks.is_empty() {
        let looked = styled(HEAD, &directory);
        let line = format!("nothing is pending in {looked}; name another directory with --session-dir\n");
        wrap::fit(&line, around.width)
    } else {
        table(&all.hooks)
    };
    for bad in &all.not_listed {
        let file = plain(&around.short(Path::new(&bad.file)));
        text.push_str(&format!("{} {file} {}\n", styled(WARNING, "not listed:"), plain(&bad.why)));
    }
    text
}

fn table(hooks: &[PendingHook]) -> String {
    let mut table = Table::default();
    let titles = ["ID", "EVENT", "HOOK", "FOR", "LIMIT", "STATE"];
    table.row(titles.map(|title| Cell::new(FAINT, title)));
    for hook in hooks {
        let (style, word) = state(hook);
        table.row([
            Cell::text(&hook.id),
            Cell::new(HEAD, &hook.event),
            Cell::text(&hook.label),
            Cell::text(&duration(hook.for_s)),
            Cell::new(FAINT, &duration(hook.limit_s)),
            Cell::last(style, &word),
        ]);
        let origin = format!("{}, {}, session {}", hook.source, hook.at, hook.session);
        table.below(&format!("      {}\n", styled(SOURCE, &crate::report::style::one_line(&origin, 200))));
    }
    table.render(0)
}

fn state(hook: &PendingHook) -> (Style, String) {
    match hook.state {
        State::Running => (GOOD, "running".to_owned()),
        State::Waiting => (FAINT, "waiting for room".to_owned()),
        State::Stale => (WARNING, format!("stale: process {} is gone", hook.pid)),
    }
}

/// Formats a duration in whole seconds; in minutes and hours if it is longer.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", (s / 60.0).floor()),
        s => format!("{:.0} h", (s / 3_600.0).floor()),
    }
}
