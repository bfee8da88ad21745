//! The event table as `bindings/node/lib/events.js` and its types, for `cargo xtask gen`.

use becket_model::schema;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const MADE: &str = "/** Made by `cargo xtask gen` from the event table. */\n\n";

/// The values, and their types.
///
/// # Errors
/// The table is not as this reads it.
pub(super) fn files() -> Result<[String; 2], String> {
    let table = schema::all().into_iter().find(|(path, _)| path == "events.json");
    let broken = || "the event table is not as `node_events.rs` reads it".to_owned();
    let (_, table) = table.ok_or_else(broken)?;
    let part = |name: &str| table.get(name).and_then(Value::as_object).ok_or_else(broken);
    let (common, universal, events) = (part("common_input")?, part("universal_output")?, part("events")?);
    Ok([values(universal, events), types(common, universal, events)])
}

fn values(universal: &Map<String, Value>, events: &Map<String, Value>) -> String {
    let mut text = String::from(MADE);
    text.push_str(
        "/** How each event is decided, and the fields of its own output. */\nexport const EVENTS = {\n",
    );
    for (name, row) in events {
        let _ = writeln!(text, "  {name}: {{ decision: {}, output: {} }},", row["decision"], names(row));
    }
    let own: BTreeSet<&String> =
        events.values().filter_map(|row| row["output"].as_object()).flat_map(Map::keys).collect();
    let _ = write!(
        text,
        "}};\n\n/** The fields that an answer to every event may have. */\nexport const UNIVERSAL = new Set({});\n\n\
         /** The fields that some event has in its own output. */\nexport const OWN_FIELDS = new Set({});\n",
        list(universal.keys()),
        list(own),
    );
    text
}

fn names(row: &Value) -> String {
    list(row["output"].as_object().into_iter().flat_map(Map::keys))
}

fn list<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
    format!("[{}]", quoted.join(", "))
}

fn types(common: &Map<String, Value>, universal: &Map<String, Value>, events: &Map<String, Value>) -> String {
    let mut text = String::from(MADE);
    let (facts, others): (Vec<_>, Vec<_>) =
        common.iter().partition(|(name, _)| FACTS.contains(&name.as_str()));
    let others = others.into_iter().filter(|(name, _)| *name != "hook_event_name");
    interface(&mut text, "What the session knows, and an event may leave out.", "Facts", facts);
    interface(&mut text, "What the input of every event may hold.", "Circumstances", others);
    interface(&mut text, "What an answer to every event may hold.", "UniversalOutput", universal);
    for (name, row) in events {
        let summary = row["summary"].as_str().unwrap_or_default();
        interface(&mut text, summary, &format!("{name}Fields"), fields(&row["input"]));
        interface(
            &mut text,
            &format!("What a hook may say to {name}."),
            &format!("{name}Output"),
            fields(&row["output"]),
        );
    }
    by_name(&mut text, "The fields of each event.", "Fields", "Fields", events);
    by_name(&mut text, "What a hook may say to each event.", "Outputs", "Output", events);
    text
}

const FACTS: [&str; 3] = ["session_id", "transcript_path", "cwd"];

fn fields(fields: &Value) -> impl Iterator<Item = (&String, &Value)> {
    fields.as_object().into_iter().flatten()
}

fn by_name(text: &mut String, about: &str, name: &str, end: &str, events: &Map<String, Value>) {
    let _ = writeln!(text, "/** {about} */\nexport interface {name} {{");
    for event in events.keys() {
        let _ = writeln!(text, "  {event}: {event}{end};");
    }
    text.push_str("}\n\n");
}

fn interface<'a>(
    text: &mut String,
    about: &str,
    name: &str,
    fields: impl IntoIterator<Item = (&'a String, &'a Value)>,
) {
    let _ = writeln!(text, "/** {} */\nexport interface {name} {{", safe(about));
    for (name, field) in fields {
        let mark = if field["required"] == true { "" } else { "?" };
        let about = safe(field["doc"].as_str().unwrap_or_default());
        let _ = writeln!(text, "  /** {about} */\n  {name}{mark}: {};", kind(field));
    }
    text.push_str("}\n\n");
}

/// Words that can't end a comment.
fn safe(words: &str) -> String {
    words.replace("*/", "* /")
}

fn kind(field: &Value) -> String {
    if let Some(values) = field["values"].as_array() {
        let words: Vec<String> = values.iter().map(Value::to_string).collect();
        return words.join(" | ");
    }
    if let Some(fields) = field["fields"].as_object() {
        let inside = fields.iter().map(|(name, field)| {
            let mark = if field["required"] == true { "" } else { "?" };
            format!("{name}{mark}: {}", kind(field))
        });
        return format!("{{ {} }}", inside.collect::<Vec<_>>().join("; "));
    }
    let kind = match field["type"].as_str().unwrap_or_default() {
        "string" => "string",
        "string or null" => "string | null",
        "boolean" => "boolean",
        "integer" | "number" => "number",
        "object" => "Record<string, unknown>",
        "list of strings" => "string[]",
        "list of objects" => "Record<string, unknown>[]",
        _ => "unknown",
    };
    kind.to_owned()
}
