//! `profile` for people: a row for each hook, the waiting time of each event, and the sessions that wait the longest.

use super::counted;
use crate::env::Surroundings;
use crate::report::style::{ERROR, FAINT, HEAD, NONE, SOURCE, WARNING, plain, styled};
use crate::report::table::{Cell, Table};
use crate::wrap;
use becket_lab::profile::{EventProfile, HookProfile, ProfileReport, SessionProfile};

/// The maximum number of sessions that are shown.
const SESSIONS: usize = 5;

/// Returns the report.
pub(crate) fn render(report: &ProfileReport, around: &Surroundings) -> String {
    let mut text = format!(
        "{}, {}, {}\n",
        counted(report.runs, "run"),
        counted(report.events, "event"),
        counted(report.sessions.len() as u64, "session")
    );
    text.push_str(&unread(report));
    if report.runs > 0 {
        text.push_str(&format!("\n{}{}", hooks(report), over_budget(report)));
        text.push_str(&format!("\n{}", events(report)));
        text.push_str(&sessions(report));
    }
    wrap::fit(&text, around.width)
}

/// Returns the gaps in the data behind the numbers.
fn unread(report: &ProfileReport) -> String {
    let unread = report.unread_lines;
    let missing = [
        (report.untimed_answers, "recorded answers have no time"),
        (unread.broken, "lines can't be read"),
        (unread.too_long, "lines are too long"),
        (unread.newer, "lines are of a newer version of Becket"),
        (report.events_of_other_sessions, "events are of sessions past the first 10,000"),
    ];
    let missing = missing.into_iter().filter(|(count, _)| *count > 0);
    missing.map(|(count, what)| format!("{} {what}\n", styled(WARNING, &count.to_string()))).collect()
}

fn hooks(report: &ProfileReport) -> String {
    let mut table = Table::default();
    let heads = ["HOOK", "EVENT", "PLACE", "RUNS", "FAILED", "P50", "P95", "P99", "MAX", "TOTAL"];
    table.row(heads.map(|head| Cell::new(HEAD, head)));
    report.hooks.iter().for_each(|hook| table.row(hook_row(hook)));
    table.render(0)
}

fn hook_row(hook: &HookProfile) -> Vec<Cell> {
    let mut cells = vec![
        Cell::text(&hook.hook),
        Cell::new(SOURCE, &hook.event),
        Cell::new(FAINT, &hook.place),
        Cell::text(&hook.runs.to_string()),
        Cell::new(if hook.failed > 0 { ERROR } else { FAINT }, &hook.failed.to_string()),
    ];
    let style = if hook.over_budget { ERROR } else { NONE };
    let times = [hook.p50, hook.p95, hook.p99, hook.max, hook.total];
    cells.extend(times.map(|time| Cell::new(style, &shown(time))));
    cells
}

fn over_budget(report: &ProfileReport) -> String {
    let over = report.hooks.iter().filter(|hook| hook.over_budget);
    let line = |hook: &HookProfile| {
        let budget = shown(hook.budget.unwrap_or_default());
        let over = styled(ERROR, &format!("over its budget of {budget}"));
        format!("{} on {} is {over}: p95 is {}\n", plain(&hook.hook), plain(&hook.event), shown(hook.p95))
    };
    let lines: String = over.map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn events(report: &ProfileReport) -> String {
    let mut table = Table::default();
    let heads = ["EVENT", "EVENTS", "P50", "P95", "P99", "MAX", "WAITS FOR", "SLOWEST"];
    table.row(heads.map(|head| Cell::new(HEAD, head)));
    report.by_event.iter().for_each(|event| table.row(event_row(event)));
    table.render(0)
}

fn event_row(event: &EventProfile) -> Vec<Cell> {
    let mut cells = vec![Cell::new(SOURCE, &event.event), Cell::text(&event.events.to_string())];
    cells.extend([event.p50, event.p95, event.p99, event.max].map(|time| Cell::text(&shown(time))));
    let share = format!("{} ({:.0} %)", event.critical, 100.0 * event.critical_share);
    let steps = event.slowest.iter().map(|step| format!("{} {}", step.hook, shown(step.elapsed)));
    cells.push(Cell::text(&share));
    cells.push(Cell::new(FAINT, &steps.collect::<Vec<_>>().join(", then ")));
    cells
}

fn sessions(report: &ProfileReport) -> String {
    let long = report.sessions.iter().filter(|session| session.span > 0.0 && session.events > 0);
    let line = |session: &SessionProfile| {
        format!(
            "{} waited {} of {} ({:.1} %)\n",
            styled(FAINT, &plain(&session.session)),
            shown(session.waiting),
            shown(session.span),
            100.0 * session.share
        )
    };
    let lines: String = long.take(SESSIONS).map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn shown(milliseconds: f64) -> String {
    if milliseconds >= 300_000.0 {
        format!("{:.1} min", milliseconds / 60_000.0)
    } else if milliseconds >= 1_000.0 {
        format!("{:.2} s", milliseconds / 1_000.0)
    } else if milliseconds < 10.0 {
        format!("{milliseconds:.1} ms")
    } else {
        format!("{milliseconds:.0} ms")
    }
}
