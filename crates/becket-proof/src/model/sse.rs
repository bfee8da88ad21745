//! Server-sent events.

use serde_json::Value;

/// Appends an event.
pub(super) fn push(events: &mut String, name: Option<&str>, data: &Value) {
    if let Some(name) = name {
        events.push_str(&format!("event: {name}\n"));
    }
    events.push_str(&format!("data: {data}\n\n"));
}

/// Appends an event whose `type` is its name.
pub(super) fn push_typed(events: &mut String, name: &str, mut data: Value) {
    if let Some(object) = data.as_object_mut() {
        object.insert("type".to_owned(), Value::String(name.to_owned()));
    }
    push(events, Some(name), &data);
}
