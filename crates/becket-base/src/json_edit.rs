//! Edits of the text of a JSON file that leave everything else as it is. Comments are rejected, as JSON has none.
//!
//! INVARIANT: before a changed text is returned, it is parsed again; its meaning differs in the intended change only.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

/// The document that an empty text counts as.
pub const EMPTY: &str = "{}\n";

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The reason why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonEditError {
    /// The text is not JSON.
    #[error("the file is not JSON and was left alone: {0}")]
    NotJson(String),
    /// A duplicate key makes it unclear which one to change.
    #[error("`{0}` occurs twice in the file, which was left alone: join the two first")]
    DuplicateKey(String),
    /// A value has the wrong type.
    #[error("{what} of the file must be {expected}, so the file was left alone: correct it first")]
    WrongType {
        /// The part of the file.
        what: String,
        /// The type that it has to be.
        expected: &'static str,
    },
    /// The new text would have another meaning than intended.
    #[error(
        "the file can't be changed without changing more than intended, so it was left alone: edit it by hand"
    )]
    Ambiguous,
}

/// A parsed text, to be changed through its objects.
#[derive(Debug)]
pub struct JsonDocument {
    has_mark: bool,
    root: CstRootNode,
    value: Value,
}

impl JsonDocument {
    /// Parses a text. An empty one counts as [`EMPTY`]; a byte order mark is kept.
    ///
    /// # Errors
    /// Errors if the text is not JSON, or is nested too deeply.
    pub fn parse(text: &str) -> Result<Self, JsonEditError> {
        let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let has_mark = body.len() < text.len();
        let body = if body.trim().is_empty() { EMPTY } else { body };
        // This parser decides on JSON validity and on the limit of nesting.
        let value = serde_json::from_str(body).map_err(|error| JsonEditError::NotJson(error.to_string()))?;
        let root = CstRootNode::parse(body, &ParseOptions::default())
            .map_err(|error| JsonEditError::NotJson(error.to_string()))?;
        Ok(Self { has_mark, root, value })
    }

    /// Returns the object at the top.
    ///
    /// # Errors
    /// Errors if the document is not an object.
    pub fn object(&self) -> Result<CstObject, JsonEditError> {
        self.root.object_value().ok_or_else(|| not_object("the top level".to_owned()))
    }

    /// Returns the parsed text before any change.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the changed text, which must mean `expected`.
    ///
    /// # Errors
    /// Errors with [`JsonEditError::Ambiguous`] if the text means something else.
    pub fn finish(self, expected: &Value) -> Result<String, JsonEditError> {
        let changed = self.root.to_string();
        match serde_json::from_str::<Value>(&changed) {
            Ok(value) if value == *expected => Ok(self.with_mark(changed)),
            Ok(_) | Err(_) => Err(JsonEditError::Ambiguous),
        }
    }

    /// Returns the changed text, which the caller has changed through list and object methods only.
    #[must_use]
    pub fn into_text(self) -> String {
        let changed = self.root.to_string();
        self.with_mark(changed)
    }

    fn with_mark(&self, text: String) -> String {
        if self.has_mark { format!("{BYTE_ORDER_MARK}{text}") } else { text }
    }
}

/// Returns the only property of a name.
///
/// # Errors
/// Errors with [`JsonEditError::DuplicateKey`] if the key occurs twice.
pub fn property(object: &CstObject, key: &str) -> Result<Option<CstObjectProp>, JsonEditError> {
    let mut found =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(key));
    match (found.next(), found.next()) {
        (property, None) => Ok(property),
        (_, Some(_)) => Err(JsonEditError::DuplicateKey(key.to_owned())),
    }
}

/// Returns the object below a key, created if it is missing.
///
/// # Errors
/// Errors if the key occurs twice, or if its value is not an object.
pub fn object_or_new(object: &CstObject, key: &str) -> Result<CstObject, JsonEditError> {
    let property = match property(object, key)? {
        Some(property) => property,
        None => object.append(key, CstInputValue::Object(Vec::new())),
    };
    property.object_value().ok_or_else(|| not_object(format!("`{key}`")))
}

/// Sets a property, in its position if it exists and as the last one otherwise.
///
/// # Errors
/// Errors with [`JsonEditError::DuplicateKey`] if the key occurs twice.
pub fn set(object: &CstObject, key: &str, value: &Value) -> Result<(), JsonEditError> {
    match property(object, key)? {
        Some(property) => property.set_value(input(value)),
        None => drop(object.append(key, input(value))),
    }
    Ok(())
}

fn not_object(what: String) -> JsonEditError {
    JsonEditError::WrongType { what, expected: "an object" }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn changed(text: &str) -> Result<String, JsonEditError> {
        let document = JsonDocument::parse(text)?;
        set(&object_or_new(&document.object()?, "a")?, "b", &json!([1, {"c": null}]))?;
        let mut expected = document.value().clone();
        expected["a"]["b"] = json!([1, {"c": null}]);
        document.finish(&expected)
    }

    #[test]
    fn a_change_leaves_the_rest_alone() {
        let set = r#""a":{"b":[1,{"c":null}]}"#;
        for (text, expected) in [
            ("", format!("{{{set}}}")),
            (" \n", format!("{{{set}}}")),
            (
                "\u{feff}{\"z\": 0.12345678901234567890}\r\n",
                format!("\u{feff}{{\"z\":0.12345678901234567890,{set}}}"),
            ),
            (r#"{"a": {"b": false}, "z": {}}"#, format!("{{{set},\"z\":{{}}}}")),
        ] {
            let changed = changed(text).unwrap();
            assert_eq!(changed.replace(char::is_whitespace, ""), expected, "{text:?}");
        }
    }

    #[test]
    fn a_doubtful_text_is_left_alone() {
        for (text, expected) in [
            ("{", "is not JSON"),
            ("{} // mine", "is not JSON"),
            ("[]", "the top level of the file must be an object"),
            (r#"{"a": []}"#, "`a` of the file must be an object"),
            (r#"{"a": {}, "\u0061": {}}"#, "`a` occurs twice"),
            (r#"{"a": {"b": 1, "b": 2}}"#, "`b` occurs twice"),
        ] {
            let error = changed(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let document = JsonDocument::parse("{}").unwrap();
        assert_eq!(document.finish(&json!({"b": 2})), Err(JsonEditError::Ambiguous));
    }
}
