//! Changes to the permissions in the text of a settings file (P13). Pure: the text goes in, the new text comes out.
//!
//! INVARIANT: all other content, the order of keys, indentation and line ends stay as they are. A text that is not
//! valid JSON, or that says something twice, is left alone.

use super::permissions::RuleList;
use super::source::json;
use becket_model::event::PermissionMode;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsEdit {
    /// Adds the rules that the list does not have yet.
    AddRules(RuleList, Vec<String>),
    /// Makes these the only rules of the list.
    ReplaceRules(RuleList, Vec<String>),
    /// Removes rules, wherever they stand in the list.
    RemoveRules(RuleList, Vec<String>),
    /// Sets the mode that a session starts in.
    SetMode(PermissionMode),
    /// Adds the directories that are not there yet.
    AddDirectories(Vec<String>),
    /// Removes directories.
    RemoveDirectories(Vec<String>),
}

/// Why a text was left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is not JSON.
    #[error("the file is not JSON and was left alone: {why}")]
    NotJson {
        /// What the parser says.
        why: String,
    },
    /// A key stands there twice, so that it is unclear which one to change.
    #[error("`{key}` stands twice in the file, which was left alone: join the two first")]
    Twice {
        /// The key.
        key: String,
    },
    /// Something that has to be an object or a list is none.
    #[error("`{key}` in the file is no {expected}, so the file was left alone")]
    WrongType {
        /// The key.
        key: String,
        /// What it has to be.
        expected: &'static str,
    },
    /// The mode `bypassPermissions` is never written to a file.
    #[error("the mode `bypassPermissions` is never written to a file: start the session with it instead")]
    NeverWritten,
}

/// The text with the changes made, in their order. An empty text counts as `{}`.
///
/// # Errors
/// [`EditError`]; nothing has been changed then.
pub fn edit_settings(text: &str, edits: &[SettingsEdit]) -> Result<String, EditError> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    let document = json::parse(body).map_err(|error| EditError::NotJson { why: error.to_string() })?;
    if let Some(twice) = document.duplicates.first() {
        return Err(EditError::Twice { key: twice.key.clone() });
    }
    let not_json = |error: jsonc_parser::errors::ParseError| EditError::NotJson { why: error.to_string() };
    let root = CstRootNode::parse(body, &ParseOptions::default()).map_err(not_json)?;
    let wrong = |key: &str, expected| EditError::WrongType { key: key.to_owned(), expected };
    let top = root.object_value().ok_or_else(|| wrong("settings", "object"))?;
    let permissions =
        top.object_value_or_create("permissions").ok_or_else(|| wrong("permissions", "object"))?;
    for edit in edits {
        apply(edit, &permissions)?;
    }
    Ok(format!("{mark}{root}"))
}

fn apply(edit: &SettingsEdit, permissions: &CstObject) -> Result<(), EditError> {
    match edit {
        SettingsEdit::AddRules(list, rules) => add(&list_of(permissions, list.key())?, rules),
        SettingsEdit::ReplaceRules(list, rules) => {
            let array = list_of(permissions, list.key())?;
            remove(&array, |text| !text.is_some_and(|text| rules.iter().any(|rule| rule == text)));
            add(&array, rules);
        }
        SettingsEdit::RemoveRules(list, rules) => {
            let array = list_of(permissions, list.key())?;
            remove(&array, |text| text.is_some_and(|text| rules.iter().any(|rule| rule == text)));
        }
        SettingsEdit::SetMode(PermissionMode::BypassPermissions) => return Err(EditError::NeverWritten),
        SettingsEdit::SetMode(mode) => {
            let value = CstInputValue::from(mode.as_str());
            match permissions.get("defaultMode") {
                Some(property) => property.set_value(value),
                None => {
                    permissions.append("defaultMode", value);
                }
            }
        }
        SettingsEdit::AddDirectories(directories) => {
            add(&list_of(permissions, "additionalDirectories")?, directories);
        }
        SettingsEdit::RemoveDirectories(directories) => {
            let array = list_of(permissions, "additionalDirectories")?;
            remove(&array, |text| text.is_some_and(|text| directories.iter().any(|gone| gone == text)));
        }
    }
    Ok(())
}

fn list_of(permissions: &CstObject, key: &str) -> Result<CstArray, EditError> {
    let wrong = || EditError::WrongType { key: format!("permissions.{key}"), expected: "list" };
    permissions.array_value_or_create(key).ok_or_else(wrong)
}

fn text_of(node: &CstNode) -> Option<String> {
    node.as_string_lit().and_then(|literal| literal.decoded_value().ok())
}

fn add(array: &CstArray, texts: &[String]) {
    let mut there: Vec<String> = array.elements().iter().filter_map(text_of).collect();
    for text in texts {
        if !there.contains(text) {
            array.append(CstInputValue::from(text.as_str()));
            there.push(text.clone());
        }
    }
}

fn remove(array: &CstArray, gone: impl Fn(Option<&str>) -> bool) {
    for element in array.elements() {
        if gone(text_of(&element).as_deref()) {
            element.remove();
        }
    }
}
