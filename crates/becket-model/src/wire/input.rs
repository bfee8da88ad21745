//! The input of a handler: one compact JSON object, common fields first (N1, N4, N5).
//!
//! Writing is total. Reading names the field that is wrong; it is for inputs that another agent wrote.

use crate::event::body::{deserialize_fields, serialize_fields};
use crate::event::{Agent, Effort, Event, EventBody, EventKind, PermissionMode, Session};
use crate::table::{COMMON_INPUT, EventSpec, FieldSpec, FieldType};
use serde::de::value::MapDeserializer;
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

/// The same object for any other format: a map of at least the common fields, whose keys are strings.
pub fn serializable(event: &Event) -> impl Serialize + '_ {
    Input::of(event)
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
    let mut given = Fields::new(kind);
    given.extend(fields);
    given.into_event()
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

/// The fields of an event's input, to be put together one by one: what is put in later takes the place of what was there.
///
/// `hook_event_name` may be among them, and is not looked at: the event is known.
#[derive(Debug, Clone)]
pub struct Fields {
    spec: &'static EventSpec,
    /// As many as [`COMMON_INPUT`] has rows. An event's row of the same name comes first.
    common: Vec<Option<Value>>,
    /// As many as the event has rows.
    own: Vec<Option<Value>>,
    extra: Map<String, Value>,
}

/// Where a field stands.
enum Row {
    Own(usize),
    Common(usize),
    Extra,
}

impl Fields {
    /// None yet.
    pub fn new(kind: EventKind) -> Self {
        let spec = kind.spec();
        let (common, own) = (vec![None; COMMON_INPUT.len()], vec![None; spec.input.len()]);
        Fields { spec, common, own, extra: Map::new() }
    }

    /// Puts one in.
    pub fn put(&mut self, name: impl Into<String> + AsRef<str>, value: Value) {
        match self.row(name.as_ref()) {
            Row::Own(at) => self.own[at] = Some(value),
            Row::Common(at) => self.common[at] = Some(value),
            Row::Extra => {
                self.extra.insert(name.into(), value);
            }
        }
    }

    /// One that was put in, `null` too.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self.row(name) {
            Row::Own(at) => self.own.get(at)?.as_ref(),
            Row::Common(at) => self.common.get(at)?.as_ref(),
            Row::Extra => self.extra.get(name),
        }
    }

    /// The event of these fields. Those that the event table does not know are kept in [`Event::extra`].
    ///
    /// # Errors
    /// [`InputError`] names the first field that is missing or of the wrong type.
    pub fn into_event(mut self) -> Result<Event, InputError> {
        self.check()?;
        let session = self.take_session()?;
        let kind = self.spec.kind;
        let own = self.spec.input.iter().zip(self.own);
        let own = own.filter_map(|(field, value)| Some((field.name, value?)));
        let body = deserialize_fields(kind, MapDeserializer::<_, serde_json::Error>::new(own))
            .map_err(|error| InputError::Unreadable { event: kind, message: error.to_string() })?;
        Ok(Event { session, body, extra: self.extra })
    }

    fn row(&self, name: &str) -> Row {
        let row = |rows: &[FieldSpec]| rows.iter().position(|field| field.name == name);
        let own = row(self.spec.input).map(Row::Own);
        own.or_else(|| row(COMMON_INPUT).map(Row::Common)).unwrap_or(Row::Extra)
    }

    fn own(&self, name: &str) -> Option<&Value> {
        let at = self.spec.input.iter().position(|field| field.name == name)?;
        self.own.get(at)?.as_ref()
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let at = COMMON_INPUT.iter().position(|field| field.name == name)?;
        self.common.get_mut(at)?.take()
    }

    fn check(&self) -> Result<(), InputError> {
        let event = Some(self.spec.kind);
        let rows = COMMON_INPUT.iter().zip(&self.common).chain(self.spec.input.iter().zip(&self.own));
        for (field, value) in rows.filter(|(field, _)| field.name != "hook_event_name") {
            match value.as_ref().or_else(|| self.own(field.name)) {
                None if field.required => return Err(InputError::Missing { field: field.name, event }),
                Some(value) if !fits(value, field) => {
                    let (expected, got) = (field.kind.as_str(), type_name(value));
                    return Err(InputError::WrongType { field: field.name, expected, got, event });
                }
                None | Some(_) => {}
            }
        }
        Ok(())
    }

    /// The session's facts. What the event itself has of them stays where it is.
    fn take_session(&mut self) -> Result<Session, InputError> {
        let kind = self.spec.kind;
        let mut required = |name: &'static str| {
            self.take_string(name)?.ok_or(InputError::Missing { field: name, event: Some(kind) })
        };
        let mut session =
            Session::new(required("session_id")?, required("transcript_path")?, required("cwd")?);
        session.prompt_id = self.take_string("prompt_id")?.map(Into::into);
        session.permission_mode =
            self.take_string("permission_mode")?.map(|name| PermissionMode::from_name(&name));
        let agent_id = self.take_string("agent_id")?.or_else(|| self.own_string("agent_id"));
        let agent_type = self.take_string("agent_type")?.or_else(|| self.own_string("agent_type"));
        if agent_id.is_some() || agent_type.is_some() {
            session.agent = Some(Agent { id: agent_id.map(Into::into), kind: agent_type.map(Into::into) });
        }
        session.effort = self.take("effort").and_then(|effort| {
            effort.get("level").and_then(Value::as_str).map(|level| Effort(Arc::from(level)))
        });
        Ok(session)
    }

    fn take_string(&mut self, name: &'static str) -> Result<Option<String>, InputError> {
        string(self.take(name), name)
    }

    fn own_string(&self, name: &str) -> Option<String> {
        self.own(name).and_then(Value::as_str).map(str::to_owned)
    }
}

impl Extend<(String, Value)> for Fields {
    fn extend<T: IntoIterator<Item = (String, Value)>>(&mut self, fields: T) {
        fields.into_iter().for_each(|(name, value)| self.put(name, value));
    }
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
