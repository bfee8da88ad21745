//! Converts the payload of an agent's hook to events of the protocol.
//!
//! INVARIANT: a payload whose call can't be read completely is an error, never a smaller call. Only fields by which no
//! guard decides are filled in.

mod call;
mod command;
pub(crate) mod directory;
mod identity;
mod keys;
mod mcp_name;
pub(crate) mod parts;
mod patch;
mod response;

pub use call::{NativeCall, is_for_user};
pub use identity::derived_id;

use crate::{Dialect, EventRow};
use becket_model::table::{COMMON_INPUT, FieldType};
use becket_model::wire::input::{self, InputError};
use becket_model::{Event, EventKind};
use call::CallError;
use serde_json::{Map, Value, json};

/// Fields that are never filled in: hooks decide by them.
const ESSENTIAL: [&str; 4] = ["hook_event_name", "prompt", "tool_input", "tool_name"];

/// Facts that a payload may lack.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The directory of the process.
    pub cwd: &'a str,
    /// The names of configured MCP servers, for agents that join server and tool ambiguously.
    pub mcp_servers: &'a [String],
    /// The tool of the protocol for tools that the table does not have: their name, our name.
    pub aliases: &'a [(String, String)],
}

impl<'a> Facts<'a> {
    /// Creates the facts of a process in a directory.
    pub const fn new(cwd: &'a str) -> Self {
        Facts { cwd, mcp_servers: &[], aliases: &[] }
    }
}

/// A payload as events of the protocol.
#[derive(Debug, Clone)]
pub struct Payload {
    /// The row of the event; `None` for one that only informs.
    pub row: Option<&'static EventRow>,
    /// The events. There are none for a payload that needs no decision, and several for a call that stands
    /// for several.
    pub events: Vec<Event>,
    /// The call as the agent describes it.
    pub call: Option<NativeCall>,
    /// The directory that the payload names. An event has another one if its command runs elsewhere.
    pub cwd: String,
}

impl Payload {
    /// Returns the tool if the table of the dialect does not have it.
    pub fn unknown_tool(&self) -> Option<&str> {
        self.call.as_ref().filter(|call| call.is_unknown).map(|call| call.name.as_str())
    }
}

/// The reason why a payload can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The payload is not an object.
    #[error("the input of a hook is a JSON object, but this is {got}")]
    NotAnObject {
        /// The type of the value.
        got: &'static str,
    },
    /// The payload names no event.
    #[error("the input names no event, so it is not from {title}; check `--dialect`")]
    NoEvent {
        /// The agent.
        title: &'static str,
    },
    /// The table has no such event.
    #[error("`{name}` is not an event of {title} {version}; check `--dialect`, or update becket")]
    UnknownEvent {
        /// The name given.
        name: String,
        /// The agent.
        title: &'static str,
        /// Its version in the table.
        version: &'static str,
    },
    /// Two fields for one thing have different values.
    #[error("`{theirs}` and `{ours}` name the same field of the input but differ; check `--dialect`")]
    Contradiction {
        /// The agent's field.
        theirs: &'static str,
        /// The protocol's field.
        ours: &'static str,
    },
    /// The call can't be read.
    #[error("the call of `{tool}` can't be read: {why}")]
    Call {
        /// The tool.
        tool: String,
        /// The cause.
        why: String,
    },
    /// A field is missing or has the wrong type.
    #[error("{0}")]
    Input(#[from] InputError),
}

