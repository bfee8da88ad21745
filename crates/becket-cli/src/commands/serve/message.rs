//! The messages of a client: a request, a notification, or an answer to a request of becket.

use super::fault::Fault;
use becket_model::interpret::parse_message;
use serde_json::{Map, Value};

/// A message of a client.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// A request, with the id of its answer.
    Request { id: Value, method: String, params: Value },
    /// A notification, without an answer.
    Notification { method: String, params: Value },
    /// An answer to the request with that id; a malformed one contains its error. `repeated` are the decision keys that
    /// occur more than once in it (O1).
    Answer { id: Value, answer: Result<Value, String>, repeated: Vec<String> },
}

/// Parses a line. A lone surrogate in it, as JavaScript and Python write it, must not lose the message and a hook's
/// denial with it (O11). A fault is returned with the id of the message, which is null if there is none.
///
/// # Errors
/// Errors if it is not a JSON-RPC 2.0 message.
pub(super) fn read(line: &[u8], number: u64) -> Result<Message, Box<(Value, Fault)>> {
    let (value, repeated) = parsed(line)
        .map_err(|error| Box::new((Value::Null, Fault::NotJson { line: number, why: error.to_string() })))?;
    let no_message = |id, why: &str| Box::new((id, Fault::NoMessage { line: number, why: why.to_owned() }));
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::Array(_) => {
            return Err(no_message(Value::Null, "batches are not supported: send one line for each message"));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(no_message(Value::Null, "it must be an object"));
        }
    };
    let id = fields.remove("id");
    of_fields(id.clone(), &mut fields, repeated)
        .map_err(|why| no_message(id.filter(is_id).unwrap_or_default(), why))
}

/// Parses a line; also returns the decision keys that occur more than once, if it is an answer.
fn parsed(line: &[u8]) -> Result<(Value, Vec<String>), serde_json::Error> {
    let message = std::str::from_utf8(line).ok().and_then(|text| parse_message(text, &["result"]).ok());
    match message {
        Some((fields, repeated)) => Ok((Value::Object(fields), repeated)),
        None => Ok((serde_json::from_slice(line)?, Vec::new())),
    }
}

