//! Validation of values against a JSON Schema.
//!
//! INVARIANT: a schema is material from elsewhere: nothing that it refers to is loaded, neither a file nor an address.

use crate::text::one_line;
use boon::{CompileError, Compiler, SchemaIndex, Schemas, UrlLoader, ValidationError};
use serde_json::Value;
use std::error::Error;
use std::fmt;

/// The name under which the schema is compiled. Nothing is loaded from it.
const NAME: &str = "becket:///schema";
/// The number of mismatches that an error lists.
const LISTED: usize = 5;
/// The maximum length of a listed mismatch, in characters.
const LENGTH: usize = 300;

/// A schema that is ready to use. Without `$schema` it follows the draft 2020-12.
pub struct JsonSchema {
    source: Value,
    schemas: Schemas,
    index: SchemaIndex,
}

/// The reason why a value is not a usable schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", place(at))]
pub struct SchemaError {
    /// The place in the schema, as a JSON pointer; empty at its top.
    pub at: String,
    /// The problem.
    pub why: String,
}

/// The differences between a value and its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch(Vec<SchemaError>);

impl JsonSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Errors if the value is not a valid schema, or refers to another document.
    pub fn new(source: Value) -> Result<Self, SchemaError> {
        let mut compiler = Compiler::new();
        compiler.use_loader(Box::new(NothingElse));
        compiler.add_resource(NAME, source.clone()).map_err(|error| schema_error(&error))?;
        let mut schemas = Schemas::new();
        match compiler.compile(NAME, &mut schemas) {
            Ok(index) => Ok(Self { source, schemas, index }),
            Err(error) => Err(schema_error(&error)),
        }
    }

    /// Returns the schema as it was given.
    #[must_use]
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// Checks a value.
    ///
    /// # Errors
    /// Returns the differences, the first ones in order.
    pub fn check(&self, value: &Value) -> Result<(), Mismatch> {
        self.schemas.validate(value, self.index).map_err(|error| Mismatch(differences(&error)))
    }
}

impl fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonSchema").field("source", &self.source).finish_non_exhaustive()
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, one) in self.0.iter().take(LISTED).enumerate() {
            let between = if n > 0 { "; " } else { "" };
            write!(f, "{between}{one}")?;
        }
        match self.0.len().checked_sub(LISTED) {
            Some(more @ 1..) => write!(f, "; and {more} more"),
            Some(0) | None => Ok(()),
        }
    }
}

impl Error for Mismatch {}

/// A loader that loads nothing.
struct NothingElse;

impl UrlLoader for NothingElse {
    fn load(&self, _: &str) -> Result<Value, Box<dyn Error>> {
        Err("other documents are not loaded".into())
    }
}

fn place(at: &str) -> String {
    if at.is_empty() { "at its top".to_owned() } else { format!("at `{at}`") }
}

/// Returns the innermost differences, each once.
fn differences(error: &ValidationError<'_, '_>) -> Vec<SchemaError> {
    let mut found = Vec::new();
    collect(error, &mut found);
    found
}

fn collect(error: &ValidationError<'_, '_>, found: &mut Vec<SchemaError>) {
    if error.causes.is_empty() {
        let why = one_line(&error.kind.to_string(), LENGTH);
        let one = SchemaError { at: error.instance_location.to_string(), why };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    error.causes.iter().for_each(|cause| collect(cause, found));
}

fn schema_error(error: &CompileError) -> SchemaError {
    if let CompileError::ValidationError { src, .. } = error
        && let Some(first) = differences(src).into_iter().next()
    {
        return first;
    }
    let text = format!("{error:#}");
    let at = pointer(&text).unwrap_or_default();
    let why = text.replace(&format!("{NAME}#{at}"), "it").replace(NAME, "the schema");
    SchemaError { at, why: one_line(&why, LENGTH) }
}

/// Returns the place that a message names by the address of the schema.
fn pointer(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("{NAME}#"))?;
    let end = rest.find([' ', ':', '"', '\'', ',']).unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> JsonSchema {
        JsonSchema::new(json!({
            "type": "object",
            "properties": {
                "count": {"type": "integer", "minimum": 0},
                "names": {"type": "array", "items": {"$ref": "#/$defs/name"}},
            },
            "required": ["count"],
            "additionalProperties": false,
            "$defs": {"name": {"type": "string", "pattern": "^[a-z]+$"}},
        }))
        .unwrap()
    }

    #[test]
    fn a_mismatch_names_the_place() {
        assert_eq!(schema().check(&json!({"count": 1, "names": ["a"]})), Ok(()));
        for (value, expected) in [
            (json!({}), "at its top: missing properties 'count'"),
            (json!({"count": "1"}), "at `/count`: want integer, but got string"),
            (json!({"count": -1}), "at `/count`: must be >=0, but got -1"),
            (json!({"count": 1, "names": ["a", "B"]}), "at `/names/1`: 'B' does not match pattern"),
            (json!({"count": 1, "other": 1}), "at its top: additionalProperties 'other' not allowed"),
            (json!([]), "at its top: want object, but got array"),
        ] {
            let found = schema().check(&value).unwrap_err().to_string();
            assert!(found.starts_with(expected), "{value}: {found}");
        }
        let many = json!({"count": 1, "names": [1, 2, 3, 4, 5, 6, 7]});
        let found = schema().check(&many).unwrap_err().to_string();
        assert!(found.ends_with("; and 2 more"), "{found}");
    }

    #[test]
    fn an_invalid_schema_names_the_place() {
        for (value, at) in [
            (json!({"type": "objekt"}), "/type"),
            (json!({"properties": {"a": {"type": 7}}}), "/properties/a/type"),
            (json!({"properties": {"a": {"pattern": "("}}}), "/properties/a/pattern"),
            (json!({"required": "a"}), "/required"),
            (json!(7), ""),
        ] {
            let error = JsonSchema::new(value.clone()).unwrap_err();
            assert_eq!(error.at, at, "{value}: {error}");
        }
        assert!(JsonSchema::new(json!({"$ref": "#/$defs/missing"})).is_err());
    }

    #[test]
    fn nothing_else_is_loaded() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "{}").unwrap();
        let of_file = format!("file://{}", file.path().display());
        for other in [of_file.as_str(), "https://schemas.example/a.json", "other.json"] {
            let error = JsonSchema::new(json!({"$ref": other})).unwrap_err();
            assert!(error.why.contains("not loaded"), "{other}: {error}");
        }
    }

    #[test]
    fn older_drafts_are_understood() {
        let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["a"]});
        let schema = JsonSchema::new(old).unwrap();
        assert!(schema.check(&json!({})).is_err() && schema.check(&json!({"a": 1})).is_ok());
    }
}
