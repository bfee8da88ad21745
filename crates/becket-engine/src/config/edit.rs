//! Changes to the permissions in the text of a settings file (P13). Pure: the text goes in, the new text comes out.
//!
//! INVARIANT: all other content, the order of keys, indentation and line ends stay as they are. A text that is not
//! valid JSON, or that has a key twice, is left alone.

use super::source::json;
use becket_base::json_edit::{self, JsonDocument, JsonEditError, object_or_new};
use becket_rules::{Change, Mode, Rule};
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};

/// The reason why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text can't be edited.
    #[error(transparent)]
    Json(#[from] JsonEditError),
    /// The mode `bypassPermissions` is never written to a file.
    #[error("the mode `bypassPermissions` is never written to a file: start the session with it instead")]
    NeverWritten,
}

/// Makes the changes in their order and returns the new text. An empty text counts as `{}`.
///
/// # Errors
/// Returns an [`EditError`]; nothing has been changed then.
pub fn edit_settings(text: &str, changes: &[Change]) -> Result<String, EditError> {
    let document = JsonDocument::parse(text)?;
    if let Some(duplicate) = duplicate_key(text) {
        return Err(JsonEditError::DuplicateKey(duplicate).into());
    }
    let top = document.object()?;
    for change in changes {
        let permissions = match (only_removes(change), top.get("permissions")) {
            // There is nothing to remove.
            (true, None) => continue,
            (_, Some(_) | None) => object_or_new(&top, "permissions")?,
        };
        apply(change, &permissions)?;
    }
    Ok(document.into_text())
}

/// Returns the first key that occurs twice in its object, anywhere in the text.
fn duplicate_key(text: &str) -> Option<String> {
    let document = json::parse(text.trim_start_matches('\u{feff}')).ok()?;
    document.duplicates.first().map(|duplicate| duplicate.key.clone())
}

fn apply(change: &Change, permissions: &CstObject) -> Result<(), EditError> {
    match change {
        Change::AddRules(list, rules) => add(&list_of(permissions, list.key())?, &texts(rules), same_rule),
        Change::ReplaceRules(list, rules) => {
            let (array, texts) = (list_of(permissions, list.key())?, texts(rules));
            remove(&array, |old| !texts.iter().any(|new| same_rule(old, new)));
            add(&array, &texts, same_rule);
        }
        Change::RemoveRules(list, rules) => {
            let texts = texts(rules);
            take(permissions, list.key(), |old| texts.iter().any(|removed| same_rule(old, removed)))?;
        }
        Change::SetMode(Mode::BypassPermissions) => return Err(EditError::NeverWritten),
        Change::SetMode(mode) => {
            json_edit::set(permissions, "defaultMode", &mode.name().into())?;
        }
        Change::AddDirectories(directories) => {
            add(&list_of(permissions, "additionalDirectories")?, directories, str::eq);
        }
        Change::RemoveDirectories(directories) => {
            take(permissions, "additionalDirectories", |old| {
                directories.iter().any(|removed| removed == old)
            })?;
        }
    }
    Ok(())
}

/// Returns whether a change only removes, so that nothing is created for it.
fn only_removes(change: &Change) -> bool {
    match change {
        Change::RemoveRules(..) | Change::RemoveDirectories(_) => true,
        Change::AddRules(..) | Change::ReplaceRules(..) | Change::SetMode(_) | Change::AddDirectories(_) => {
            false
        }
    }
}

/// Removes texts from a list, if there is one.
fn take(permissions: &CstObject, key: &str, is_removed: impl Fn(&str) -> bool) -> Result<(), EditError> {
    if permissions.get(key).is_some() {
        remove(&list_of(permissions, key)?, is_removed);
    }
    Ok(())
}

fn texts(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(Rule::to_string).collect()
}

/// Returns whether two texts are one rule in different spellings: `Bash` and `Bash(*)`.
fn same_rule(one: &str, other: &str) -> bool {
    one == other || matches!((Rule::parse(one), Rule::parse(other)), (Ok(one), Ok(other)) if one == other)
}

fn list_of(permissions: &CstObject, key: &str) -> Result<CstArray, EditError> {
    let what = || format!("`permissions.{key}`");
    let array = permissions.array_value_or_create(key);
    Ok(array.ok_or_else(|| JsonEditError::WrongType { what: what(), expected: "a list" })?)
}

fn text_of(node: &CstNode) -> Option<String> {
    node.as_string_lit().and_then(|literal| literal.decoded_value().ok())
}

fn add(array: &CstArray, texts: &[String], same: impl Fn(&str, &str) -> bool) {
    let mut there: Vec<String> = array.elements().iter().filter_map(text_of).collect();
    for text in texts {
        if !there.iter().any(|old| same(old, text)) {
            array.append(CstInputValue::from(text.as_str()));
            there.push(text.clone());
        }
    }
}

/// Removes texts; values of other types stay.
fn remove(array: &CstArray, is_removed: impl Fn(&str) -> bool) {
    for element in array.elements() {
        if text_of(&element).is_some_and(|text| is_removed(&text)) {
            element.remove();
        }
    }
}
