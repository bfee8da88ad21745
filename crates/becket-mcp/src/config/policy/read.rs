//! The lists of one settings file.

use serde_json::value::RawValue;

use super::judge::{AllowList, McpPolicy};
use super::pattern::{Key, Pattern};
use super::url::UrlPattern;
use crate::config::error::ConfigError;
use crate::config::members::kind;
use crate::config::pairs::Pairs;
use crate::config::place::{Place, Text};
use crate::config::scope::Scope;

const ALLOWED: &str = "allowedMcpServers";
const DENIED: &str = "deniedMcpServers";
const SWITCH: &str = "allowManagedMcpServersOnly";

const ALLOWS_NOTHING: &str = "; until then it allows nothing";
const DENIES_ALL: &str = "; until then every server is denied";
const BOTH_COUNT: &str = "; until then both count";
const IS_ON: &str = "; until then it is on";

/// A settings file that is being read, and its problems so far.
pub(in crate::config) struct Source<'s, 'a> {
    pub(in crate::config) text: &'s Text<'a>,
    pub(in crate::config) root: &'s Pairs<'a>,
    pub(in crate::config) scope: &'s Scope,
    pub(in crate::config) problems: Vec<ConfigError>,
}

impl McpPolicy {
    /// Reads the lists of one file.
    pub(in crate::config) fn read(source: &mut Source<'_, '_>) -> Self {
        Self {
            allowed: allowed(source).into_iter().collect(),
            denied: denied(source),
            managed_only: managed_only(source),
        }
    }
}

impl<'a> Source<'_, 'a> {
    /// Returns the values of a key, and records a duplicate as a problem.
    pub(in crate::config) fn values(&mut self, key: &str, effect: &'static str) -> Vec<&'a RawValue> {
        let values: Vec<&RawValue> =
            self.root.0.iter().filter(|(known, _)| known == key).map(|(_, value)| *value).collect();
        if let Some(second) = values.get(1) {
            let place = self.place(second);
            self.problems.push(ConfigError::DuplicateKey { place, key: key.to_owned(), effect });
        }
        values
    }

    pub(in crate::config) fn place(&self, raw: &RawValue) -> Place {
        self.text.start_of(raw.get())
    }

    /// Records a value of the wrong type as a problem.
    pub(in crate::config) fn wrong_kind(
        &mut self,
        raw: &RawValue,
        key: &str,
        wanted: &'static str,
        effect: &'static str,
    ) {
        let (place, is) = (self.place(raw), kind(raw.get()));
        self.problems.push(ConfigError::WrongKind { place, what: format!("`{key}`"), is, wanted, effect });
    }
}

/// Reads the allow list. A duplicate list is ambiguous, so it allows nothing.
fn allowed(source: &mut Source<'_, '_>) -> Option<AllowList> {
    let values = source.values(ALLOWED, ALLOWS_NOTHING);
    let first = values.first()?;
    let patterns = if values.len() == 1 { list(source, first, ALLOWED, ALLOWS_NOTHING) } else { Vec::new() };
    let patterns = patterns.into_iter().map(|(_, pattern)| pattern).collect();
    Some(AllowList { scope: source.scope.clone(), place: source.place(first), patterns })
}

fn denied(source: &mut Source<'_, '_>) -> Vec<(Place, Pattern)> {
    let values = source.values(DENIED, BOTH_COUNT);
    values.into_iter().flat_map(|raw| list(source, raw, DENIED, DENIES_ALL)).collect()
}

/// Returns the position of the switch if it is on. Only an administrator's counts.
fn managed_only(source: &mut Source<'_, '_>) -> Option<Place> {
    let values = source.values(SWITCH, BOTH_COUNT);
    let mut on = None;
    for raw in values {
        let place = source.place(raw);
        if *source.scope != Scope::Managed {
            source.problems.push(ConfigError::Powerless { place, key: SWITCH, belongs: "a managed file" });
        } else if raw.get() == "true" {
            on = Some(place);
        } else if raw.get() != "false" {
            source.wrong_kind(raw, SWITCH, "`true` or `false`", IS_ON);
            on = Some(place);
        }
    }
    on
}

fn list(
    source: &mut Source<'_, '_>,
    raw: &RawValue,
    name: &'static str,
    effect: &'static str,
) -> Vec<(Place, Pattern)> {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
        source.wrong_kind(raw, name, "a list of patterns", effect);
        return vec![(source.place(raw), Pattern::Unreadable(None))];
    };
    let mut patterns = Vec::with_capacity(items.len());
    for item in items {
        let place = source.place(item);
        let pattern = pattern(item).unwrap_or_else(|(key, why)| {
            source.problems.push(ConfigError::Pattern { place: place.clone(), list: name, why, effect });
            Pattern::Unreadable(key)
        });
        patterns.push((place, pattern));
    }
    patterns
}

/// Parses one pattern; otherwise returns its key and the problem.
fn pattern(raw: &RawValue) -> Result<Pattern, (Option<Key>, &'static str)> {
    const SHAPE: &str =
        "is not an object with one of `serverName`, `serverCommand` and `serverUrl`: write one";
    let Pairs(pairs) = serde_json::from_str(raw.get()).map_err(|_| (None, SHAPE))?;
    let key_of = |key: &str| match key {
        "serverName" => Some(Key::Name),
        "serverCommand" => Some(Key::Command),
        "serverUrl" => Some(Key::Url),
        _ => None,
    };
    let [(key, value)] = pairs.as_slice() else {
        // The narrowest of them: its author meant to restrict the server to it.
        return Err((pairs.iter().filter_map(|(key, _)| key_of(key)).max(), SHAPE));
    };
    let key = key_of(key).ok_or((None, SHAPE))?;
    let wrong = |why| (Some(key), why);
    match key {
        Key::Name => {
            let name = serde_json::from_str(value.get()).ok().filter(|name: &String| !name.is_empty());
            name.map(Pattern::Name).ok_or(wrong("has a `serverName` that is not a name: write one"))
        }
        Key::Command => {
            let words =
                serde_json::from_str(value.get()).ok().filter(|words: &Vec<String>| !words.is_empty());
            words.map(Pattern::Command).ok_or(wrong(
                "has a `serverCommand` that is not a list of strings: write the program and its arguments",
            ))
        }
        Key::Url => {
            let text: String = serde_json::from_str(value.get())
                .map_err(|_| wrong("has a `serverUrl` that is not a string: write one"))?;
            UrlPattern::parse(&text).map(Pattern::Url).map_err(wrong)
        }
    }
}
