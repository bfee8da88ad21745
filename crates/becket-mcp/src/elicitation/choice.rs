//! The options of a choice, in all old and new forms of writing lists of values.

use serde_json::{Map, Value};

/// One value to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The value for the server.
    pub value: String,
    /// The label for the user; the value if the server gives it no title.
    pub title: String,
}

/// Parses `enum` (with the titles of `enumNames`), or `oneOf` or `anyOf` with `const` and `title`; returns `None` if
/// the schema has none of them.
pub(super) fn choices(schema: &Map<String, Value>) -> Result<Option<Vec<Choice>>, String> {
    if let Some(values) = schema.get("enum") {
        return untitled(values, schema.get("enumNames")).map(Some);
    }
    match schema.get("oneOf").or_else(|| schema.get("anyOf")) {
        Some(titled) => self::titled(titled).map(Some),
        None => Ok(None),
    }
}

fn untitled(values: &Value, names: Option<&Value>) -> Result<Vec<Choice>, String> {
    let values = list(values, "enum")?;
    let names = names.and_then(Value::as_array).filter(|names| names.len() == values.len());
    let one = |(index, value): (usize, &Value)| {
        let value = value.as_str().ok_or("`enum` has a value that is not a string")?.to_owned();
        let name = names.and_then(|names| names.get(index)).and_then(Value::as_str);
        Ok(Choice { title: name.map_or_else(|| value.clone(), str::to_owned), value })
    };
    values.iter().enumerate().map(one).collect()
}

fn titled(options: &Value) -> Result<Vec<Choice>, String> {
    let one = |option: &Value| {
        let text = |key: &str| option.get(key).and_then(Value::as_str).map(str::to_owned);
        let value = text("const").ok_or("one of its choices has no `const`, a string")?;
        Ok(Choice { title: text("title").unwrap_or_else(|| value.clone()), value })
    };
    list(options, "oneOf")?.iter().map(one).collect()
}

fn list<'a>(value: &'a Value, what: &str) -> Result<&'a [Value], String> {
    match value.as_array() {
        Some(list) if !list.is_empty() => Ok(list),
        Some(_) => Err("there is nothing to choose from".to_owned()),
        None => Err(format!("`{what}` is not a list")),
    }
}
