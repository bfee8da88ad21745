//! The result of a tool call.

use std::path::Path;

use serde_json::{Value, json};

use super::limit::limited;
use super::replace::replaced;
use super::{LimitedResult, OutputCaps, ReplaceError};
use crate::content::Content;

/// The result of a call (`protocol.md` H6).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallResult {
    /// The blocks of the answer, in order.
    pub content: Vec<Content>,
    /// The structured answer, if the tool gives one; an explicit `null` is one.
    pub structured: Option<Value>,
    /// True if the tool reports a failure; the content has the cause.
    pub is_error: bool,
}

impl CallResult {
    /// Returns the text blocks, joined by newlines. Other kinds of blocks are skipped.
    ///
    /// If a tool gives no text block but a structured object, returns that object as JSON: a denial in the wrong
    /// member must not count as silence.
    #[must_use]
    pub fn text(&self) -> String {
        match self.instead_of_text() {
            Some(object) => object.to_string(),
            None => self.content.iter().filter_map(Content::text).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Returns the answer for hooks, `tool_response`: all its blocks, unchanged. If no block is text, the structured
    /// object is inserted before them as a block of text: hooks see what the model sees.
    #[must_use]
    pub fn tool_response(&self) -> Value {
        let object = self.instead_of_text().map(|object| json!({"type": "text", "text": object.to_string()}));
        object.into_iter().chain(self.content.iter().map(|block| block.value().clone())).collect()
    }

    /// Returns the answer as shown to a model. Parts that exceed the caps go to files in `dir`, which is created if
    /// needed; the owner of the directory removes them. Blocks while files are written.
    #[must_use]
    pub fn limited(&self, caps: &OutputCaps, dir: &Path) -> LimitedResult {
        limited(self, caps, dir)
    }

    /// Creates the answer with which a hook replaces another (`updatedToolOutput`, `updatedMCPToolOutput`): a text, a
    /// list of blocks, or an object, which is structured and whose JSON is the text.
    ///
    /// # Errors
    /// Errors if the value is none of these, or one of the blocks is invalid; the answer should then stay unchanged.
    pub fn replacement(value: Value) -> Result<Self, ReplaceError> {
        replaced(value)
    }

    /// Returns the object that replaces the text of an answer without a text block.
    pub(crate) fn instead_of_text(&self) -> Option<&Value> {
        let has_text = self.content.iter().any(|block| block.text().is_some());
        self.structured.as_ref().filter(|value| value.is_object() && !has_text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // rule: H6
    #[test]
    fn text_is_the_text_blocks_alone_joined_by_newlines() {
        let blocks = [
            json!({"type": "text", "text": "a"}),
            json!({"type": "image", "data": "eA==", "mimeType": "image/png", "text": "no"}),
            json!({"type": "text", "text": "b\n"}),
            json!({"type": "new_kind", "text": "no"}),
        ];
        let content = blocks.clone().into_iter().map(Content::new).collect();
        let result = CallResult { content, structured: None, is_error: false };
        assert_eq!(result.text(), "a\nb\n");
        let structured = |content: &[Value], value| {
            let content = content.iter().cloned().map(Content::new).collect();
            CallResult { content, structured: Some(value), is_error: false }.text()
        };
        let deny = json!({"decision": "block"});
        assert_eq!(structured(&blocks, deny.clone()), "a\nb\n");
        assert_eq!(structured(&blocks[1..2], deny), r#"{"decision":"block"}"#);
        assert_eq!(structured(&[], json!(null)), "");
        assert_eq!(result.content[1].kind(), "image");
        assert_eq!(result.content[3].value(), &blocks[3]);
    }
}
