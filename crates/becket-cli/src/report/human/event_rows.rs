//! `events` for people: the list, or one event in full.

use crate::report::style::{FAINT, HEAD, SOURCE, running, styled};
use crate::report::table::{Cell, Table};
use crate::wrap;
use becket_embed::view::event_row::{EventRow, FieldRow};

/// Returns all events, one per line.
pub(crate) fn list(rows: &[EventRow], width: Option<usize>) -> String {
    let mut table = Table::default();
    table.row(["EVENT", "MATCHES", "WHEN", "EXIT 2"].map(|title| Cell::new(FAINT, title)));
    for row in rows {
        let effect = row.exit_2.split(';').next().unwrap_or_default();
        table.row([
            Cell::new(HEAD, row.event),
            Cell::new(SOURCE, row.matcher.unwrap_or("-")),
            Cell::last(FAINT, row.when),
            Cell::last(FAINT, effect),
        ]);
    }
    table.fitted(0, width)
}

/// Returns one event in full.
pub(crate) fn one(row: &EventRow, width: Option<usize>) -> String {
    let mut text = format!("{}  {}\n\n", styled(HEAD, row.event), row.when);
    let mut facts = Table::default();
    let mut fact = |name: &str, value: &str| {
        facts.row([Cell::new(FAINT, name), Cell::last(crate::report::style::NONE, value)])
    };
    fact("matcher", &matcher(row));
    fact("if", if row.condition { "is evaluated" } else { "a handler with `if` never runs" });
    fact("decides", row.decides);
    fact("exit 2", &row.exit_2);
    fact("plain stdout", row.plain_stdout);
    fact("continue: false", if row.stops { "stops the host" } else { "has no effect" });
    fact("systemMessage", if row.system_message { "is shown to the user" } else { "has no effect" });
    let kinds: Vec<String> =
        row.handlers.iter().map(|kind| format!("{} ({} s)", kind.kind, kind.default_timeout_s)).collect();
    fact("handlers", &kinds.join(", "));
    text.push_str(&facts.fitted(2, width));
    if row.matcher == Some("tool_name") {
        let names = format!("{}, mcp__<server>__<tool>", row.matcher_values.join(", "));
        text.push_str(&format!("\n{}\n{}", styled(HEAD, "tools"), running(&names, 2, width)));
    }
    text.push_str(&fields("reads on stdin", &row.input, width));
    text.push_str(&fields("decides by", &row.decision, width));
    text.push_str(&fields("may print in hookSpecificOutput", &row.output, width));
    if !row.notes.is_empty() {
        text.push_str(&format!("\n{}\n", styled(HEAD, "notes")));
        text.extend(row.notes.iter().map(|note| format!("  {note}\n")));
    }
    wrap::fit(&text, width)
}

fn matcher(row: &EventRow) -> String {
    match (row.matcher, row.matcher_values.as_slice()) {
        (None, _) => "is ignored".to_owned(),
        (Some(field), []) => format!("is tested against `{field}`"),
        (Some(field @ "tool_name"), _) => format!("is tested against `{field}`, see `tools`"),
        (Some(field), values) => format!("is tested against `{field}`: {}", values.join(", ")),
    }
}

fn fields(title: &str, fields: &[FieldRow], width: Option<usize>) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    for field in fields {
        table.row([
            Cell::new(SOURCE, field.name),
            Cell::new(FAINT, field.r#type),
            Cell::new(FAINT, if field.required { "always" } else { "" }),
            Cell::last(crate::report::style::NONE, field.doc),
        ]);
    }
    format!("\n{}\n{}", styled(HEAD, title), table.fitted(2, width))
}
