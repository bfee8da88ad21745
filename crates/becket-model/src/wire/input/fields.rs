//! An input that is put together field by field, and read into an event.

use super::{InputError, string, type_name};
use crate::event::body::deserialize_fields;
use crate::event::{Agent, Effort, Event, EventKind, PermissionMode, Session};
use crate::table::{COMMON_INPUT, EventSpec, FieldSpec, FieldType};
use serde::de::value::MapDeserializer;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The fields of an event's input, added one by one; a later value replaces an earlier one.
///
/// `hook_event_name` may be among them and is ignored, as the event is known.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fields {
    spec: &'static EventSpec,
    /// The values of the common fields, one for each row of [`COMMON_INPUT`]. An event's row of the same name comes
    /// first.
    common: Vec<Option<Value>>,
    /// The values of the event's fields, one for each of its rows.
    own: Vec<Option<Value>>,
    extra: Map<String, Value>,
}

/// The position of a field.
enum Row {
    Own(usize),
    Common(usize),
    Extra,
}

impl Fields {
    /// Creates an empty set of fields.
    pub fn new(kind: EventKind) -> Self {
        let spec = kind.spec();
        let (common, own) = (vec![None; COMMON_INPUT.len()], vec![None; spec.input.len()]);
        Fields { spec, common, own, extra: Map::new() }
    }

    /// Adds a field.
    pub fn put(&mut self, name: impl Into<String> + AsRef<str>, value: Value) {
        match self.row(name.as_ref()) {
            Row::Own(at) => self.own[at] = Some(value),
            Row::Common(at) => self.common[at] = Some(value),
            Row::Extra => {
                self.extra.insert(name.into(), value);
            }
        }
    }

    /// Returns the value of a field that was added, `null` too.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self.row(name) {
            Row::Own(at) => self.own.get(at)?.as_ref(),
            Row::Common(at) => self.common.get(at)?.as_ref(),
            Row::Extra => self.extra.get(name),
        }
    }

    /// Converts the fields to the event. Those that the event table does not know are kept in [`Event::extra`].
    ///
    /// # Errors
    /// Errors with [`InputError`], which names the first field that is missing or of the wrong type.
    pub fn into_event(mut self) -> Result<Event, InputError> {
        self.check()?;
        let session = self.take_session()?;
        let kind = self.spec.kind;
        let own = self.spec.input.iter().zip(self.own);
        let own = own.filter_map(|(field, value)| Some((field.name, value?)));
        let body = deserialize_fields(kind, MapDeserializer::<_, serde_json::Error>::new(own))
            .map_err(|error| InputError::Unreadable { event: kind, message: error.to_string() })?;
        Ok(Event { extra: self.extra, ..Event::new(session, body) })
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

    /// Removes the session's facts. Those that are fields of the event itself stay.
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
