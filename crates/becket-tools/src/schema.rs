//! The input of a tool, as one table: the JSON Schema that the model sees, the check of an input and the defaults are
//! all derived from it, so that they can't differ.
//!
//! An input is not repaired: a number in quotes is a string.

use becket_llm::ToolSpec;
use serde_json::{Map, Value, json};

/// A tool as the model sees it.
#[derive(Debug)]
pub struct Spec {
    /// Its name.
    pub name: &'static str,
    /// Its description for the model.
    pub description: &'static str,
    /// The fields, in the order of the schema.
    pub fields: &'static [Field],
}

/// One field of a tool's input.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// True if it must be present.
    pub required: bool,
    /// The value that is filled in before hooks see the call (N3).
    pub default: Option<Value>,
    /// Its description for the model.
    pub description: &'static str,
}

/// The type of a field.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// True or false.
    Flag,
    /// A whole number in a range, including both limits.
    Number(u64, u64),
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of objects with these fields, with its minimum and maximum length.
    List(&'static [Field], usize, usize),
    /// An object with any names, whose values are texts or lists of texts.
    ByName,
    /// A list of texts.
    Texts,
    /// Any object.
    Object,
}

/// Returns a field that must be present.
pub const fn required(name: &'static str, kind: Kind, description: &'static str) -> Field {
    Field { name, kind, required: true, default: None, description }
}

/// Returns a field that may be omitted.
pub const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Field {
    Field { name, kind, required: false, default: None, description }
}

/// An error in an input, for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum InputError {
    #[error("`{tool}` needs `{field}`, {what}: add it")]
    Missing { tool: &'static str, field: String, what: String },
    #[error("`{field}` of `{tool}` must be {what}, not `{given}`")]
    Wrong { tool: &'static str, field: String, what: String, given: String },
    #[error("`{tool}` has no `{field}`; {hint}")]
    Unknown { tool: &'static str, field: String, hint: String },
}

impl Spec {
    /// Returns the specification for the model.
    pub fn for_model(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            input_schema: self.json_schema(),
        }
    }

    /// Returns the schema of the input object.
    pub fn json_schema(&self) -> Value {
        object_schema(self.fields)
    }

    /// Checks an input against the table: every field is known and of its kind, and none is missing.
    ///
    /// # Errors
    /// Returns the problem, for the model, with the name of the field.
    pub fn validate(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.check(self.fields, "", input).map_err(|error| error.to_string())
    }

    /// Checks fields whose names follow the prefix `of`, which ends with a dot.
    fn check(&self, fields: &[Field], of: &str, input: &Map<String, Value>) -> Result<(), InputError> {
        if let Some(name) = input.keys().find(|name| fields.iter().all(|field| field.name != **name)) {
            let field = format!("{of}{}", brief(name));
            return Err(InputError::Unknown { tool: self.name, field, hint: hint(fields, name) });
        }
        for field in fields {
            let (name, what) = (format!("{of}{}", field.name), || field.kind.words());
            match input.get(field.name) {
                None if field.required => {
                    return Err(InputError::Missing { tool: self.name, field: name, what: what() });
                }
                None => {}
                Some(value) if !field.kind.takes(value) => {
                    let given = brief(&value.to_string());
                    return Err(InputError::Wrong { tool: self.name, field: name, what: what(), given });
                }
                Some(value) => self.check_each(field, &name, value)?,
            }
        }
        Ok(())
    }

    /// Checks the objects in a list.
    fn check_each(&self, field: &Field, name: &str, value: &Value) -> Result<(), InputError> {
        let Kind::List(fields, ..) = field.kind else { return Ok(()) };
        for (at, item) in value.as_array().into_iter().flatten().enumerate() {
            if let Some(item) = item.as_object() {
                self.check(fields, &format!("{name}[{at}]."), item)?;
            }
        }
        Ok(())
    }

    /// Returns the fields with a default, in order.
    pub fn defaults(&self) -> Map<String, Value> {
        let defaults = self.fields.iter().filter_map(|field| Some((field.name, field.default.as_ref()?)));
        defaults.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }
}

fn object_schema(fields: &[Field]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), field.json_schema())).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn hint(fields: &[Field], name: &str) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    match becket_base::suggest(name, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it takes `{}`", names.join("`, `")),
    }
}

impl Field {
    fn json_schema(&self) -> Value {
        let mut schema = self.kind.json_schema();
        schema.insert("description".to_owned(), self.description.into());
        if let Some(default) = &self.default {
            schema.insert("default".to_owned(), default.clone());
        }
        Value::Object(schema)
    }
}

