//! Hover text: the row of an event, the description of a key or a value.

use super::place::{Place, Role, Segment};
use super::schema;
use becket_embed::view::event_row::{EventRow, FieldRow};
use becket_model::EventKind;

/// Returns Markdown about the place; `None` if nothing is known about it.
pub(super) fn text(place: &Place) -> Option<String> {
    if place.token.is_empty() {
        return None;
    }
    match place.role {
        Role::Key => key(place),
        Role::Value => value(place),
    }
}

fn key(place: &Place) -> Option<String> {
    let is_hooks = matches!(place.path.as_slice(), [Segment::Key(hooks)] if hooks == "hooks");
    if let (true, Ok(kind)) = (is_hooks, place.text.parse::<EventKind>()) {
        return Some(event(&EventRow::from(kind)));
    }
    let properties = schema::properties(&schema::at(&place.path, &place.members));
    let (name, found) = properties.into_iter().find(|(name, _)| *name == place.text)?;
    Some(format!("**`{name}`**: {}", schema::description(found)?))
}

fn value(place: &Place) -> Option<String> {
    if let [.., Segment::Key(key)] = place.path.as_slice()
        && key == "event"
        && let Ok(kind) = place.text.parse::<EventKind>()
    {
        return Some(event(&EventRow::from(kind)));
    }
    let values = schema::values(&schema::at(&place.path, &place.members));
    let (_, about) = values.into_iter().find(|(value, _)| value.as_str() == Some(&place.text))?;
    Some(format!("**`{}`**: {}", place.text, about?))
}

/// Returns the row of an event.
fn event(row: &EventRow) -> String {
    let mut text = format!("**{}**: {}\n", row.event, row.when);
    let mut line = |name: &str, about: &str| text.push_str(&format!("\n- {name}: {about}"));
    match row.matcher {
        Some(field) if row.matcher_values.is_empty() => line("matcher", &format!("tested against `{field}`")),
        Some(field) => {
            line("matcher", &format!("tested against `{field}`: {}", codes(&row.matcher_values)));
        }
        None => line("matcher", "ignored"),
    }
    line("`if`", if row.condition { "evaluated" } else { "not evaluated: a handler with one never runs" });
    line("a hook decides", row.decides);
    line("exit code 2", &row.exit_2);
    line("plain stdout", row.plain_stdout);
    let kinds: Vec<&str> = row.handlers.iter().map(|kind| kind.kind).collect();
    line("types", &codes(&kinds));
    line("input", &fields(&row.input));
    if !row.output.is_empty() {
        line("`hookSpecificOutput`", &fields(&row.output));
    }
    for note in &row.notes {
        text.push_str(&format!("\n- {note}"));
    }
    text
}

fn fields(fields: &[FieldRow]) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    codes(&names)
}

fn codes(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
