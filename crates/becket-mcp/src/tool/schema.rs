//! A subset of JSON Schema that catches most wrong inputs.
//!
//! Nothing is guessed: an unknown keyword, a `$ref`, a combination (`anyOf`, `oneOf`, `not`) passes.
//!
//! INVARIANT: input that it rejects is invalid by any draft of JSON Schema.

use std::fmt;

use serde_json::{Map, Value};

/// The limit on nesting, above that of any sensible input; everything below it passes.
const DEEPEST: usize = 32;
/// The limit on errors in one report.
const MOST: usize = 20;

/// A problem at one position of an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", at(.path))]
#[non_exhaustive]
pub struct InputError {
    /// The position, as a JSON pointer (RFC 6901); empty for the whole input.
    pub path: String,
    /// The problem and what to write instead.
    pub what: String,
}

fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("`{path}`: ") }
}

/// Returns the problem with the input schema itself.
pub(super) fn problem(schema: &Map<String, Value>) -> Option<String> {
    match schema.get("type") {
        None => {}
        Some(Value::String(text)) if text == "object" => {}
        Some(other) => return Some(format!("the `type` of its input schema is {other}, not \"object\"")),
    }
    let properties = schema.get("properties");
    match properties {
        Some(Value::Object(properties)) => {
            let wrong = properties.iter().find(|(_, value)| !value.is_object() && !value.is_boolean());
            if let Some((name, value)) = wrong {
                return Some(format!("the schema of its property `{name}` is {}", kind(value)));
            }
        }
        Some(other) => return Some(format!("the `properties` of its input schema are {}", kind(other))),
        None => {}
    }
    match schema.get("required") {
        None => None,
        Some(Value::Array(names)) if names.iter().all(Value::is_string) => None,
        Some(_) => Some("`required` in its input schema is not a list of names".to_owned()),
    }
}

/// Returns the type of a JSON value, as text.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

pub(super) fn validate(
    schema: &Map<String, Value>,
    input: &Map<String, Value>,
) -> Result<(), Vec<InputError>> {
    let mut judge = Judge { errors: Vec::new() };
    // In older drafts everything beside a `$ref` is ignored.
    if !schema.contains_key("$ref") {
        judge.object(schema, input, &Path::Root);
    }
    if judge.errors.is_empty() { Ok(()) } else { Err(judge.errors) }
}

/// The current position, formatted only for an error.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn depth(&self) -> usize {
        match self {
            Self::Root => 0,
            Self::Key(outer, _) | Self::Index(outer, _) => outer.depth() + 1,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(outer, key) => write!(f, "{outer}/{}", key.replace('~', "~0").replace('/', "~1")),
            Self::Index(outer, index) => write!(f, "{outer}/{index}"),
        }
    }
}

struct Judge {
    errors: Vec<InputError>,
}

impl Judge {
    fn wrong(&mut self, path: &Path<'_>, what: String) {
        if self.errors.len() < MOST {
            self.errors.push(InputError { path: path.to_string(), what });
        }
    }

    fn value(&mut self, schema: &Value, value: &Value, path: &Path<'_>) {
        let Value::Object(schema) = schema else {
            if *schema == Value::Bool(false) {
                self.wrong(path, "nothing is allowed here; leave it out".to_owned());
            }
            return;
        };
        if schema.contains_key("$ref") || path.depth() > DEEPEST {
            return;
        }
        if let Some(expected) = wrong_type(schema, value) {
            return self.wrong(path, format!("this is {}; it must be {expected}", kind(value)));
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
            && !allowed.iter().any(|one| same(one, value))
        {
            let allowed: Vec<String> = allowed.iter().take(MOST).map(|one| format!("`{one}`")).collect();
            self.wrong(path, format!("`{value}` is none of {}", allowed.join(", ")));
        }
        if let Some(only) = schema.get("const")
            && !same(only, value)
        {
            self.wrong(path, format!("`{value}` must be `{only}`"));
        }
        match value {
            Value::Object(members) => self.object(schema, members, path),
            Value::Array(items) => self.items(schema, items, path),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, members: &Map<String, Value>, path: &Path<'_>) {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str).filter(|name| !members.contains_key(*name)) {
            self.wrong(path, format!("`{name}` is missing"));
        }
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false))
            && !schema.contains_key("patternProperties");
        for (name, value) in members {
            let path = Path::Key(path, name);
            match properties.get(name) {
                Some(schema) => self.value(schema, value, &path),
                None if closed => self.wrong(&path, "there is no such property; leave it out".to_owned()),
                None => {}
            }
        }
    }

    fn items(&mut self, schema: &Map<String, Value>, items: &[Value], path: &Path<'_>) {
        // A list of schemas is the older form of `prefixItems`, with which `items` means the rest: both pass.
        let Some(each) = schema.get("items").filter(|each| !each.is_array()) else { return };
        if schema.contains_key("prefixItems") {
            return;
        }
        for (index, item) in items.iter().enumerate() {
            self.value(each, item, &Path::Index(path, index));
        }
    }
}

/// Returns the types that the schema allows, if the value has none of them.
fn wrong_type(schema: &Map<String, Value>, value: &Value) -> Option<String> {
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().map(Value::as_str).collect::<Option<_>>()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let wrong = types.iter().all(|name| is_type(name, value) == Some(false)) && !types.is_empty();
    wrong.then(|| types.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or "))
}

fn article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" => "a list".to_owned(),
        "object" | "integer" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// Returns whether the value has the type; `None` for an unknown type name.
fn is_type(name: &str, value: &Value) -> Option<bool> {
    Some(match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => return None,
    })
}

/// Returns whether two values are equal by JSON Schema: `1` equals `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}
