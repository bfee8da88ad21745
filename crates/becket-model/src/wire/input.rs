//! The input of a handler: one compact JSON object, common fields first (N1, N4, N5).
//!
//! Writing is total. Reading names the wrong field; it is for inputs that another agent wrote.

mod fields;

pub use fields::Fields;

use crate::event::body::serialize_fields;
use crate::event::{Event, EventBody, EventKind, PermissionMode};
use crate::table::{COMMON_INPUT, EventSpec, FieldType};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Returns the bytes that a handler reads: UTF-8, one line, without a final newline (N1).
pub fn to_bytes(event: &Event) -> Vec<u8> {
    // INVARIANT: all keys are strings and no field's `Serialize` fails, so this can't fail.
    serde_json::to_vec(&Input::of(event)).unwrap_or_default()
}

/// Returns the same object as a value, for callers that inspect it rather than send it.
pub fn to_value(event: &Event) -> Value {
    // INVARIANT: as in `to_bytes`.
    serde_json::to_value(Input::of(event)).unwrap_or_default()
}

/// Returns the same object for any other format: a map of at least the common fields, whose keys are strings.
pub fn serializable(event: &Event) -> impl Serialize + '_ {
    Input::of(event)
}

/// Reads the input object of a hook, as any agent that speaks the protocol writes it.
///
/// Fields that the event table does not know are kept in [`Event::extra`].
///
/// # Errors
/// Errors with [`InputError`], which names the first field that is missing or of the wrong type.
pub fn from_value(value: Value) -> Result<Event, InputError> {
    let Value::Object(mut fields) = value else {
        return Err(InputError::NotAnObject { got: type_name(&value) });
    };
    let name = take_string(&mut fields, "hook_event_name")?
        .ok_or(InputError::Missing { field: "hook_event_name", event: None })?;
    let kind: EventKind = name.parse().map_err(|_| InputError::UnknownEvent { name })?;
    let mut given = Fields::new(kind);
    given.extend(fields);
    given.into_event()
}

/// The reason why a JSON value is not a hook input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The value is not an object.
    #[error("a hook input is a JSON object, but this is {got}")]
    NotAnObject {
        /// The type of the value.
        got: &'static str,
    },
    /// There is no event of this name.
    #[error("`hook_event_name` is `{name}`, which is not an event")]
    UnknownEvent {
        /// The name given.
        name: String,
    },
    /// A required field is missing.
    #[error("`{field}` is missing{}", of(.event))]
    Missing {
        /// The field.
        field: &'static str,
        /// The event, once it is known.
        event: Option<EventKind>,
    },
    /// A field has the wrong type.
    #[error("`{field}` must be {expected}, but is {got}{}", of(.event))]
    WrongType {
        /// The field.
        field: &'static str,
        /// The type in the table.
        expected: &'static str,
        /// The type of the value.
        got: &'static str,
        /// The event, once it is known.
        event: Option<EventKind>,
    },
    /// The fields have the right types but can't be read.
    #[error("the fields of `{event}` can't be read: {message}")]
    Unreadable {
        /// The event.
        event: EventKind,
        /// The message of serde.
        message: String,
    },
}

fn of(event: &Option<EventKind>) -> String {
    event.map(|kind| format!(" in the input of `{kind}`")).unwrap_or_default()
}

/// The wire shape: common fields in the protocol's order, then the event's, then the host's own.
#[derive(Serialize)]
struct Input<'a> {
    session_id: &'a str,
    transcript_path: Cow<'a, str>,
    cwd: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_mode: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<EffortWire<'a>>,
    hook_event_name: &'static str,
    #[serde(flatten)]
    body: Body<'a>,
    #[serde(flatten)]
    extra: Extra<'a>,
}

#[derive(Serialize)]
struct EffortWire<'a> {
    level: &'a str,
}

struct Body<'a>(&'a EventBody);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize_fields(self.0, to)
    }
}

/// The host's own fields, without those that the input already has.
struct Extra<'a> {
    fields: &'a Map<String, Value>,
    spec: &'static EventSpec,
}

impl Serialize for Extra<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.fields.iter().filter(|(name, _)| !is_known(name, self.spec)))
    }
}

impl<'a> Input<'a> {
    fn of(event: &'a Event) -> Self {
        let spec = event.kind().spec();
        let session = &event.session;
        let (agent_id, agent_type) = agent_of(event);
        Input {
            session_id: session.id.as_str(),
            transcript_path: session.transcript_path.to_string_lossy(),
            cwd: session.cwd.to_string_lossy(),
            prompt_id: session.prompt_id.as_ref().map(|id| id.as_str()),
            permission_mode: session
                .permission_mode
                .as_ref()
                .filter(|_| spec.carries.permission_mode)
                .map(PermissionMode::as_str),
            agent_id,
            agent_type,
            effort: session
                .effort
                .as_ref()
                .filter(|_| spec.carries.effort)
                .map(|effort| EffortWire { level: &effort.0 }),
            hook_event_name: spec.kind.name(),
            body: Body(&event.body),
            extra: Extra { fields: &event.extra, spec },
        }
    }
}

/// Returns the agent that an event names: its own if it is about one, else the one it comes from (N4).
fn agent_of(event: &Event) -> (Option<&str>, Option<&str>) {
    if let EventBody::SubagentStart(body) = &event.body {
        return (Some(&body.agent_id), Some(&body.agent_type));
    }
    if let EventBody::SubagentStop(body) = &event.body {
        return (Some(&body.agent_id), Some(&body.agent_type));
    }
    let agent = event.session.agent.as_ref();
    let id = agent.and_then(|agent| agent.id.as_ref()).map(|id| id.as_str());
    (id, agent.and_then(|agent| agent.kind.as_deref()))
}

fn is_known(name: &str, spec: &EventSpec) -> bool {
    COMMON_INPUT.iter().chain(spec.input).any(|field| field.name == name)
}

/// Returns the JSON type of a value with its article, for messages: `a string`; `null` has none.
#[must_use]
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn take_string(fields: &mut Map<String, Value>, name: &'static str) -> Result<Option<String>, InputError> {
    string(fields.shift_remove(name), name)
}

fn string(value: Option<Value>, name: &'static str) -> Result<Option<String>, InputError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(InputError::WrongType {
            field: name,
            expected: FieldType::String.as_str(),
            got: type_name(&other),
            event: None,
        }),
    }
}

#[cfg(test)]
mod tests;
