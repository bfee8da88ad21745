//! The blocks of a prompt.

use super::AcpError;
use serde_json::{Map, Value, json};

/// A prompt, with all of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptText {
    /// The session.
    pub session: String,
    /// The text of all blocks, embedded files included; links as `@` and their address.
    pub text: String,
}

impl PromptText {
    /// Reads the parameters of `session/prompt`.
    ///
    /// # Errors
    /// Errors if the session or the blocks can't be read.
    pub fn read(params: &Map<String, Value>) -> Result<Self, AcpError> {
        let session =
            params.get("sessionId").and_then(Value::as_str).ok_or(AcpError::missing("sessionId"))?;
        let blocks = params.get("prompt").and_then(Value::as_array).ok_or(AcpError::missing("prompt"))?;
        let texts: Vec<String> = blocks.iter().map(block).collect::<Result<_, _>>()?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        Ok(PromptText { session: session.to_owned(), text: texts.join("\n") })
    }

    /// Adds context as the last block.
    pub fn add_context(params: &mut Map<String, Value>, context: &str) {
        if let Some(Value::Array(blocks)) = params.get_mut("prompt") {
            blocks.push(json!({"type": "text", "text": context}));
        }
    }
}

/// Returns the text of a block; images and sounds have none.
fn block(block: &Value) -> Result<String, AcpError> {
    let kind = block.get("type").and_then(Value::as_str).ok_or(AcpError::missing("prompt[].type"))?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match kind {
        "text" => text(block.get("text")).ok_or(AcpError::missing("prompt[].text")),
        "resource_link" => {
            let uri = text(block.get("uri")).ok_or(AcpError::missing("prompt[].uri"))?;
            Ok(format!("@{uri}"))
        }
        "resource" => {
            let resource = block.get("resource").ok_or(AcpError::missing("prompt[].resource"))?;
            Ok(text(resource.get("text")).or_else(|| text(resource.get("uri"))).unwrap_or_default())
        }
        _ => Ok(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: Value) -> Result<PromptText, AcpError> {
        PromptText::read(params.as_object().expect("an object"))
    }

    #[test]
    fn all_text_of_a_prompt_is_read() {
        let blocks = json!([
            {"type": "text", "text": "look at"},
            {"type": "resource_link", "uri": "file:///a.rs", "name": "a.rs"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "inside"}},
            {"type": "image", "data": "eA==", "mimeType": "image/png"},
            {"type": "hologram"},
        ]);
        let prompt = read(json!({"sessionId": "s", "prompt": blocks})).expect("a prompt");
        assert_eq!(prompt.text, "look at\n@file:///a.rs\ninside");
        for params in [
            json!({"prompt": []}),
            json!({"sessionId": "s", "prompt": "text"}),
            json!({"sessionId": "s", "prompt": [{"text": "x"}]}),
            json!({"sessionId": "s", "prompt": [{"type": "text"}]}),
        ] {
            assert!(read(params.clone()).is_err(), "{params}");
        }
    }

    #[test]
    fn context_is_the_last_block() {
        let mut params =
            json!({"sessionId": "s", "prompt": [{"type": "text", "text": "a"}], "_meta": {"x": 1}});
        PromptText::add_context(params.as_object_mut().expect("an object"), "b");
        let expected = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
        assert_eq!((&params["prompt"], &params["_meta"]), (&expected, &json!({"x": 1})));
    }
}
