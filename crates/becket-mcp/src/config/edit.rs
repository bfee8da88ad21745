//! Insertion and removal of servers in the text of a file. Pure: text in, text out.
//!
//! INVARIANT: all other content, the order of keys, indentation and line ends are unchanged. Before a text is returned
//! it is parsed again, and its meaning differs in the one change only. A text that is not valid JSON, or that has a
//! duplicate key on the way to the change, is not changed; nothing is written that could not be read.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Map, Value};

use super::error::ServerConfigError;
use super::layer::{KEY, read_file};
use super::scope::Scope;
use super::{members::kind, name};
use becket_base::suggest;

/// The part of a file that holds servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// `mcpServers`, as in `.mcp.json` and settings.
    Whole,
    /// `mcpServers` below this key of `projects`, as in `~/.claude.json`.
    Project(&'a str),
}

/// The behaviour if a server of the same name exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfThere {
    /// [`EditError::There`].
    Refuse,
    /// It is replaced, in its position.
    Replace,
}

/// The reason for which a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is not JSON.
    #[error("the file is not JSON and was left alone: {why}")]
    NotJson {
        /// The parser's message.
        why: String,
    },
    /// A duplicate key makes it unclear which one to change.
    #[error("`{key}` stands twice in the file, which was left alone: join the two first")]
    Twice {
        /// The key.
        key: String,
    },
    /// A value that has to be an object is not one.
    #[error("{what} is {is} and no object, so the file was left alone: correct it first")]
    WrongKind {
        /// The part of the file.
        what: String,
        /// Its actual type.
        is: &'static str,
    },
    /// A server of this name exists already.
    #[error("there is a server `{name}` already: remove it first, or give the new one another name")]
    There {
        /// The name.
        name: String,
    },
    /// The server does not exist.
    #[error("there is no server `{name}` in the file{}", near(.meant.as_deref()))]
    NotThere {
        /// The name.
        name: String,
        /// An existing name that may have been meant.
        meant: Option<String>,
    },
    /// No server can have this name.
    #[error("the name `{}` {why}: choose another", name::Visible(.name))]
    Name {
        /// The name.
        name: String,
        /// The problem.
        why: &'static str,
    },
    /// The entry could not be read back.
    #[error("the entry of `{name}` could not be read again: {why}")]
    Entry {
        /// The server's name.
        name: String,
        /// The problem, and what to do.
        why: String,
    },
    /// The new text would have another meaning than intended.
    #[error(
        "the file can't be changed without changing more than was asked for, so it was left alone: edit it by hand"
    )]
    Doubtful,
}

fn near(meant: Option<&str>) -> String {
    meant.map_or(String::new(), |meant| format!(": did you mean `{}`?", name::Visible(meant)))
}

/// Returns the text with a server added, as the last one. An empty text counts as `{}`; missing parent objects are
/// created. Variables in the entry are written as they are.
///
/// # Errors
/// [`EditError`]; nothing has been changed.
///
/// ```
/// use becket_mcp::config::edit::{self, IfThere, Part};
///
/// let entry = serde_json::json!({"command": "mcp-server-time"}).as_object().cloned().unwrap_or_default();
/// let text = edit::add("{\n  \"a\": 1\n}\n", Part::Whole, "time", &entry, IfThere::Refuse)?;
/// assert!(text.starts_with("{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"time\": {"));
/// assert_eq!(edit::remove(&text, Part::Whole, "time")?.matches("time").count(), 0);
/// # Ok::<(), edit::EditError>(())
/// ```
pub fn add(
    text: &str,
    part: Part<'_>,
    name: &str,
    entry: &Map<String, Value>,
    if_there: IfThere,
) -> Result<String, EditError> {
    if let Some(why) = name::unfit(name) {
        return Err(EditError::Name { name: name.to_owned(), why });
    }
    check(name, entry)?;
    change(text, part, name, Deed::Add(entry, if_there))
}

/// Returns the text without a server. The object that contained it stays, even if it is empty.
///
/// # Errors
/// [`EditError`]; nothing has been changed.
pub fn remove(text: &str, part: Part<'_>, name: &str) -> Result<String, EditError> {
    change(text, part, name, Deed::Remove)
}

#[derive(Clone, Copy)]
enum Deed<'a> {
    Add(&'a Map<String, Value>, IfThere),
    Remove,
}

fn change(text: &str, part: Part<'_>, name: &str, deed: Deed<'_>) -> Result<String, EditError> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    // This parser decides on JSON validity and on the limit of nesting.
    let mut meant: Value =
        serde_json::from_str(body).map_err(|error| EditError::NotJson { why: error.to_string() })?;
    let root = CstRootNode::parse(body, &ParseOptions::default())
        .map_err(|error| EditError::NotJson { why: error.to_string() })?;
    let keys: &[&str] = match part {
        Part::Whole => &[KEY],
        Part::Project(project) => &["projects", project, KEY],
    };
    apply(&root, keys, name, deed)?;
    let changed = root.to_string();
    apply_to_value(&mut meant, keys, name, deed);
    verified(&changed, &meant)?;
    Ok(format!("{mark}{changed}"))
}

