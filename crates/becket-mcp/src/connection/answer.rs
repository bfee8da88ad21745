//! Conversion of `rmcp`'s answer to the result of a call.

use rmcp::model::{InputRequiredResult, ServerResult};
use serde_json::Value;

use crate::content::Content;
use crate::output::CallResult;

/// The response to a call.
pub(super) enum Answer<T> {
    Done(T),
    /// The server needs input first.
    Asks(InputRequiredResult),
}

/// Reads the answer to `tools/call`.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
pub(super) fn of_call(answer: ServerResult) -> Result<Answer<CallResult>, String> {
    match answer {
        ServerResult::CallToolResult(answer) => {
            let blocks = answer.content.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
            Ok(Answer::Done(CallResult {
                content: blocks.map_err(|error| error.to_string())?.into_iter().map(Content::new).collect(),
                structured: answer.structured_content,
                is_error: answer.is_error.unwrap_or(false),
            }))
        }
        // A block of a kind that the library does not know: parsed by hand, so that the rest is not lost.
        ServerResult::CustomResult(answer) => by_hand(answer.0).map(Answer::Done),
        ServerResult::InputRequiredResult(asks) => Ok(Answer::Asks(asks)),
        ServerResult::CreateTaskResult(_) => Err("it is a task, which this client did not ask for".into()),
        _ => Err("it is not a result of a tool".into()),
    }
}

fn by_hand(answer: Value) -> Result<CallResult, String> {
    let none = || "it is not a result of a tool".to_owned();
    let Value::Object(mut answer) = answer else { return Err(none()) };
    let Some(Value::Array(blocks)) = answer.remove("content") else { return Err(none()) };
    let is_error = match answer.remove("isError") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(is_error)) => is_error,
        Some(_) => return Err("`isError` is neither true nor false".into()),
    };
    let content = blocks.into_iter().map(Content::new).collect();
    Ok(CallResult { content, structured: answer.remove("structuredContent"), is_error })
}
