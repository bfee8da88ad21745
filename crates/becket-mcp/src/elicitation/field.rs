//! One field of a form, from the schema of a property.
//!
//! An unknown keyword is ignored: the server checks its answer itself. An unsupported type is an error: no user could
//! fill it in.

use serde_json::{Map, Number, Value};

use super::choice::{Choice, choices};
use super::format::Format;

/// A field that a user fills in.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name in the answer.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// A description, in the server's words.
    pub description: Option<String>,
    /// True if the form requires the field.
    pub required: bool,
    /// The type of the value.
    pub kind: FieldKind,
    /// The initial value, if it has the right type.
    pub default: Option<Value>,
}

/// The type of a field's value.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// A text.
    Text {
        /// The expected format, if it is a known one.
        format: Option<Format>,
        /// The minimum length, in characters.
        min: Option<u64>,
        /// The maximum length, in characters.
        max: Option<u64>,
        /// An ECMAScript expression that has to match somewhere in the text.
        pattern: Option<String>,
    },
    /// A number.
    Number {
        /// True if it must be an integer.
        whole: bool,
        /// The minimum.
        min: Option<Number>,
        /// The maximum.
        max: Option<Number>,
    },
    /// Yes or no.
    Boolean,
    /// One of some values.
    One(Vec<Choice>),
    /// Several of some values.
    Many {
        /// The values.
        choices: Vec<Choice>,
        /// The minimum number of choices.
        min: Option<u64>,
        /// The maximum number of choices.
        max: Option<u64>,
    },
}

impl Field {
    pub(super) fn read(name: &str, schema: &Value, required: bool) -> Result<Self, String> {
        let schema = schema.as_object().ok_or("its schema is not an object")?;
        let kind = kind(schema)?;
        let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
        let default = schema.get("default").filter(|value| kind.has_type(value)).cloned();
        Ok(Self {
            name: name.to_owned(),
            title: text("title"),
            description: text("description"),
            required,
            kind,
            default,
        })
    }
}

fn kind(schema: &Map<String, Value>) -> Result<FieldKind, String> {
    match schema.get("type") {
        Some(Value::String(name)) => match name.as_str() {
            "string" => string(schema),
            "number" | "integer" => number(schema, name == "integer"),
            "boolean" => Ok(FieldKind::Boolean),
            "array" => many(schema),
            other => Err(format!("a field can't be of type `{other}`")),
        },
        Some(_) => Err("its `type` is not a name of a type".to_owned()),
        // Some servers omit the type if there are values.
        None => choices(schema)?.map(FieldKind::One).ok_or_else(|| "it has no `type`".to_owned()),
    }
}

fn string(schema: &Map<String, Value>) -> Result<FieldKind, String> {
    if let Some(choices) = choices(schema)? {
        return Ok(FieldKind::One(choices));
    }
    let format = schema.get("format").and_then(Value::as_str).and_then(Format::of);
    let pattern = schema.get("pattern").and_then(Value::as_str).map(str::to_owned);
    let (min, max) = (count(schema, "minLength")?, count(schema, "maxLength")?);
    in_order(min, max)?;
    Ok(FieldKind::Text { format, min, max, pattern })
}

fn number(schema: &Map<String, Value>, whole: bool) -> Result<FieldKind, String> {
    let bound = |key: &str| match schema.get(key) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number.clone())),
        Some(_) => Err(format!("its `{key}` is not a number")),
    };
    let (min, max) = (bound("minimum")?, bound("maximum")?);
    in_order(min.as_ref().and_then(Number::as_f64), max.as_ref().and_then(Number::as_f64))?;
    Ok(FieldKind::Number { whole, min, max })
}

fn many(schema: &Map<String, Value>) -> Result<FieldKind, String> {
    let items = schema.get("items").and_then(Value::as_object);
    let choices = items.map(choices).transpose()?.flatten();
    let choices = choices.ok_or("a list is a field only if its `items` name the values to choose from")?;
    let (min, max) = (count(schema, "minItems")?, count(schema, "maxItems")?);
    in_order(min, max)?;
    if min.is_some_and(|min| min > choices.len() as u64) {
        return Err("it wants more values than there are".to_owned());
    }
    Ok(FieldKind::Many { choices, min, max })
}

/// Parses a count, even if a server writes `3.0`.
fn count(schema: &Map<String, Value>, key: &str) -> Result<Option<u64>, String> {
    let Some(value) = schema.get(key) else { return Ok(None) };
    let whole =
        |number: f64| (number >= 0.0 && number.fract() == 0.0 && number < 1e15).then_some(number as u64);
    let count = value.as_u64().or_else(|| value.as_f64().and_then(whole));
    count.map(Some).ok_or_else(|| format!("its `{key}` is not a count"))
}

/// Errors if the bounds are reversed.
fn in_order<T: PartialOrd>(min: Option<T>, max: Option<T>) -> Result<(), String> {
    match (min, max) {
        (Some(min), Some(max)) if min > max => Err("its least is more than its most".to_owned()),
        (_, _) => Ok(()),
    }
}
