//! Values that an in-process handler may return (H9).

use becket_model::Reply;
use becket_model::interpret::JsonAnswer;
use serde_json::{Map, Value};
use std::fmt::Display;

/// An answer of an in-process handler.
#[derive(Debug, Clone, PartialEq)]
pub enum CallbackAnswer {
    /// No answer.
    Silent,
    /// A reply in the engine's own type.
    Reply(Box<Reply>),
    /// JSON as a command would print it. `{"async": true}` announces that the handler continues in the background.
    Json(JsonAnswer),
    /// The handler failed: the reason.
    Failed(String),
    /// The handler failed, and a part of its answer can be read: its blocks stay in force, and its allows do not count.
    InPart {
        /// The part, as a command would print it.
        answer: Map<String, Value>,
        /// The problem with the rest.
        why: String,
    },
}

/// A value that converts into a [`CallbackAnswer`]: nothing, a reply, a JSON object, or a `Result` of these.
pub trait IntoAnswer: Send {
    /// Converts the value into an answer.
    fn into_answer(self) -> CallbackAnswer;
}

impl IntoAnswer for CallbackAnswer {
    fn into_answer(self) -> CallbackAnswer {
        self
    }
}

impl IntoAnswer for () {
    fn into_answer(self) -> CallbackAnswer {
        CallbackAnswer::Silent
    }
}

impl IntoAnswer for Reply {
    fn into_answer(self) -> CallbackAnswer {
        CallbackAnswer::Reply(Box::new(self))
    }
}

impl IntoAnswer for JsonAnswer {
    fn into_answer(self) -> CallbackAnswer {
        CallbackAnswer::Json(self)
    }
}

impl IntoAnswer for Map<String, Value> {
    fn into_answer(self) -> CallbackAnswer {
        CallbackAnswer::Json(self.into())
    }
}

/// Converts a JSON value: an object is an answer, `null` is silence, anything else a failure, so that no denial is
/// lost.
impl IntoAnswer for Value {
    fn into_answer(self) -> CallbackAnswer {
        match self {
            Value::Object(object) => object.into_answer(),
            Value::Null => CallbackAnswer::Silent,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                CallbackAnswer::Failed(format!(
                    "it returned {self}, which is not a JSON object: return an object, a `Reply` or nothing"
                ))
            }
        }
    }
}

impl<A: IntoAnswer> IntoAnswer for Option<A> {
    fn into_answer(self) -> CallbackAnswer {
        self.map_or(CallbackAnswer::Silent, IntoAnswer::into_answer)
    }
}

impl<A: IntoAnswer, E: Display + Send> IntoAnswer for Result<A, E> {
    fn into_answer(self) -> CallbackAnswer {
        match self {
            Ok(answer) => answer.into_answer(),
            Err(error) => CallbackAnswer::Failed(error.to_string()),
        }
    }
}
