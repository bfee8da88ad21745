//! The input lines of `--input-format stream-json`: each is a message of the user, or a control line of the program
//! that started this one.

use becket_llm::Block;
use becket_model::interpret::parse_message;
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
    #[error("its `content` is empty")]
    Empty,
}

/// An example of a line.
const EXAMPLE: &str = r#"{"type":"user","message":{"role":"user","content":"…"}}"#;

/// The types of control lines.
const CONTROL: [&str; 4] = ["control_request", "control_response", "control_cancel_request", "keep_alive"];

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
        /// The program's fields.
        sent: MessageMetadata,
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
    let value: Value = serde_json::from_str(line).map_err(|error| BadLine::NotJson(error.to_string()))?;
    let Value::Object(fields) = value else { return Err(BadLine::NotAnObject) };
    match fields.get("type") {
        Some(Value::String(name)) if name == "user" => {
            let verbatim = is_client_composed(&fields);
            let sent = MessageMetadata::read(&fields);
            message(&fields).map(|content| Some(Line::Message { content, verbatim, sent }))
        }
        Some(Value::String(name)) if name == "control_response" => {
            let strictest = parse_message(line, &ANSWER).map(|(fields, _)| fields);
            Ok(Some(Line::Control(strictest.unwrap_or(fields))))
        }
        Some(Value::String(name)) if CONTROL.contains(&name.as_str()) => Ok(Some(Line::Control(fields))),
        other => Err(BadLine::OtherType(quoted(other))),
    }
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
    let blocks = match message.get("content") {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(blocks)) => {
            blocks.iter().enumerate().map(|(n, value)| block(n + 1, value)).collect::<Result<_, _>>()?
        }
        Some(_) | None => return Err(BadLine::NoContent),
    };
    let says_something = |one: &Block| one.as_text().is_none_or(|text| !text.trim().is_empty());
    if blocks.iter().any(says_something) { Ok(blocks) } else { Err(BadLine::Empty) }
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
