//! `replay` for people: the sources, their reliability, the decisions, and the differences.

use crate::env::Surroundings;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, SOURCE, WARNING, plain, styled};
use crate::report::table::{Cell, Table};
use crate::wrap;
use becket_lab::replay::{
    DifferenceReport, HandlerReport, HandlerStatus, ReplayReport, ShapeReport, TranscriptsReport,
};
use std::collections::BTreeMap;
use std::path::Path;

/// The maximum number of rows in a section.
const ROWS: usize = 40;

/// Returns the report.
pub(crate) fn render(report: &ReplayReport, around: &Surroundings) -> String {
    let mut text = transcripts(&report.transcripts);
    if !report.confined {
        text.push_str(&format!("{}\n", styled(WARNING, "the hooks were not confined")));
    }
    text.push_str(&handlers(report, around));
    text.push_str(&set_aside(report));
    match &report.differences {
        Some(differences) => text.push_str(&all_differences(differences, around)),
        None => text.push_str(&shapes(&report.shapes)),
    }
    wrap::fit(&text, around.width)
}

fn transcripts(read: &TranscriptsReport) -> String {
    let day =
        |time: &Option<String>| time.as_deref().and_then(|time| time.get(..10)).unwrap_or("?").to_owned();
    let mut text = format!(
        "{} calls, {} events, {} sessions, {} files, {} to {}\n",
        read.calls,
        read.events,
        read.sessions,
        read.files,
        day(&read.from),
        day(&read.to),
    );
    for (count, what) in [
        (read.unreadable_lines, "lines are cut or no JSON and were left out"),
        (read.not_utf8_lines, "lines are not UTF-8 and were read with replacement characters"),
        (read.unknown_lines, "lines are of an unknown kind and were left out"),
        (read.too_long_lines, "lines are too long and were left out"),
        (read.unfit_events, "events don't fit the event table and were left out"),
        (read.unmatched_answers, "recorded answers belong to no event that is there"),
    ] {
        if count > 0 {
            text.push_str(&format!("{} {what}\n", styled(WARNING, &count.to_string())));
        }
    }
    text
}

fn handlers(report: &ReplayReport, around: &Surroundings) -> String {
    if report.handlers.is_empty() {
        return "\nno hook of these settings runs for any of them\n".to_owned();
    }
    let mut table = Table::default();
    let heads = ["HOOK", "EVENT", "RUNS", "AS RECORDED", "DECISIONS", "HELD/1000", "HELD/WEEK", "STATUS"];
    table.row(heads.map(|head| Cell::new(HEAD, head)));
    for handler in &report.handlers {
        let (style, status) = match handler.status {
            HandlerStatus::Reproduced => (GOOD, "reproduced".to_owned()),
            HandlerStatus::Changed => (ERROR, "decides otherwise".to_owned()),
            HandlerStatus::Unproven => (FAINT, "no record".to_owned()),
            HandlerStatus::NotReplayable => (WARNING, not_replayable(handler)),
        };
        table.row([
            Cell::text(&handler.hook),
            Cell::new(SOURCE, handler.event),
            Cell::text(&handler.runs.to_string()),
            Cell::text(&format!("{}/{}", handler.agreed, handler.compared)),
            Cell::text(&counts(&handler.decisions)),
            Cell::text(&number(handler.held_per_1000_calls)),
            Cell::text(&number(handler.held_per_week)),
            Cell::new(style, &status),
        ]);
    }
    let mut text = format!("\n{}", table.render(0));
    for handler in &report.handlers {
        text.push_str(&notes(handler, around));
    }
    text
}

fn not_replayable(handler: &HandlerReport) -> String {
    let on: Vec<&str> = handler.depends_on.iter().map(|on| on.as_str()).collect();
    format!("not replayable: {}", on.join(", "))
}

