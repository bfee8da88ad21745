//! Reads an update from JSON, field by field, so that an error can name the wrong one.

use serde_json::{Map, Value};

use super::{Change, Destination, Mode, PermissionUpdate};
use crate::permission::RuleList;
use crate::rule::{Rule, RuleError};

/// The reason why an entry is not an update.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// A field is missing, has the wrong type, or has an unknown value.
    #[error("`{field}` must be {expected}, not {found}")]
    Field {
        /// The path inside the entry; empty for the entry itself.
        field: String,
        /// The allowed values.
        expected: String,
        /// The value found, cut if it is long.
        found: String,
    },
    /// A rule that does not parse.
    #[error("`{field}`: {error}")]
    Rule {
        /// The field that contains it.
        field: String,
        /// The parse error of the rule.
        error: RuleError,
    },
}

const KINDS: [&str; 6] =
    ["addRules", "replaceRules", "removeRules", "setMode", "addDirectories", "removeDirectories"];

type Read<T> = Result<T, UpdateError>;

pub(super) fn update(value: &Value) -> Read<PermissionUpdate> {
    let entry = value.as_object().ok_or_else(|| fault("", "an object", Some(value)))?;
    if !entry.contains_key("type") && entry.contains_key("tool") {
        return shorthand(entry);
    }
    let kind = word(entry, "type", &KINDS)?;
    let change = match kind {
        "addRules" => Change::AddRules(list(entry)?, rules(entry)?),
        "replaceRules" => Change::ReplaceRules(list(entry)?, rules(entry)?),
        "removeRules" => Change::RemoveRules(list(entry)?, rules(entry)?),
        "setMode" => Change::SetMode(mode(entry)?),
        "addDirectories" => Change::AddDirectories(directories(entry)?),
        _ => Change::RemoveDirectories(directories(entry)?),
    };
    let names = Destination::ALL.map(Destination::name);
    let destination = match entry.get("destination") {
        None | Some(Value::Null) => Destination::Session,
        Some(_) => named(word(entry, "destination", &names)?, &Destination::ALL, Destination::name)
            .unwrap_or(Destination::Session),
    };
    Ok(PermissionUpdate { destination, change })
}

fn shorthand(entry: &Map<String, Value>) -> Read<PermissionUpdate> {
    let text = text(entry.get("tool"), "tool")?;
    let rule = Rule::parse(text).map_err(|error| UpdateError::Rule { field: "tool".to_owned(), error })?;
    Ok(PermissionUpdate {
        destination: Destination::Session,
        change: Change::AddRules(list(entry)?, vec![rule]),
    })
}

fn list(entry: &Map<String, Value>) -> Read<RuleList> {
    let name = word(entry, "behavior", &RuleList::ALL.map(RuleList::key))?;
    named(name, &RuleList::ALL, RuleList::key)
        .ok_or_else(|| fault("behavior", "known", entry.get("behavior")))
}

fn mode(entry: &Map<String, Value>) -> Read<Mode> {
    if entry.get("mode").and_then(Value::as_str) == Some("manual") {
        return Ok(Mode::Default);
    }
    let name = word(entry, "mode", &Mode::ALL.map(Mode::name))?;
    named(name, &Mode::ALL, Mode::name).ok_or_else(|| fault("mode", "known", entry.get("mode")))
}

fn rules(entry: &Map<String, Value>) -> Read<Vec<Rule>> {
    let list = items(entry, "rules", "a list of `{toolName, ruleContent?}`")?;
    list.iter().enumerate().map(|(index, value)| rule(value, &format!("rules[{index}]"))).collect()
}

fn rule(value: &Value, field: &str) -> Read<Rule> {
    let members = value.as_object().ok_or_else(|| fault(field, "an object", Some(value)))?;
    let tool = text(members.get("toolName"), &format!("{field}.toolName"))?;
    let content = match members.get("ruleContent") {
        None | Some(Value::Null) => None,
        content => Some(text(content, &format!("{field}.ruleContent"))?),
    };
    Rule::from_parts(tool, content).map_err(|error| UpdateError::Rule { field: field.to_owned(), error })
}

fn directories(entry: &Map<String, Value>) -> Read<Vec<String>> {
    let list = items(entry, "directories", "a list of paths")?;
    let one = |(index, value)| text(Some(value), &format!("directories[{index}]")).map(str::to_owned);
    list.iter().enumerate().map(one).collect()
}

fn items<'a>(entry: &'a Map<String, Value>, field: &str, expected: &str) -> Read<&'a Vec<Value>> {
    let value = entry.get(field);
    value.and_then(Value::as_array).ok_or_else(|| fault(field, expected, value))
}

fn text<'a>(value: Option<&'a Value>, field: &str) -> Read<&'a str> {
    let text = value.and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| fault(field, "a text", value))
}

/// Returns a text that must be one of the names.
fn word<'a>(entry: &'a Map<String, Value>, field: &str, names: &[&str]) -> Read<&'a str> {
    let value = entry.get(field);
    let known = value.and_then(Value::as_str).filter(|text| names.contains(text));
    known.ok_or_else(|| fault(field, &format!("one of `{}`", names.join("`, `")), value))
}

fn named<T: Copy>(name: &str, all: &[T], name_of: impl Fn(T) -> &'static str) -> Option<T> {
    all.iter().copied().find(|one| name_of(*one) == name)
}

fn fault(field: &str, expected: &str, found: Option<&Value>) -> UpdateError {
    let found = match found {
        None => "absent".to_owned(),
        Some(value) => format!("`{}`", value.to_string().chars().take(80).collect::<String>()),
    };
    let field = if field.is_empty() { "the entry" } else { field };
    UpdateError::Field { field: field.to_owned(), expected: expected.to_owned(), found }
}
