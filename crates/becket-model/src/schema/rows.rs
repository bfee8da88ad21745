//! The event table as data, for readers that are not Rust.

use crate::EventKind;
use crate::table::{COMMON_INPUT, EventSpec, FieldSpec, UNIVERSAL_OUTPUT};
use serde_json::{Map, Value, json};

pub(super) fn rows() -> Value {
    let events: Map<String, Value> =
        EventKind::ALL.iter().map(|kind| (kind.name().to_owned(), row(kind.spec()))).collect();
    json!({
        "common_input": fields(COMMON_INPUT),
        "universal_output": fields(UNIVERSAL_OUTPUT),
        "events": events,
    })
}

fn row(spec: &EventSpec) -> Value {
    let handlers: Map<String, Value> = spec
        .handlers
        .iter()
        .map(|(kind, limit)| (kind.name().to_owned(), seconds(limit.as_secs_f64())))
        .collect();
    json!({
        "family": spec.family,
        "summary": spec.summary,
        "matcher": spec.matcher.map(|matcher| json!({
            "field": matcher.field,
            "alphabet": matcher.alphabet,
            "values": matcher.values,
        })),
        "if": spec.condition,
        "carries": {"permission_mode": spec.carries.permission_mode, "effort": spec.carries.effort},
        "input": fields(spec.input),
        "output": fields(spec.output),
        "decision": spec.decision,
        "exit_2": {"effect": spec.exit_2.effect, "told": spec.exit_2.audience},
        "plain_stdout": spec.plain_stdout,
        "honours": {"continue": spec.honours.stop, "systemMessage": spec.honours.system_message},
        "handlers": handlers,
        "model_not_ok": spec.model_not_ok,
        "on_failure": spec.on_failure,
        "env_file": spec.env_file,
        "host_waits": spec.host_waits,
        "notes": spec.notes,
    })
}

fn fields(fields: &[FieldSpec]) -> Value {
    let described = fields.iter().map(|field| {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!(field.kind.as_str()));
        schema.insert("required".to_owned(), json!(field.required));
        schema.insert("doc".to_owned(), json!(field.doc));
        if !field.values.is_empty() {
            schema.insert("values".to_owned(), json!(field.values));
        }
        if !field.fields.is_empty() {
            schema.insert("fields".to_owned(), self::fields(field.fields));
        }
        (field.name.to_owned(), Value::Object(schema))
    });
    Value::Object(described.collect())
}

/// Whole seconds without a fraction.
fn seconds(limit: f64) -> Value {
    if limit.fract() == 0.0 { json!(limit as u64) } else { json!(limit) }
}