fn of_fields(
    id: Option<Value>,
    fields: &mut Map<String, Value>,
    repeated: Vec<String>,
) -> Result<Message, &'static str> {
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err("`jsonrpc` must be \"2.0\"");
    }
    match (fields.remove("method"), id) {
        (None, Some(id)) => Ok(Message::Answer { answer: answer(fields), id, repeated }),
        (None, None) => Err("it has neither a `method` nor an `id`"),
        (Some(Value::String(method)), id) => {
            let params = fields.remove("params").unwrap_or_else(|| Value::Object(Map::new()));
            match id {
                None => Ok(Message::Notification { method, params }),
                Some(id) if is_id(&id) => Ok(Message::Request { id, method, params }),
                Some(_) => Err("`id` must be a string or a whole number"),
            }
        }
        (Some(_), _) => Err("`method` must be a string"),
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// Reads the client's answer; everything but a plain result becomes an error.
fn answer(fields: &mut Map<String, Value>) -> Result<Value, String> {
    match (fields.remove("result"), fields.remove("error")) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => {
            let words = error.get("message").and_then(Value::as_str).map(str::to_owned);
            Err(format!("the client answered with an error: {}", words.unwrap_or_else(|| error.to_string())))
        }
        (Some(_), Some(_)) => Err("the client's answer has both a `result` and an `error`".to_owned()),
        (None, None) => Err("the client's answer has neither a `result` nor an `error`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_told_apart() {
        let said = |line: &str| read(line.as_bytes(), 7).map_err(|told| format!("{} {}", told.0, told.1));
        let no = |why: &str| Err(format!("null line 7 is not a message: {why}"));
        let two = |more: &str| format!(r#"{{"jsonrpc":"2.0",{more}}}"#);
        let request = Message::Request { id: json!(1), method: "m".to_owned(), params: json!([1]) };
        assert_eq!(said(&two(r#""id":1,"method":"m","params":[1]"#)), Ok(request));
        let notification = Message::Notification { method: "m".to_owned(), params: json!({}) };
        assert_eq!(said(&two(r#""method":"m""#)), Ok(notification));
        for (line, expected) in [
            ("[]", no("batches are not supported: send one line for each message")),
            ("1", no("it must be an object")),
            ("{}", no("`jsonrpc` must be \"2.0\"")),
            (&two(r#""x":1"#), no("it has neither a `method` nor an `id`")),
            (&two(r#""id":null,"method":"m""#), no("`id` must be a string or a whole number")),
            (&two(r#""id":1.5,"method":"m""#), no("`id` must be a string or a whole number")),
            (&two(r#""method":3"#), no("`method` must be a string")),
            (
                r#"{"id":"a","method":"m"}"#,
                Err("\"a\" line 7 is not a message: `jsonrpc` must be \"2.0\"".to_owned()),
            ),
        ] {
            assert_eq!(said(line), expected, "{line}");
        }
        assert!(said("{").is_err_and(|why| why.starts_with("null line 7 is not JSON: ")));
    }

    // rule: O11
    #[test]
    fn half_a_character_costs_no_answer() {
        let line = r#"{"jsonrpc":"2.0","id":1,"result":{"decision":"block","reason":"no \ud83d"}}"#;
        let answer = Ok(json!({"decision": "block", "reason": "no \u{fffd}"}));
        let read = |line: &str| read(line.as_bytes(), 1).map_err(|told| told.1.to_string());
        assert_eq!(read(line), Ok(Message::Answer { id: json!(1), answer, repeated: Vec::new() }));
        let cut = read(r#"{"jsonrpc":"2.0","id":1,"result":"\ud83d"#);
        assert!(cut.is_err_and(|why| why.starts_with("line 1 is not JSON")));
    }

    // rule: O1
    #[test]
    fn a_repeated_decision_counts_as_the_strictest_and_is_known() {
        let (block, approve) = (r#""decision":"block""#, r#""decision":"approve""#);
        for (result, key) in [
            (format!(r#""result":{{{block},{approve}}}"#), "decision"),
            (format!(r#""result":{{{approve},{block}}}"#), "decision"),
            (format!(r#""result":{{{block}}},"result":{{{approve}}}"#), "result"),
            (format!(r#""result":{{{approve}}},"result":{{{block}}}"#), "result"),
            (format!(r#""result":{{{block}}},"result":null"#), "result"),
            (format!(r#""result":{{{block}}},"id":1"#), "id"),
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,{result}}}"#);
            let Ok(Message::Answer { answer, repeated, .. }) = read(line.as_bytes(), 1) else {
                panic!("{line}")
            };
            assert_eq!(answer, Ok(json!({"decision": "block"})), "{line}");
            assert_eq!(repeated, [key], "{line}");
        }
    }

    // rule: H9
    #[test]
    fn what_is_no_plain_result_is_no_answer() {
        let said = |more: &str| match read(format!(r#"{{"jsonrpc":"2.0","id":1{more}}}"#).as_bytes(), 1) {
            Ok(Message::Answer { answer, .. }) => answer,
            other => panic!("{other:?}"),
        };
        assert_eq!(said(r#","result":{"a":1}"#), Ok(json!({"a": 1})));
        assert_eq!(said(r#","result":null"#), Ok(Value::Null));
        for (more, words) in [
            (r#","error":{"message":"no"}"#, "with an error: no"),
            (r#","error":5"#, "with an error: 5"),
            (r#","result":{},"error":{}"#, "has both"),
            ("", "has neither"),
        ] {
            assert!(said(more).is_err_and(|why| why.contains(words)), "{more}");
        }
    }
}
