//! An output that replaces the tool's, as the text that the model of another agent reads.

use crate::{NativeCall, Resolution};
use serde_json::{Map, Value};

/// The output of a call whose parts have different ones. None of them is that of the whole call.
const WITHHELD: &str = "hooks replace the output of this call in different ways, so it is withheld";

/// Returns the output that replaces that of the agent's call.
pub(super) fn combined(resolutions: &[Resolution], call: Option<&NativeCall>) -> Option<String> {
    let is_of_server = call.is_some_and(|call| call.row.is_none());
    let mut outputs = resolutions.iter().filter_map(|resolution| replaced(&resolution.json, is_of_server));
    let first = outputs.next()?;
    let is_same = outputs.all(|other| other == first);
    Some(if is_same { text(first) } else { WITHHELD.to_owned() })
}

/// Returns the output in the answer of a hook. Only that of an MCP tool has two names (D11).
fn replaced(json: &Map<String, Value>, is_of_server: bool) -> Option<&Value> {
    let own = json.get("hookSpecificOutput")?;
    let field = |name: &str| own.get(name).filter(|value| !value.is_null());
    field("updatedToolOutput").or_else(|| field("updatedMCPToolOutput").filter(|_| is_of_server))
}

/// Returns the text of an output that has the shape of a result of the protocol's tools.
fn text(output: &Value) -> String {
    let field = |name: &str| output.get(name).and_then(Value::as_str).map(str::to_owned);
    let streams = || {
        let both = [field("stdout")?, field("stderr").unwrap_or_default()];
        Some(both.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"))
    };
    let content = || Some(output.get("file")?.get("content")?.as_str()?.to_owned());
    let known = match output {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => texts(blocks),
        Value::Object(_) => streams().or_else(content).or_else(|| field("message")),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    };
    known.unwrap_or_else(|| output.to_string())
}

/// Returns the text of blocks; `None` if one of them is not a text.
fn texts(blocks: &[Value]) -> Option<String> {
    let of_block = |block: &Value| match block.get("type").and_then(Value::as_str) {
        Some("text") => block.get("text")?.as_str().map(str::to_owned),
        Some(_) | None => None,
    };
    Some(blocks.iter().map(of_block).collect::<Option<Vec<_>>>()?.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_output_of_any_shape_has_a_text() {
        for (output, expected) in [
            (json!("a"), "a"),
            (json!({"stdout": "a", "stderr": "", "interrupted": false}), "a"),
            (json!({"stdout": "a", "stderr": "b"}), "a\nb"),
            (json!({"type": "text", "file": {"filePath": "/x", "content": "a"}}), "a"),
            (json!({"filePath": "/x", "message": "a"}), "a"),
            (json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "a\nb"),
            (json!([{"type": "image", "data": "x"}]), r#"[{"type":"image","data":"x"}]"#),
            (json!([]), ""),
            (json!({"stdout": 1}), r#"{"stdout":1}"#),
            (json!(false), "false"),
        ] {
            assert_eq!(text(&output), expected, "{output}");
        }
    }

    #[test]
    fn different_outputs_of_the_parts_of_a_call_are_withheld() {
        let with = |output: Value| Resolution {
            json: Map::from_iter([("hookSpecificOutput".to_owned(), json!({"updatedToolOutput": output}))]),
            ..Resolution::default()
        };
        let of = |all: &[Resolution]| combined(all, None);
        assert_eq!(of(&[Resolution::default()]), None);
        assert_eq!(of(&[Resolution::default(), with(json!("a"))]).as_deref(), Some("a"));
        assert_eq!(of(&[with(json!("a")), with(json!("a"))]).as_deref(), Some("a"));
        assert_eq!(of(&[with(json!("a")), with(json!("b"))]).as_deref(), Some(WITHHELD));
        assert_eq!(of(&[with(Value::Null)]), None);
    }
}