/// Returns the reasons why a handler can't be replayed, or the differences if it can.
fn notes(handler: &HandlerReport, around: &Surroundings) -> String {
    let mut text = String::new();
    if handler.status == HandlerStatus::NotReplayable {
        for reason in &handler.reasons {
            text.push_str(&format!("  {}: {}\n", styled(HEAD, &handler.hook), plain(reason)));
        }
        return text;
    }
    for difference in handler.disagreements.iter().take(ROWS) {
        let changes = format!("{} recorded, {} now", difference.recorded, difference.replayed);
        text.push_str(&format!(
            "  {} {}: {} of {}\n",
            styled(HEAD, &handler.hook),
            styled(ERROR, &changes),
            difference.count,
            plain(&difference.shape)
        ));
        if let (Some(example), Some(at)) = (&difference.example, &difference.at) {
            text.push_str(&format!("    {}  {}\n", plain(example), styled(FAINT, &short(at, around))));
        }
    }
    text
}

fn set_aside(report: &ReplayReport) -> String {
    let aside = &report.set_aside;
    let silent: u64 = report.handlers.iter().map(|handler| handler.silent).sum();
    let mut text = format!(
        "\nset aside: {} of {} hooks, {} of {} runs ({:.1} %)\n",
        aside.handlers,
        report.handlers.len(),
        aside.runs,
        aside.of_runs,
        100.0 * aside.share
    );
    if silent > 0 {
        let note = format!("{silent} silent passes leave no record, so nothing confirms them");
        text.push_str(&format!("{}\n", styled(FAINT, &note)));
    }
    text
}

fn shapes(shapes: &[ShapeReport]) -> String {
    if shapes.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", styled(HEAD, "DECISIONS BY SHAPE"));
    for shape in shapes.iter().take(ROWS) {
        text.push_str(&format!(
            "  {}  {}  {}\n",
            styled(SOURCE, &shape.by),
            plain(&shape.shape),
            counts(&shape.decisions)
        ));
        // A shape with different decisions is worth a look.
        let is_mixed = shape.decisions.len() > 1;
        for (word, example) in shape.examples.iter().filter(|(word, _)| is_mixed || **word != "pass") {
            text.push_str(&format!("    {} {}\n", styled(FAINT, word), plain(example)));
        }
    }
    text.push_str(&more(shapes.len()));
    text
}

fn all_differences(differences: &[DifferenceReport], around: &Surroundings) -> String {
    if differences.is_empty() {
        return "\nthe new settings decide every call as the present ones do\n".to_owned();
    }
    let calls: u64 = differences.iter().map(|difference| difference.count).sum();
    let head = format!("CALLS THAT ARE DECIDED DIFFERENTLY: {calls}");
    let mut text = format!("\n{}\n", styled(HEAD, &head));
    for difference in differences.iter().take(ROWS) {
        text.push_str(&of_difference(difference, around));
    }
    text.push_str(&more(differences.len()));
    text
}

fn of_difference(difference: &DifferenceReport, around: &Surroundings) -> String {
    let style = if difference.set_aside { WARNING } else { ERROR };
    let mut text = format!(
        "  {} {}: {} of {}, {} per 1000 calls, {} a week\n",
        styled(SOURCE, &difference.by),
        styled(style, &format!("{} becomes {}", difference.before, difference.after)),
        difference.count,
        plain(&difference.shape),
        number(difference.per_1000_calls),
        number(difference.per_week),
    );
    text.push_str(&format!("    cause: {}\n", plain(&difference.cause)));
    if let Some(change) = &difference.change {
        text.push_str(&format!("    change: {}\n", plain(change)));
    }
    if difference.set_aside {
        text.push_str("    set aside: a hook that can't be replayed takes part\n");
    }
    if let (Some(example), Some(at)) = (&difference.example, &difference.at) {
        text.push_str(&format!("    {}  {}\n", plain(example), styled(FAINT, &short(at, around))));
    }
    text
}

fn more(rows: usize) -> String {
    match rows.saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("  … and {more} more, in `--json`\n"),
    }
}

fn counts(words: &BTreeMap<&'static str, u64>) -> String {
    let counts: Vec<String> = words.iter().map(|(word, count)| format!("{count} {word}")).collect();
    counts.join(", ")
}

fn number(number: f64) -> String {
    if number == 0.0 { "-".to_owned() } else { format!("{number}") }
}

fn short(place: &str, around: &Surroundings) -> String {
    match place.rsplit_once(':') {
        Some((file, line)) => format!("{}:{line}", around.short(Path::new(file))),
        None => place.to_owned(),
    }
}
