//! The keys of a call's input, renamed between an agent and the protocol.
//!
//! INVARIANT: no value replaces a different one. An input that names one thing twice has no single meaning, since the
//! agent uses one of the values and guards would see the other.

use serde_json::{Map, Value};

/// The pairs of keys of a tool: theirs, ours.
pub(super) type Keys = [(&'static str, &'static str)];

/// Returns the input with the protocol's keys.
pub(super) fn ours(input: &Map<String, Value>, keys: &Keys) -> Result<Map<String, Value>, String> {
    let mut renamed = Map::new();
    for (key, value) in input {
        let name = keys.iter().find(|(theirs, _)| theirs == key).map_or(key.as_str(), |(_, ours)| ours);
        put(&mut renamed, name, value)?;
    }
    Ok(renamed)
}

/// Returns an input of the protocol with the agent's keys, those that `given` has if there are several. Returns `None`
/// if two of its values would have the same key.
pub(super) fn theirs(
    new: &Map<String, Value>,
    given: &Map<String, Value>,
    keys: &Keys,
) -> Option<Map<String, Value>> {
    let mut renamed = Map::new();
    for (key, value) in new {
        put(&mut renamed, native(key, given, keys), value).ok()?;
    }
    Some(renamed)
}

/// Returns the agent's key for one of the protocol.
pub(super) fn native<'k>(key: &'k str, given: &Map<String, Value>, keys: &Keys) -> &'k str {
    let mut native = keys.iter().filter(|(_, ours)| *ours == key).map(|(theirs, _)| *theirs);
    let used = native.clone().find(|theirs| given.contains_key(*theirs));
    match used {
        Some(used) => used,
        None if given.contains_key(key) => key,
        None => native.next().unwrap_or(key),
    }
}

/// Puts a value under a key. Errors if another value is there; an empty one does not count.
pub(super) fn put(object: &mut Map<String, Value>, key: &str, value: &Value) -> Result<(), String> {
    match object.get(key) {
        Some(there) if there != value && !is_empty(there) && !is_empty(value) => {
            Err(format!("`{key}` has two values, `{}` and `{}`", shown(there), shown(value)))
        }
        Some(there) if !is_empty(there) => Ok(()),
        Some(_) | None => {
            object.insert(key.to_owned(), value.clone());
            Ok(())
        }
    }
}

/// Returns true for a value that stands for a missing one: `null`, or an empty text.
pub(super) fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

/// Returns the start of a value for a message.
fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEYS: &Keys = &[("include", "glob"), ("include_pattern", "glob")];

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_second_value_for_a_key_is_an_error_in_both_directions() {
        for given in [
            json!({"include": "a", "glob": "b"}),
            json!({"glob": "b", "include": "a"}),
            json!({"include": "a", "include_pattern": "b"}),
        ] {
            assert!(ours(&object(given.clone()), KEYS).is_err(), "{given}");
        }
        assert_eq!(
            ours(&object(json!({"include": "a", "glob": "a"})), KEYS),
            Ok(object(json!({"glob": "a"})))
        );
        assert_eq!(
            ours(&object(json!({"include": "a", "glob": null})), KEYS),
            Ok(object(json!({"glob": "a"})))
        );
        let both = object(json!({"glob": "a", "include": "b"}));
        assert_eq!(theirs(&both, &object(json!({"include": "x"})), KEYS), None);
    }

    #[test]
    fn a_rewrite_has_the_key_that_the_call_has() {
        let new = object(json!({"glob": "new"}));
        for (given, expected) in [
            (json!({"include_pattern": "x"}), json!({"include_pattern": "new"})),
            (json!({"glob": "x"}), json!({"glob": "new"})),
            (json!({}), json!({"include": "new"})),
        ] {
            assert_eq!(theirs(&new, &object(given), KEYS), Some(object(expected)));
        }
    }
}
