//! The input lines of `--input-format stream-json`: each is a message of the user, or a control line of the program
//! that started this one.

use becket_llm::Block;
use becket_model::interpret::{parse_message, parse_object};
use serde::Serialize;
use serde_json::{Map, Value};

/// The reason why a line is not a message.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadLine {
    #[error("it is not valid JSON: {0}")]
    NotJson(String),
    #[error("it must be a JSON object, as in `{EXAMPLE}`")]
    NotAnObject,
    #[error("its `type` is {0}, but only `user` and control lines are read: a message is `{EXAMPLE}`")]
    OtherType(String),
    #[error("its `{field}` is {got}, but must be {wanted}")]
    Control { field: &'static str, got: String, wanted: &'static str },
    #[error(
        "it is a control line, which is answered on stdout: start with `--output-format stream-json`, too"
    )]
    NoAnswers,
    #[error("it has no `message` with `content`: write `{EXAMPLE}`")]
    NoContent,
    #[error("its `message.role` is {0}, but must be `user`")]
    OtherRole(String),
    #[error("block {at} of its `content` {why}")]
    Block { at: usize, why: &'static str },
}

/// An example of a line.
const EXAMPLE: &str = r#"{"type":"user","message":{"role":"user","content":"…"}}"#;

/// The types of control lines.
const CONTROL: [&str; 4] = ["control_request", "control_response", "control_cancel_request", "keep_alive"];

/// The fields of a message that are read, and those that describe it without requesting anything.
const MESSAGE: [&str; 11] = [
    "type",
    "message",
    "uuid",
    "session_id",
    "parent_tool_use_id",
    "origin",
    "client_composed",
    "shouldQuery",
    "timestamp",
    "isSynthetic",
    "tool_use_result",
];

/// The path of an answer in a `control_response`.
const ANSWER: [&str; 2] = ["response", "response"];

/// Returns the keys that occur more than once in the answer of a line, or around it (O1).
pub(crate) fn repeated(line: &str) -> Vec<String> {
    parse_message(line, &ANSWER).map(|(_, repeated)| repeated).unwrap_or_default()
}

/// The fields that the program sends with a message; the result of the prompt repeats them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct MessageMetadata {
    /// The origin of the message. From a program only `human` is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    /// The program's own id of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message_uuid: Option<String>,
    /// The same id as a list, since a turn works on one message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    user_message_uuids: Vec<String>,
}

/// The origin of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Origin {
    /// A user.
    Human,
}

impl MessageMetadata {
    /// Returns the program's own id of the message.
    pub(crate) fn uuid(&self) -> Option<&str> {
        self.user_message_uuid.as_deref()
    }

    fn read(fields: &Map<String, Value>) -> Self {
        let kind = fields.get("origin").and_then(|origin| origin.get("kind"));
        let uuid = text(fields, "uuid").filter(|uuid| !uuid.is_empty());
        MessageMetadata {
            origin: kind.filter(|kind| *kind == "human").map(|_| Origin::Human),
            user_message_uuids: uuid.iter().cloned().collect(),
            user_message_uuid: uuid,
        }
    }
}

/// A valid line.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    /// A message of the user.
    Message {
        content: Vec<Block>,
        /// True if the program composed the message (`client_composed`): its text runs no command and reads no file.
        verbatim: bool,
        /// False if the message only waits for the next one, and starts no turn (`shouldQuery`).
        queries: bool,
        /// The program's fields.
        sent: MessageMetadata,
        /// The fields that have no effect.
        ignored: Vec<String>,
    },
    /// A control line, unchanged.
    Control(Map<String, Value>),
}

/// Reads a line; returns `None` if it is empty.
///
/// # Errors
/// Errors if the line is neither a message of the user nor a control line.
pub(crate) fn read_line(line: &str) -> Result<Option<Line>, BadLine> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let fields = fields_of(line)?;
    match fields.get("type") {
        Some(Value::String(name)) if name == "user" => user_message(&fields).map(Some),
        Some(Value::String(name)) if name == "control_response" => {
            let strictest = parse_message(line, &ANSWER).map(|(fields, _)| fields);
            Ok(Some(Line::Control(strictest.unwrap_or(fields))))
        }
        Some(Value::String(name)) if CONTROL.contains(&name.as_str()) => Ok(Some(Line::Control(fields))),
        other => Err(BadLine::OtherType(quoted(other))),
    }
}

