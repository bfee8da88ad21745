//! `docs/events.md` and `docs/schemas.md`: the events and the schemas, from the table of events as `becket events --json` shows it.

use serde_json::Value;

const EVENTS: &str = "\
# Events

Made by `cargo xtask gen` from the event table; `becket events EVENT` shows the same at a terminal. The rules behind it are in
[the protocol](protocol.md), and [schemas](schemas.md) describe each input and output.
";

const SCHEMAS: &str = "\
# Schemas

Made by `cargo xtask gen`. JSON Schemas for editors and tests, also printed by `becket schema`.

- [settings.json](../schemas/settings.json): a settings file; name it in the `$schema` of yours, and [an
  editor](guide/check.md#in-an-editor) completes it
- [rpc.json](../schemas/rpc.json): the messages of [`becket serve`](guide/serve.md)
- `becket schema report`, `test-report`, `replay-report` and `profile-report`: the output with `--json`

| event | input | output |
|---|---|---|
";

/// Returns the page of events.
///
/// # Errors
/// Errors if the table is not JSON of the expected shape.
pub(crate) fn events(table: &str) -> Result<String, String> {
    let rows = rows(table)?;
    let mut text = EVENTS.to_owned();
    text.push_str("\n| event | when |\n|---|---|\n");
    for row in &rows {
        let name = word(row, "event");
        text.push_str(&format!("| [`{name}`](#{}) | {} |\n", name.to_lowercase(), word(row, "when")));
    }
    rows.iter().for_each(|row| text.push_str(&section(row)));
    Ok(text)
}

/// Returns the page of schemas.
///
/// # Errors
/// See [`events`].
pub(crate) fn schemas(table: &str) -> Result<String, String> {
    let line = |row: &Value| {
        let name = word(row, "event");
        let link = |folder: &str| format!("[{folder}/{name}.json](../schemas/{folder}/{name}.json)");
        format!(
            "| [`{name}`](events.md#{}) | {} | {} |\n",
            name.to_lowercase(),
            link("input"),
            link("output")
        )
    };
    Ok(SCHEMAS.to_owned() + &rows(table)?.iter().map(line).collect::<String>())
}

fn rows(table: &str) -> Result<Vec<Value>, String> {
    let mut table: Value =
        serde_json::from_str(table).map_err(|error| format!("the event table: {error}"))?;
    match table.get_mut("events").map(Value::take) {
        Some(Value::Array(rows)) if !rows.is_empty() => Ok(rows),
        Some(_) | None => Err("the event table has no rows".to_owned()),
    }
}

fn word<'v>(row: &'v Value, name: &str) -> &'v str {
    row[name].as_str().unwrap_or_default()
}

fn section(row: &Value) -> String {
    let name = word(row, "event");
    let mut text = format!("\n## {name}\n\n{}\n\n", word(row, "when"));
    let truth = |name: &str, yes: &str, no: &str| if row[name] == true { yes } else { no }.to_owned();
    let handlers = list(&row["handlers"], |kind| {
        format!("{} ({} s)", word(kind, "kind"), kind["default_timeout_s"].as_f64().unwrap_or_default())
    });
    for (label, value) in [
        ("matcher", matcher(row)),
        ("`if`", truth("condition", "is evaluated", "a handler with `if` never runs")),
        ("decides", word(row, "decides").to_owned()),
        ("exit 2", word(row, "exit_2").to_owned()),
        ("plain stdout", word(row, "plain_stdout").to_owned()),
        ("`continue: false`", truth("stops", "stops the host", "has no effect")),
        ("`systemMessage`", truth("system_message", "is shown to the user", "has no effect")),
        ("handlers, with their time limit", handlers),
    ] {
        text.push_str(&format!("- {label}: {value}\n"));
    }
    text.push_str(&fields("Input", &row["input"]));
    text.push_str(&fields("Decides by", &row["decision"]));
    text.push_str(&fields("`hookSpecificOutput`", &row["output"]));
    let notes = row["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let notes: String = notes.map(|note| format!("- {note}\n")).collect();
    if notes.is_empty() { text } else { format!("{text}\n{notes}") }
}

fn matcher(row: &Value) -> String {
    let values = list(&row["matcher_values"], |value| format!("`{}`", value.as_str().unwrap_or_default()));
    match (row["matcher"].as_str(), values.as_str()) {
        (None, _) => "is ignored".to_owned(),
        (Some("tool_name"), _) => "is tested against `tool_name`".to_owned(),
        (Some(field), "") => format!("is tested against `{field}`"),
        (Some(field), values) => format!("is tested against `{field}`: {values}"),
    }
}

fn list(values: &Value, show: impl Fn(&Value) -> String) -> String {
    values.as_array().into_iter().flatten().map(show).collect::<Vec<_>>().join(", ")
}

fn fields(title: &str, fields: &Value) -> String {
    let rows = fields.as_array().into_iter().flatten().map(|field| {
        let optional = if field["required"] == true { "" } else { ", optional" };
        let doc = word(field, "doc").replace('|', "\\|");
        format!("| `{}` | {}{optional} | {doc} |\n", word(field, "name"), word(field, "type"))
    });
    let rows: String = rows.collect();
    if rows.is_empty() { rows } else { format!("\n{title}:\n\n| field | type | |\n|---|---|---|\n{rows}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_rows_is_an_error() {
        for table in ["", "[]", "{}", r#"{"events": []}"#, r#"{"events": 3}"#] {
            assert!(events(table).is_err() && schemas(table).is_err(), "{table}");
        }
        let table = r#"{"events": [{"event": "Stop", "when": "A turn ends.", "input": [
            {"name": "a", "type": "string", "required": false, "doc": "x | y"}]}]}"#;
        assert!(events(table).unwrap().contains("| `a` | string, optional | x \\| y |"));
        assert!(schemas(table).unwrap().contains("../schemas/input/Stop.json"));
    }
}
