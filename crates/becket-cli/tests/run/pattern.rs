//! Compares expected values with actual ones.
//!
//! | expected | matches |
//! |---|---|
//! | text | the same text; `…` stands for any characters, including line breaks |
//! | `null` | null, or a missing field |
//! | object | an object whose fields match the expected ones, and any others; `"$keys": […]` lists all fields, in order; `"$not": x` does not match x |
//! | list | a list of the same length, with matching elements; an object `{"$holds": […]}` if each expected value matches some element |
//! | anything else | the same value |

use serde_json::{Map, Value};

/// Errors with the position and the difference if it does not match.
pub(crate) fn fits(want: &Value, got: &Value) -> Result<(), String> {
    at("", want, got)
}

/// Returns true if a text matches a pattern.
pub(crate) fn text_fits(want: &str, got: &str) -> bool {
    let mut parts = want.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = got.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn at(path: &str, want: &Value, got: &Value) -> Result<(), String> {
    let differs = || Err(format!("{path}: wanted {want}, got {got}"));
    match (want, got) {
        (Value::String(want), Value::String(got)) if text_fits(want, got) => Ok(()),
        (Value::Object(want), _) => object(path, want, got),
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => want
            .iter()
            .zip(got)
            .enumerate()
            .try_for_each(|(n, (want, got))| at(&format!("{path}/{n}"), want, got)),
        (want, got) if want == got => Ok(()),
        _ => differs(),
    }
}

fn object(path: &str, want: &Map<String, Value>, got: &Value) -> Result<(), String> {
    for (key, want) in want {
        match key.as_str() {
            "$keys" => keys(path, want, got)?,
            "$holds" => holds(path, want, got)?,
            "$not" => {
                if at(path, want, got).is_ok() {
                    return Err(format!("{path}: {got} fits {want}, and must not"));
                }
            }
            key if got.is_object() => at(&format!("{path}/{key}"), want, &got[key])?,
            _ => return Err(format!("{path}: wanted an object, got {got}")),
        }
    }
    Ok(())
}

fn keys(path: &str, want: &Value, got: &Value) -> Result<(), String> {
    let found: Value = got.as_object().map(|got| got.keys().cloned().collect()).unwrap_or_default();
    if *want == found { Ok(()) } else { Err(format!("{path}: wanted the keys {want}, got {found}")) }
}

fn holds(path: &str, want: &Value, got: &Value) -> Result<(), String> {
    let (want, got) = (want.as_array().map(Vec::as_slice), got.as_array().map(Vec::as_slice));
    let got = got.unwrap_or_default();
    let missing =
        want.unwrap_or_default().iter().find(|want| !got.iter().any(|got| at("", want, got).is_ok()));
    match missing {
        Some(missing) => Err(format!("{path}: nothing fits {missing}, there is {got:?}")),
        None => Ok(()),
    }
}

#[test]
fn what_is_wanted_fits_that_and_nothing_else() {
    use serde_json::json;
    for (want, good, bad) in [
        (json!("a…c"), json!("abc"), json!("abcd")),
        (json!("…b…"), json!("abc"), json!("ac")),
        (json!("ab…bc"), json!("abbc"), json!("abc")),
        (json!("…a…a"), json!("xaya"), json!("a")),
        (json!("abc"), json!("abc"), json!("ab")),
        (json!(null), json!(null), json!(0)),
        (json!({"a": null}), json!({"b": 1}), json!({"a": false})),
        (json!({"a": 1}), json!({"a": 1, "b": 2}), json!({"a": 2})),
        (json!({"$keys": ["a", "b"]}), json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})),
        (json!([1, {"a": "…"}]), json!([1, {"a": "x"}]), json!([1])),
        (json!({"$holds": [2, "…y"]}), json!([1, "xy", 2]), json!([1, 2])),
        (json!({"a": {"$not": null}}), json!({"a": 1}), json!({"b": 1})),
        (json!({"a": 1}), json!({"a": 1}), json!([1])),
    ] {
        assert_eq!(fits(&want, &good), Ok(()), "{want}");
        assert!(fits(&want, &bad).is_err(), "{want} fits {bad}");
    }
}