/// Reads the object of a line. Half a surrogate pair, which JavaScript and Python write for a text that is cut off in
/// the middle of a character, is read as U+FFFD (O11).
///
/// # Errors
/// Errors if the line is not a JSON object.
pub(crate) fn fields_of(line: &str) -> Result<Map<String, Value>, BadLine> {
    match serde_json::from_str(line) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(BadLine::NotAnObject)
        }
        Err(error) => parse_object(line).map_err(|_| BadLine::NotJson(error.to_string())),
    }
}

fn user_message(fields: &Map<String, Value>) -> Result<Line, BadLine> {
    let queries = match fields.get("shouldQuery") {
        None | Some(Value::Null | Value::Bool(true)) => true,
        Some(Value::Bool(false)) => false,
        other => {
            let got = quoted(other);
            return Err(BadLine::Control { field: "shouldQuery", got, wanted: "true or false" });
        }
    };
    let is_set = |name: &str| !matches!(fields.get(name), None | Some(Value::Null | Value::Bool(false)));
    let unknown = fields.keys().filter(|name| !MESSAGE.contains(&name.as_str()));
    // A message to a subagent is one to the session here.
    let of_agent = is_set("parent_tool_use_id").then(|| "parent_tool_use_id".to_owned());
    let ignored = unknown.filter(|name| is_set(name)).cloned().chain(of_agent).collect();
    let (verbatim, sent) = (is_client_composed(fields), MessageMetadata::read(fields));
    Ok(Line::Message { content: message(fields)?, verbatim, queries, sent, ignored })
}

/// Returns true if `client_composed` is set; a value of a wrong type counts as set, since it restricts.
fn is_client_composed(fields: &Map<String, Value>) -> bool {
    !matches!(fields.get("client_composed"), None | Some(Value::Null | Value::Bool(false)))
}

fn message(fields: &Map<String, Value>) -> Result<Vec<Block>, BadLine> {
    let Some(Value::Object(message)) = fields.get("message") else { return Err(BadLine::NoContent) };
    match message.get("role") {
        None => {}
        Some(Value::String(role)) if role == "user" => {}
        other => return Err(BadLine::OtherRole(quoted(other))),
    }
    // A blank message is rejected like any other prompt that can't be sent: the session continues.
    match message.get("content") {
        Some(Value::String(text)) => Ok(vec![Block::Text(text.clone())]),
        Some(Value::Array(blocks)) => {
            blocks.iter().enumerate().map(|(n, value)| block(n + 1, value)).collect()
        }
        Some(_) | None => Err(BadLine::NoContent),
    }
}

/// Quotes a field for an error message.
pub(crate) fn quoted(value: Option<&Value>) -> String {
    value.map_or_else(|| "missing".to_owned(), |value| format!("`{value}`"))
}

/// Reads a block. A user may send text, images and documents. Calls and results belong to the agent: no prompt may
/// forge one.
fn block(at: usize, value: &Value) -> Result<Block, BadLine> {
    let bad = |why| BadLine::Block { at, why };
    let Value::Object(fields) = value else { return Err(bad("is not an object")) };
    match fields.get("type").and_then(Value::as_str) {
        Some("text") => text(fields, "text").map(Block::Text).ok_or(bad("has no `text`")),
        Some("image") => {
            let source = fields.get("source").and_then(Value::as_object);
            let source = source.ok_or(bad("is an image without a `source`"))?;
            match (text(source, "media_type"), text(source, "data")) {
                (Some(media_type), Some(data)) => Ok(Block::Image { media_type, data }),
                // A reference to another location is passed to the provider unchanged.
                (None, _) | (_, None) => Ok(Block::Other(value.clone())),
            }
        }
        Some("document") => Ok(Block::Other(value.clone())),
        Some("tool_use" | "tool_result") => Err(bad("is a call or its result: only the agent makes those")),
        Some(_) => Err(bad("is neither `text` nor `image` nor `document`")),
        None => Err(bad("has no `type`")),
    }
}

fn text(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).and_then(Value::as_str).map(str::to_owned)
}