impl Kind {
    fn takes(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Number(least, most) => value.as_u64().is_some_and(|n| (least..=most).contains(&n)),
            Self::Choice(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
            Self::List(_, least, most) => value.as_array().is_some_and(|items| {
                (least..=most).contains(&items.len()) && items.iter().all(Value::is_object)
            }),
            Self::ByName => value.as_object().is_some_and(|fields| fields.values().all(is_text_or_texts)),
            Self::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            Self::Object => value.is_object(),
        }
    }

    fn words(self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Number(least, u64::MAX) => format!("a whole number from {least} on"),
            Self::Number(least, most) => format!("a whole number from {least} to {most}"),
            Self::Choice(texts) => format!("one of `{}`", texts.join("`, `")),
            Self::List(_, least, most) => format!("a list of {least} to {most} objects"),
            Self::ByName => "an object of strings".to_owned(),
            Self::Texts => "a list of strings".to_owned(),
            Self::Object => "an object".to_owned(),
        }
    }

    fn json_schema(self) -> Map<String, Value> {
        let schema = match self {
            Self::Text => json!({"type": "string"}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Number(least, u64::MAX) => json!({"type": "integer", "minimum": least}),
            Self::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Self::Choice(texts) => json!({"type": "string", "enum": texts}),
            Self::List(fields, least, most) => {
                json!({"type": "array", "items": object_schema(fields), "minItems": least, "maxItems": most})
            }
            Self::ByName | Self::Object => json!({"type": "object"}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
        };
        schema.as_object().cloned().unwrap_or_default()
    }
}

fn is_text_or_texts(value: &Value) -> bool {
    value.is_string() || value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string))
}

/// Shortens a text for a message to at most 80 characters.
pub fn brief(text: &str) -> String {
    becket_base::text::cut(text, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    static PARTS: [Field; 1] = [required("text", Kind::Text, "which")];

    static EDIT: Spec = Spec {
        name: "Edit",
        description: "edits",
        fields: &[
            required("file_path", Kind::Text, "where"),
            optional("count", Kind::Number(1, 9), "how often"),
            optional("mode", Kind::Choice(&["a", "b"]), "how"),
            optional("parts", Kind::List(&PARTS, 1, 2), "several"),
            Field {
                name: "replace_all",
                kind: Kind::Flag,
                required: false,
                default: Some(Value::Bool(false)),
                description: "all of them",
            },
        ],
    };

    // rule: N3
    #[test]
    fn defaults_are_those_of_the_schema_and_no_others() {
        assert_eq!(Value::Object(EDIT.defaults()), json!({"replace_all": false}));
        let schema = EDIT.json_schema();
        assert_eq!(schema["properties"]["replace_all"]["default"], false);
        assert_eq!(schema["properties"]["count"].get("default"), None);
        let order: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(order, ["file_path", "count", "mode", "parts", "replace_all"]);
    }

    #[test]
    fn an_error_names_the_field_and_what_it_takes() {
        for (input, error) in [
            (json!({}), "`Edit` needs `file_path`, a string: add it"),
            (json!({"file_path": 3}), "`file_path` of `Edit` must be a string, not `3`"),
            (
                json!({"file_path": "x", "count": 10}),
                "`count` of `Edit` must be a whole number from 1 to 9, not `10`",
            ),
            (
                json!({"file_path": "x", "count": "3"}),
                "`count` of `Edit` must be a whole number from 1 to 9, not `\"3\"`",
            ),
            (json!({"file_path": "x", "mode": "c"}), "`mode` of `Edit` must be one of `a`, `b`, not `\"c\"`"),
            (
                json!({"file_path": "x", "parts": []}),
                "`parts` of `Edit` must be a list of 1 to 2 objects, not `[]`",
            ),
            (
                json!({"file_path": "x", "parts": [{"text": "a"}, {}]}),
                "`Edit` needs `parts[1].text`, a string: add it",
            ),
            (
                json!({"file_path": "x", "parts": [{"text": "a", "txt": 1}]}),
                "`Edit` has no `parts[0].txt`; did you mean `text`?",
            ),
            (json!({"filepath": "x"}), "`Edit` has no `filepath`; did you mean `file_path`?"),
            (
                json!({"wholly_other": "x"}),
                "`Edit` has no `wholly_other`; it takes `file_path`, `count`, `mode`, `parts`, `replace_all`",
            ),
        ] {
            assert_eq!(EDIT.validate(input.as_object().unwrap()).unwrap_err().to_string(), error);
        }
        let good = json!({"file_path": "x", "count": 9, "mode": "b", "replace_all": true});
        assert_eq!(EDIT.validate(good.as_object().unwrap()), Ok(()));
    }
}
