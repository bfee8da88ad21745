//! JSON in which no object has a key twice.

use super::AcpError;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// The beginning of the error for a duplicate key.
const DUPLICATE: &str = "duplicate key ";

/// Reads a value.
///
/// # Errors
/// Errors if the text is not JSON, or has a duplicate key.
pub(super) fn read(text: &str) -> Result<Value, AcpError> {
    serde_json::from_str::<UniqueValue>(text)
        .map(|value| value.0)
        .map_err(|error| error_of(&error.to_string()))
}

/// Returns the error of a parser in terms of this module.
pub(super) fn error_of(message: &str) -> AcpError {
    match message.strip_prefix(DUPLICATE) {
        Some(key) => {
            let end = key.rfind(" at line ").unwrap_or(key.len());
            AcpError::DuplicateKey(key.get(..end).unwrap_or(key).to_owned())
        }
        None => AcpError::NotMessage(message.to_owned()),
    }
}

/// Creates the error for a duplicate key.
pub(super) fn duplicate<E: Error>(key: &str) -> E {
    E::custom(format!("{DUPLICATE}{key}"))
}

struct UniqueValue(Value);

impl<'de> Deserialize<'de> for UniqueValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(UniqueVisitor).map(UniqueValue)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(UniqueValue(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, UniqueValue(value))) = entries.next_entry::<String, UniqueValue>()? {
            if object.contains_key(&key) {
                return Err(duplicate(&key));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_that_comes_twice_is_an_error_at_any_depth() {
        let text = r#"{"a": [1, -2, 0.5, null, true, {"b": "\u00e9"}]}"#;
        assert_eq!(read(text), Ok(json!({"a": [1, -2, 0.5, null, true, {"b": "é"}]})));
        for text in [r#"{"a": 1, "a": 2}"#, r#"{"x": [{"a": {}, "\u0061": {}}]}"#] {
            assert_eq!(read(text), Err(AcpError::DuplicateKey("a".to_owned())), "{text}");
        }
        assert!(matches!(read("{"), Err(AcpError::NotMessage(_))));
    }
}
