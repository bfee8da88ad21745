//! `list` for people.

use super::{dropped, short_position};
use crate::env::Surroundings;
use crate::report::style::{FAINT, HEAD, SOURCE, WARNING, plain, styled};
use crate::report::table::{Cell, Table};
use becket_embed::view::listed::{HookListing, ListedEvent, RecordedHook};

/// Returns the hooks by event.
pub(crate) fn render(listed: &HookListing, around: &Surroundings) -> String {
    if listed.events.is_empty() && listed.rejected.is_empty() && listed.modules.is_empty() {
        let text = "no hooks are configured\n".to_owned();
        return text + &rules(listed, around);
    }
    let mut text: String = listed.events.iter().map(|listed| event(listed, around)).collect();
    if !listed.rejected.is_empty() {
        let mut table = Table::default();
        for rejected in &listed.rejected {
            dropped(&mut table, rejected, around);
        }
        text.push_str(&format!("{}\n{}", styled(WARNING, "not loaded"), table.fitted(2, around.width)));
    }
    if !listed.modules.is_empty() {
        let mut table = Table::default();
        listed.modules.iter().for_each(|module| dropped(&mut table, module, around));
        text.push_str(&format!("{}\n{}", styled(WARNING, "not run here"), table.render(2)));
    }
    text + &rules(listed, around)
}

/// Returns the permission rules, which are shown below the hooks.
fn rules(listed: &HookListing, around: &Surroundings) -> String {
    if listed.rules.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    for rule in &listed.rules {
        table.row([
            Cell::new(SOURCE, &rule.source),
            Cell::text(rule.list),
            Cell::text(&rule.rule),
            Cell::last(FAINT, &short_position(&rule.at, around)),
        ]);
    }
    format!("{}\n{}", styled(HEAD, "permission rules"), table.fitted(2, around.width))
}

fn event(listed: &ListedEvent, around: &Surroundings) -> String {
    let mut table = Table::default();
    for hook in &listed.hooks {
        row(&mut table, hook, around);
    }
    for rejected in &listed.rejected {
        dropped(&mut table, rejected, around);
    }
    format!("{}\n{}", styled(HEAD, listed.event), table.fitted(2, around.width))
}

/// Returns all known details about one hook of an event.
pub(crate) fn details(event: &str, hook: &RecordedHook, around: &Surroundings) -> String {
    let mut table = Table::default();
    row(&mut table, hook, around);
    format!("\n{}\n{}", styled(HEAD, event), table.fitted(2, around.width))
}

fn row(table: &mut Table, hook: &RecordedHook, around: &Surroundings) {
    let matcher = if hook.matcher.is_empty() { "*" } else { &hook.matcher };
    table.row([
        Cell::new(SOURCE, &hook.hook.source),
        Cell::text(matcher),
        Cell::text(&hook.hook.label),
        Cell::new(FAINT, hook.form),
        Cell::new(FAINT, &format!("{} s", hook.timeout_s)),
        Cell::last(FAINT, &short_position(&hook.hook.at, around)),
    ]);
    if let Some(condition) = &hook.condition {
        table.below(&format!("      {} {}\n", styled(FAINT, "if:"), plain(condition)));
    }
    if !hook.traits.is_empty() {
        table.below(&format!("      {}\n", styled(FAINT, &hook.traits.join(", "))));
    }
    if let Some(mode) = &hook.mode {
        table.below(&format!("      {} {}\n", styled(WARNING, "mode:"), plain(mode)));
    }
    if let Some(why) = &hook.held_back {
        table.below(&format!("      {} {}\n", styled(WARNING, "never runs:"), plain(why)));
    }
    if let Some(why) = &hook.fails {
        table.below(&format!("      {} {}\n", styled(WARNING, "fails:"), plain(why)));
    }
}
