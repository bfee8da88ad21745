//! `events` for people: the list, or one event in full.

use crate::report::style::{FAINT, HEAD, SOURCE, styled};
use crate::report::table::{Cell, Table};
use becket_embed::view::event_row::{EventRow, FieldRow};

/// All events, a line each.
pub(crate) fn list(rows: &[EventRow]) -> String {
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
    table.render(0)
}

/// One event.
pub(crate) fn one(row: &EventRow) -> String {
    let mut text = format!("{}  {}\n\n", styled(HEAD, row.event), row.when);
    let mut facts = Table::default();
    let mut fact = |name: &str, said: &str| {
        facts.row([Cell::new(FAINT, name), Cell::last(crate::report::style::NONE, said)])
    };
    fact("matcher", &matcher(row));
    fact("if", if row.condition { "is looked at" } else { "a handler with `if` never runs" });
    fact("decides", row.decides);
    fact("exit 2", &row.exit_2);
    fact("plain stdout", row.plain_stdout);
    fact("continue: false", if row.stops { "stops the host" } else { "has no effect" });
    fact("systemMessage", if row.system_message { "is shown to the user" } else { "has no effect" });
    let kinds: Vec<String> =
        row.handlers.iter().map(|kind| format!("{} ({} s)", kind.kind, kind.default_timeout_s)).collect();
    fact("handlers", &kinds.join(", "));
    text.push_str(&facts.render(2));
    text.push_str(&fields("reads on stdin", &row.input));
    text.push_str(&fields("may print in hookSpecificOutput", &row.output));
    if !row.notes.is_empty() {
        text.push_str(&format!("\n{}\n", styled(HEAD, "notes")));
        text.extend(row.notes.iter().map(|note| format!("  {note}\n")));
    }
    text
}

fn matcher(row: &EventRow) -> String {
    match (row.matcher, row.matcher_values.as_slice()) {
        (None, _) => "is ignored".to_owned(),
        (Some(field), []) => format!("is tested against `{field}`"),
        (Some(field), values) => format!("is tested against `{field}`: {}", values.join(", ")),
    }
}

fn fields(title: &str, fields: &[FieldRow]) -> String {
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
    format!("\n{}\n{}", styled(HEAD, title), table.render(2))
}
