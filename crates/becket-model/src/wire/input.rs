//! The input of a handler: one compact JSON object, common fields first (N1, N4, N5).
//!
//! Writing is total. Reading names the field that is wrong; it is for inputs that another agent wrote.

use crate::event::body::{deserialize_fields, serialize_fields};
use crate::event::{Agent, Effort, Event, EventBody, EventKind, PermissionMode, Session};
use crate::table::{COMMON_INPUT, EventSpec, FieldSpec, FieldType};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// The bytes that a handler reads: UTF-8, one line, without a final newline (N1).
pub fn to_bytes(event: &Event) -> Vec<u8> {
    // INVARIANT: all keys are strings and no field's `Serialize` fails, so there is nothing that can go wrong.
    serde_json::to_vec(&Input::of(event)).unwrap_or_default()
}

/// The same object as a value, for those who look into it rather than send it.
pub fn to_value(event: &Event) -> Value {
    // INVARIANT: as in `to_bytes`.
    serde_json::to_value(Input::of(event)).unwrap_or_default()
}

/// Reads the input object of a hook, as any agent that speaks the protocol writes it.
///
/// Fields that the event table does not know are kept in [`Event::extra`].
///
/// # Errors
/// [`InputError`] names the first field that is missing or of the wrong type.
pub fn from_value(value: Value) -> Result<Event, InputError> {
    let Value::Object(mut fields) = value else {
        return Err(InputError::NotAnObject { got: type_name(&value) });
    };
    let name = take_string(&mut fields, "hook_event_name")?
        .ok_or(InputError::Missing { field: "hook_event_name", event: None })?;
    let kind: EventKind = name.parse().map_err(|_| InputError::UnknownEvent { name })?;
    let spec = kind.spec();
    check(&fields, spec)?;
    let own = take_own(&mut fields, spec);
    let session = take_session(&mut fields, &own, kind)?;
    let body = deserialize_fields(kind, Value::Object(own))
        .map_err(|error| InputError::Unreadable { event: kind, message: error.to_string() })?;
    Ok(Event { session, body, extra: fields })
}

/// Why a JSON value is no hook input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Not an object at all.
    #[error("a hook input is a JSON object, but this is {got}")]
    NotAnObject {
        /// What it is.
        got: &'static str,
    },
    /// No such event.
    #[error("`hook_event_name` is `{name}`, which is not an event")]
    UnknownEvent {
        /// The name given.
        name: String,
    },
    /// A required field is not there.
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
        /// What the table says.
        expected: &'static str,
        /// What came.
        got: &'static str,
        /// The event, once it is known.
        event: Option<EventKind>,
    },
    /// The fields have the right types and still can't be read.
    #[error("the fields of `{event}` can't be read: {message}")]
    Unreadable {
        /// The event.
        event: EventKind,
        /// What serde says.
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

/// The host's own fields, without those that would stand twice.
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

/// The agent that an event names: its own where it is about one, else the one it comes from (N4).
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

fn check(fields: &Map<String, Value>, spec: &'static EventSpec) -> Result<(), InputError> {
    for field in COMMON_INPUT.iter().chain(spec.input).filter(|field| field.name != "hook_event_name") {
        match fields.get(field.name) {
            None if field.required => {
                return Err(InputError::Missing { field: field.name, event: Some(spec.kind) });
            }
            Some(value) if !fits(value, field) => {
                return Err(InputError::WrongType {
                    field: field.name,
                    expected: field.kind.as_str(),
                    got: type_name(value),
                    event: Some(spec.kind),
                });
            }
            None | Some(_) => {}
        }
    }
    Ok(())
}

fn fits(value: &Value, field: &FieldSpec) -> bool {
    if value.is_null() && !field.required {
        return true;
    }
    match field.kind {
        FieldType::String => value.is_string(),
        FieldType::StringOrNull => value.is_string() || value.is_null(),
        FieldType::Strings => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        FieldType::Number => value.is_number(),
        FieldType::Integer => value.is_u64(),
        FieldType::Boolean => value.is_boolean(),
        FieldType::Object => value.is_object(),
        FieldType::Objects => value.as_array().is_some_and(|list| list.iter().all(Value::is_object)),
        FieldType::Any => true,
    }
}

/// The JSON type of a value with its article, for messages: `a string`; `null` has none.
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
    match fields.shift_remove(name) {
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

fn take_own(fields: &mut Map<String, Value>, spec: &EventSpec) -> Map<String, Value> {
    let mut own = Map::new();
    for field in spec.input {
        if let Some(value) = fields.shift_remove(field.name) {
            own.insert(field.name.to_owned(), value);
        }
    }
    own
}

/// The session's facts; `own` holds those that count as the event's.
fn take_session(
    fields: &mut Map<String, Value>,
    own: &Map<String, Value>,
    kind: EventKind,
) -> Result<Session, InputError> {
    let mut required = |name: &'static str| {
        take_string(fields, name)?.ok_or(InputError::Missing { field: name, event: Some(kind) })
    };
    let mut session = Session::new(required("session_id")?, required("transcript_path")?, required("cwd")?);
    session.prompt_id = take_string(fields, "prompt_id")?.map(Into::into);
    session.permission_mode =
        take_string(fields, "permission_mode")?.map(|name| PermissionMode::from_name(&name));
    let agent_id = take_string(fields, "agent_id")?.or_else(|| own_string(own, "agent_id"));
    let agent_type = take_string(fields, "agent_type")?.or_else(|| own_string(own, "agent_type"));
    if agent_id.is_some() || agent_type.is_some() {
        session.agent = Some(Agent { id: agent_id.map(Into::into), kind: agent_type.map(Into::into) });
    }
    session.effort = fields
        .shift_remove("effort")
        .and_then(|effort| effort.get("level").and_then(Value::as_str).map(|level| Effort(Arc::from(level))));
    Ok(session)
}

fn own_string(own: &Map<String, Value>, name: &str) -> Option<String> {
    own.get(name).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests;
