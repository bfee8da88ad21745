//! Inserts servers into the text of a file and removes them. Pure: text in, text out.
//!
//! INVARIANT: all other content, the order of keys, indentation and line ends are unchanged. Before a text is returned
//! it is parsed again, and its meaning differs only in the one change. A text that is not valid JSON, or that has a
//! duplicate key on the path of the change, is not changed; nothing is written that could not be read.

pub use becket_base::json_edit::JsonEditError;
use becket_base::json_edit::{self, JsonDocument};
use jsonc_parser::cst::{CstObject, CstObjectProp};
use serde_json::{Map, Value};

use super::error::ServerConfigError;
use super::layer::{KEY, read_file};
use super::name;
use super::scope::Scope;
use becket_base::suggest;

/// The part of a file that contains servers.
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
    /// Returns [`EditError::AlreadyExists`].
    Refuse,
    /// Replaces it, in its position.
    Replace,
}

/// The reason why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text can't be changed.
    #[error(transparent)]
    Json(#[from] JsonEditError),
    /// A server of this name exists already.
    #[error("there is a server `{name}` already: remove it first, or give the new one another name")]
    AlreadyExists {
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
}

fn near(meant: Option<&str>) -> String {
    meant.map_or(String::new(), |meant| format!(": did you mean `{}`?", name::Visible(meant)))
}

/// Returns the text with a server appended. An empty text counts as `{}`; missing parent objects are created.
/// Variables in the entry are written unchanged.
///
/// # Errors
/// Returns an [`EditError`]; nothing has been changed.
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
    change(text, part, name, EntryEdit::Add(entry, if_there))
}

/// Returns the text without a server. The object that contained it stays, even if it is empty.
///
/// # Errors
/// Returns an [`EditError`]; nothing has been changed.
pub fn remove(text: &str, part: Part<'_>, name: &str) -> Result<String, EditError> {
    change(text, part, name, EntryEdit::Remove)
}

#[derive(Clone, Copy)]
enum EntryEdit<'a> {
    Add(&'a Map<String, Value>, IfThere),
    Remove,
}

fn change(text: &str, part: Part<'_>, name: &str, edit: EntryEdit<'_>) -> Result<String, EditError> {
    let document = JsonDocument::parse(text)?;
    let keys: &[&str] = match part {
        Part::Whole => &[KEY],
        Part::Project(project) => &["projects", project, KEY],
    };
    apply(&document.object()?, keys, name, edit)?;
    let mut expected = document.value().clone();
    apply_to_value(&mut expected, keys, name, edit);
    Ok(document.finish(&expected)?)
}

fn apply(top: &CstObject, keys: &[&str], name: &str, edit: EntryEdit<'_>) -> Result<(), EditError> {
    let not_there = |meant| Err(EditError::NotThere { name: name.to_owned(), meant });
    let mut object = top.clone();
    for key in keys {
        if matches!(edit, EntryEdit::Remove) && json_edit::property(&object, key)?.is_none() {
            return not_there(None);
        }
        object = json_edit::object_or_new(&object, key)?;
    }
    match (json_edit::property(&object, name)?, edit) {
        (Some(property), EntryEdit::Remove) => property.remove(),
        (None, EntryEdit::Remove) => {
            let names: Vec<String> =
                object.properties().iter().filter_map(CstObjectProp::decoded_name).collect();
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            return not_there(suggest(name, &known).map(str::to_owned));
        }
        (Some(_), EntryEdit::Add(_, IfThere::Refuse)) => {
            return Err(EditError::AlreadyExists { name: name.to_owned() });
        }
        (Some(_), EntryEdit::Add(entry, IfThere::Replace)) | (None, EntryEdit::Add(entry, _)) => {
            json_edit::set(&object, name, &Value::Object(entry.clone()))?;
        }
    }
    Ok(())
}

/// Applies the same change to the parsed value.
fn apply_to_value(value: &mut Value, keys: &[&str], name: &str, edit: EntryEdit<'_>) {
    let mut at = value;
    for key in keys {
        let Value::Object(members) = at else { return };
        at = members.entry(*key).or_insert_with(|| Value::Object(Map::new()));
    }
    let Value::Object(servers) = at else { return };
    match edit {
        EntryEdit::Add(entry, _) => drop(servers.insert(name.to_owned(), Value::Object(entry.clone()))),
        EntryEdit::Remove => drop(servers.shift_remove(name)),
    }
}

/// Checks that an entry can be read back, whatever its variables contain.
fn check(name: &str, entry: &Map<String, Value>) -> Result<(), EditError> {
    let wrong = |why: String| EditError::Entry { name: name.to_owned(), why };
    let text = serde_json::json!({KEY: {name: entry}}).to_string();
    let layer = read_file(&text, "".as_ref(), Scope::User).map_err(|error| wrong(error.to_string()))?;
    let Some(entry) = layer.entries.into_iter().next() else { return Ok(()) };
    match entry.written.and_then(|written| written.resolve(&[], &[], None, &mut Vec::new())) {
        Ok(_) | Err(ServerConfigError::VariableMissing { .. }) => Ok(()),
        Err(error) => {
            // The position is in a text that the user has never seen.
            let message = error.to_string();
            Err(wrong(message.split_once(": ").map_or(message.as_str(), |(_, why)| why).to_owned()))
        }
    }
}