/// Verifies a text before it is returned.
fn verified(changed: &str, meant: &Value) -> Result<(), EditError> {
    match serde_json::from_str::<Value>(changed) {
        Ok(means) if means == *meant => Ok(()),
        Ok(_) | Err(_) => Err(EditError::Doubtful),
    }
}

fn apply(root: &CstRootNode, keys: &[&str], name: &str, deed: Deed<'_>) -> Result<(), EditError> {
    let not_there = |meant| Err(EditError::NotThere { name: name.to_owned(), meant });
    let wrong = |what: String, json: String| EditError::WrongKind { what, is: kind(&json) };
    let text_of = || root.value().map(|value| value.to_string()).unwrap_or_default();
    let mut object = root.object_value().ok_or_else(|| wrong("the file".to_owned(), text_of()))?;
    for key in keys {
        let property = match (only(&object, key)?, deed) {
            (Some(property), _) => property,
            (None, Deed::Add(..)) => object.append(key, CstInputValue::Object(Vec::new())),
            (None, Deed::Remove) => return not_there(None),
        };
        let text_of = || property.value().map(|value| value.to_string()).unwrap_or_default();
        object = property.object_value().ok_or_else(|| wrong(format!("`{key}`"), text_of()))?;
    }
    match (only(&object, name)?, deed) {
        (Some(property), Deed::Remove) => property.remove(),
        (None, Deed::Remove) => {
            let names: Vec<String> =
                object.properties().iter().filter_map(CstObjectProp::decoded_name).collect();
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            return not_there(suggest(name, &known).map(str::to_owned));
        }
        (Some(_), Deed::Add(_, IfThere::Refuse)) => {
            return Err(EditError::There { name: name.to_owned() });
        }
        (Some(property), Deed::Add(entry, IfThere::Replace)) => property.set_value(object_input(entry)),
        (None, Deed::Add(entry, _)) => drop(object.append(name, object_input(entry))),
    }
    Ok(())
}

/// Returns the only property of a name.
fn only(object: &CstObject, key: &str) -> Result<Option<CstObjectProp>, EditError> {
    let mut found =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(key));
    match (found.next(), found.next()) {
        (property, None) => Ok(property),
        (_, Some(_)) => Err(EditError::Twice { key: key.to_owned() }),
    }
}

/// Applies the same change to the parsed value.
fn apply_to_value(value: &mut Value, keys: &[&str], name: &str, deed: Deed<'_>) {
    let mut at = value;
    for key in keys {
        let Value::Object(members) = at else { return };
        at = members.entry(*key).or_insert_with(|| Value::Object(Map::new()));
    }
    let Value::Object(servers) = at else { return };
    match deed {
        Deed::Add(entry, _) => drop(servers.insert(name.to_owned(), Value::Object(entry.clone()))),
        Deed::Remove => drop(servers.shift_remove(name)),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => object_input(members),
    }
}

fn object_input(members: &Map<String, Value>) -> CstInputValue {
    CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
}

/// Checks that an entry can be read back, whatever its variables hold.
fn check(name: &str, entry: &Map<String, Value>) -> Result<(), EditError> {
    let wrong = |why: String| EditError::Entry { name: name.to_owned(), why };
    let text = serde_json::json!({KEY: {name: entry}}).to_string();
    let layer = read_file(&text, "".as_ref(), Scope::User).map_err(|error| wrong(error.to_string()))?;
    let Some(entry) = layer.entries.into_iter().next() else { return Ok(()) };
    match entry.written.and_then(|written| written.resolve(&[], (&[], None), &mut Vec::new())) {
        Ok(_) | Err(ServerConfigError::VariableMissing { .. }) => Ok(()),
        Err(error) => {
            // The position is in a text that the user has never seen.
            let said = error.to_string();
            Err(wrong(said.split_once(": ").map_or(said.as_str(), |(_, why)| why).to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: X1
    #[test]
    fn a_text_that_means_something_else_is_not_handed_out() {
        let meant = serde_json::json!({"a": [1], "b": 2});
        assert_eq!(verified("{\"b\": 2, \"a\": [1]}", &meant), Ok(()));
        for changed in ["{\"a\": [1]}", "{\"a\": [1], \"b\": 2, \"c\": 3}", "{\"a\": [1], \"b\": 2", ""] {
            assert_eq!(verified(changed, &meant), Err(EditError::Doubtful), "{changed}");
        }
    }
}
