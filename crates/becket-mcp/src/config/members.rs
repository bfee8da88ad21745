//! A JSON object whose members are read one by one, each with its position.
//!
//! `null` counts as missing. No error quotes a value: any of them may be secret.

use std::collections::HashSet;

use serde_json::value::RawValue;

use super::error::{ServerConfigError, cut};
use super::pairs::Pairs;
use super::place::{Place, Text, words};

/// A value and its position.
#[derive(Clone)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) place: Place,
}

/// The members of an object, each key once.
pub(super) struct Members<'t, 'a> {
    /// The position of the object.
    pub(super) start: Place,
    pub(super) text: &'t Text<'a>,
    pub(super) pairs: Vec<(String, &'a RawValue)>,
}

const STRING: &str = "a string";

impl<'t, 'a> Members<'t, 'a> {
    /// Reads an object; `what` names it in errors.
    pub(super) fn read(text: &'t Text<'a>, raw: &'a RawValue, what: &str) -> Result<Self, ServerConfigError> {
        let Pairs(pairs) = decode(text, raw, what, "an object")?;
        let mut seen = HashSet::with_capacity(pairs.len());
        for (key, value) in &pairs {
            if !seen.insert(key.as_str()) {
                let place = text.start_of(value.get());
                return Err(ServerConfigError::KeyTwice { place, key: key.clone() });
            }
        }
        Ok(Self { start: text.start_of(raw.get()), text, pairs })
    }

    /// Returns the value of a key, unless it is missing or `null`.
    pub(super) fn get(&self, key: &str) -> Option<&'a RawValue> {
        let (_, value) = self.pairs.iter().find(|(known, _)| known == key)?;
        (value.get() != "null").then_some(value)
    }

    pub(super) fn keys(&self) -> Vec<&str> {
        self.pairs.iter().map(|(key, _)| key.as_str()).collect()
    }

    pub(super) fn string(&self, key: &str) -> Result<Option<At<String>>, ServerConfigError> {
        self.get(key).map(|value| string(self.text, value, &format!("`{key}`"))).transpose()
    }

    pub(super) fn strings(&self, key: &str) -> Result<Vec<String>, ServerConfigError> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let items: Vec<&RawValue> = decode(self.text, value, &format!("`{key}`"), "a list of strings")?;
        let what = format!("an item of `{key}`");
        items.into_iter().map(|item| string(self.text, item, &what).map(|item| item.value)).collect()
    }

    pub(super) fn boolean(&self, key: &str) -> Result<Option<bool>, ServerConfigError> {
        let what = || format!("`{key}`");
        self.get(key).map(|value| decode(self.text, value, &what(), "`true` or `false`")).transpose()
    }

    /// Returns an object of strings, in the order of the text.
    pub(super) fn table(&self, key: &str) -> Result<Vec<(String, At<String>)>, ServerConfigError> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let members = Members::read(self.text, value, &format!("`{key}`"))?;
        let read = |(name, value): (String, &'a RawValue)| {
            let what = format!("the value of `{}` in `{key}`", cut(&name));
            Ok((name, string(self.text, value, &what)?))
        };
        members.pairs.into_iter().map(read).collect()
    }
}

fn string(text: &Text<'_>, raw: &RawValue, what: &str) -> Result<At<String>, ServerConfigError> {
    let value = decode(text, raw, what, STRING)?;
    Ok(At { value, place: text.start_of(raw.get()) })
}

/// Decodes a value of one type; `what` and `wanted` are for the error if it has another type.
pub(super) fn decode<'a, T: serde::Deserialize<'a>>(
    text: &Text<'_>,
    raw: &'a RawValue,
    what: &str,
    wanted: &'static str,
) -> Result<T, ServerConfigError> {
    serde_json::from_str(raw.get()).map_err(|error| {
        // The parser quotes values of the wrong type, but not malformed JSON.
        if error.is_data() {
            let place = text.start_of(raw.get());
            ServerConfigError::WrongKind { place, what: what.to_owned(), is: kind(raw.get()), wanted }
        } else {
            let place = text.place_of(raw.get(), &error);
            ServerConfigError::WrongValue { place, what: format!("{what} can't be read: {}", words(&error)) }
        }
    })
}

/// Returns the type of a JSON value.
pub(super) fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "`null`",
        _ => "a number",
    }
}