/// Reads the payload of a hook.
///
/// # Errors
/// Errors with [`ReadError`]; the caller answers it with [`crate::refuse`].
pub fn read(dialect: &Dialect, payload: Value, facts: &Facts<'_>) -> Result<Payload, ReadError> {
    let name = dialect.event_name(&payload).map(str::to_owned);
    let Value::Object(mut fields) = payload else {
        return Err(ReadError::NotAnObject { got: input::type_name(&payload) });
    };
    let name = name.ok_or(ReadError::NoEvent { title: dialect.title })?;
    if dialect.informative.contains(&name.as_str()) {
        let cwd = facts.cwd.to_owned();
        return Ok(Payload { row: None, events: Vec::new(), call: None, cwd });
    }
    let row = dialect.event(&name).ok_or(ReadError::UnknownEvent {
        name,
        title: dialect.title,
        version: dialect.version,
    })?;
    (dialect.reshape)(&mut fields);
    rename(dialect, row, &mut fields)?;
    let cwd = fields.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty());
    let cwd = cwd.unwrap_or(facts.cwd).to_owned();
    if row.repeats_without_prompt && is_repeated(&mut fields) {
        return Ok(Payload { row: Some(row), events: Vec::new(), call: None, cwd });
    }
    fields.insert("cwd".to_owned(), json!(cwd));
    let is_call = row.kind.spec().input.iter().any(|field| field.name == "tool_name");
    if !is_call {
        let event = event(row.kind, fields)?;
        return Ok(Payload { row: Some(row), events: vec![event], call: None, cwd });
    }
    let (call, parts) = NativeCall::take(dialect, row.kind, &mut fields, facts)
        .map_err(|CallError { tool, why }| ReadError::Call { tool, why })?;
    let events: Result<Vec<Event>, ReadError> = parts
        .into_iter()
        .map(|part| {
            let mut fields = fields.clone();
            response::put(&mut fields, &part);
            fields.extend(part.directory.map(|directory| ("cwd".to_owned(), Value::String(directory))));
            fields.insert("tool_name".to_owned(), Value::String(part.tool));
            fields.insert("tool_input".to_owned(), Value::Object(part.input));
            fields.insert("tool_use_id".to_owned(), Value::String(part.id));
            Ok(event(row.kind, fields)?)
        })
        .collect();
    Ok(Payload { row: Some(row), events: events?, call: Some(call), cwd })
}

/// Returns whether the prompt is empty because the agent repeats its event. If only the text before its expansion is
/// there, that is the prompt.
fn is_repeated(fields: &mut Map<String, Value>) -> bool {
    if fields.get("prompt").and_then(Value::as_str) != Some("") {
        return false;
    }
    let submitted = fields.get("submitted_prompt").filter(|text| !keys::is_empty(text)).cloned();
    let is_repeated = submitted.is_none();
    fields.extend(submitted.map(|text| ("prompt".to_owned(), text)));
    is_repeated
}

/// Gives fields and values the names of the protocol.
fn rename(dialect: &Dialect, row: &EventRow, fields: &mut Map<String, Value>) -> Result<(), ReadError> {
    for (theirs, ours) in dialect.fields {
        if let Some(value) = fields.shift_remove(*theirs) {
            if ESSENTIAL.contains(ours) && fields.get(*ours).is_some_and(|there| *there != value) {
                return Err(ReadError::Contradiction { theirs, ours });
            }
            fields.insert((*ours).to_owned(), value);
        }
    }
    for (field, theirs, ours) in dialect.values {
        if fields.get(*field).and_then(Value::as_str) == Some(theirs) {
            fields.insert((*field).to_owned(), json!(ours));
        }
    }
    for (field, value) in row.implies {
        fields.entry(*field).or_insert_with(|| json!(value));
    }
    fields.insert("hook_event_name".to_owned(), json!(row.kind.name()));
    Ok(())
}

/// Builds the event; fields that are missing or unusable and not essential get a neutral value.
fn event(kind: EventKind, mut fields: Map<String, Value>) -> Result<Event, InputError> {
    let rounds = COMMON_INPUT.len() + kind.spec().input.len();
    for _ in 0..rounds {
        match input::from_value(Value::Object(fields.clone())) {
            Err(InputError::Missing { field, .. } | InputError::WrongType { field, .. })
                if !ESSENTIAL.contains(&field) =>
            {
                fields.insert(field.to_owned(), neutral(kind, field));
            }
            done => return done,
        }
    }
    input::from_value(Value::Object(fields))
}

fn neutral(kind: EventKind, field: &str) -> Value {
    match field {
        "session_id" => return json!("unknown"),
        "source" if kind == EventKind::SessionStart => return json!("startup"),
        "reason" if kind == EventKind::SessionEnd => return json!("other"),
        "trigger" => return json!("auto"),
        _ => {}
    }
    let rows = kind.spec().input.iter().chain(COMMON_INPUT);
    let row = rows.into_iter().find(|row| row.name == field);
    match row.filter(|row| row.required).map(|row| row.kind) {
        Some(FieldType::String) => json!(""),
        Some(FieldType::Strings | FieldType::Objects) => json!([]),
        Some(FieldType::Number | FieldType::Integer) => json!(0),
        Some(FieldType::Boolean) => json!(false),
        Some(FieldType::Object) => json!({}),
        Some(FieldType::StringOrNull | FieldType::Any) | None => Value::Null,
    }
}
