//! Entries in the text of a configuration file: added by insertions alone, removed by deletions alone.
//!
//! INVARIANT: before a changed text is returned, it is parsed again; its meaning differs in Becket's own entries only.

mod json;
mod layout;
mod splice;
pub(crate) mod toml;
mod yaml;

use crate::agent::ConfigForm;
use crate::command::MARKER;
use layout::Gap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

/// An entry to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The event by its name in the configuration.
    pub event: String,
    /// The command.
    pub command: String,
    /// The time limit in the unit of the configuration.
    pub limit: u64,
}

/// An own entry in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnEntry {
    /// The event.
    pub event: String,
    /// The command.
    pub command: String,
    /// The time limit in the unit of the configuration, if it names one.
    pub limit: Option<u64>,
    /// Set if the rest of it is what [`ConfigText::add`] writes: the matcher, and no other key.
    pub is_plain: bool,
}

/// An element of a list in a settings file, such as a rule of `permissions.deny` or a group of `hooks.PreToolUse`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingsItem {
    /// The key of the object with the list.
    pub section: String,
    /// The key of the list.
    pub list: String,
    /// The element.
    pub value: Value,
}

/// The reason why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The text can't be parsed.
    #[error("it is not {format}: {why}; correct it first")]
    Malformed {
        /// The format.
        format: &'static str,
        /// The cause, with the position.
        why: String,
    },
    /// A key occurs twice.
    #[error("`{0}` occurs twice; join the two first")]
    DuplicateKey(String),
    /// A value has another type.
    #[error("{what} is not {expected}; correct it first")]
    WrongType {
        /// The part of the file.
        what: String,
        /// The required type.
        expected: &'static str,
    },
    /// The form of the file is one that can't be edited safely.
    #[error("{0}")]
    Form(String),
    /// The changed text would mean something else.
    #[error("it can't be changed without changing more than the entries of becket; {0}")]
    Ambiguous(&'static str),
}

/// A changed text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditedText {
    /// The text.
    pub text: String,
    /// The inserted parts, in order.
    pub inserted: Vec<Range<usize>>,
    /// The objects and lists that were created, as paths of keys.
    pub created: Vec<Vec<String>>,
}

impl EditedText {
    /// Returns the inserted texts, by which the entries are found again in a text that was edited since; none if an
    /// entry can't be distinguished from the rest of the text.
    pub fn insertions(&self) -> Vec<Insertion> {
        let mut insertions = Vec::new();
        let mut ranges = self.inserted.iter();
        while let Some(range) = ranges.next() {
            let first = &self.text[range.clone()];
            if has_entry(first) {
                let text = first.to_owned();
                insertions.push(Insertion { comma: String::new(), between: String::new(), text });
                continue;
            }
            // A comma belongs to the entry that follows; a comment may be between the two.
            let Some(next) = ranges.next().filter(|next| has_entry(&self.text[(*next).clone()])) else {
                return Vec::new();
            };
            insertions.push(Insertion {
                comma: first.to_owned(),
                between: self.text[range.end..next.start].to_owned(),
                text: self.text[next.clone()].to_owned(),
            });
        }
        insertions
    }
}

/// Returns true if an inserted text has an entry: it is not a comma alone.
fn has_entry(inserted: &str) -> bool {
    inserted.contains(MARKER)
}

/// A text that was inserted with entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Insertion {
    /// The comma before it, if that is inserted elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comma: String,
    /// The part of the file between the two.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    between: String,
    /// The text.
    text: String,
}

impl Insertion {
    /// Returns the part of the file that has the insertion.
    fn whole(&self) -> String {
        format!("{}{}{}", self.comma, self.between, self.text)
    }
}

/// Returns a text without insertions; `None` if one of them was changed or is missing.
fn without_insertions(text: &str, insertions: &[Insertion]) -> Option<String> {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    for insertion in insertions {
        let whole = insertion.whole();
        if let Some(at) = rest.find(&whole) {
            left.push_str(&rest[..at]);
            left.push_str(&insertion.between);
            rest = &rest[at + whole.len()..];
            continue;
        }
        // The part between the two is the user's, who has changed it.
        let at = rest.find(&insertion.text)?;
        let comma = comma_before(&rest[..at]).filter(|_| insertion.comma == ",")?;
        left.push_str(&rest[..comma]);
        left.push_str(&rest[comma + 1..at]);
        rest = &rest[at + insertion.text.len()..];
    }
    left.push_str(rest);
    (!insertions.is_empty()).then_some(left)
}

/// Returns the position of the last comma of a text that is followed by blanks and comments alone.
fn comma_before(text: &str) -> Option<usize> {
    let is_last = |at: usize| {
        let after = at + 1..text.len();
        let comments = Gap::read(text, after.clone()).comments;
        let ends = std::iter::once(after.start).chain(comments.iter().map(|comment| comment.end));
        let starts = comments.iter().map(|comment| comment.start).chain([after.end]);
        ends.zip(starts).all(|(end, start)| text[end..start].trim().is_empty())
    };
    // A comment may contain commas, too: the first one is that of the text.
    text.match_indices(',').map(|(at, _)| at).find(|at| is_last(*at))
}

/// The form of a settings file of Claude Code.
pub(crate) const SETTINGS: ConfigForm = ConfigForm::Groups { matcher: true, named: false, comments: false };

/// The text of a configuration file.
#[derive(Debug, Clone, Copy)]
pub struct ConfigText<'t> {
    form: ConfigForm,
    mark: &'static str,
    body: &'t str,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl<'t> ConfigText<'t> {
    /// Creates the text of a file; a byte-order mark is kept.
    pub fn new(form: ConfigForm, text: &'t str) -> Self {
        match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(body) => ConfigText { form, mark: BYTE_ORDER_MARK, body },
            None => ConfigText { form, mark: "", body: text },
        }
    }

    /// Returns the entries that are Becket's own.
    ///
    /// # Errors
    /// Errors if the text can't be parsed.
    pub fn own_entries(&self) -> Result<Vec<OwnEntry>, DocumentError> {
        match self.form {
            ConfigForm::Groups { .. } | ConfigForm::List(_) => json::own_entries(self.form, self.body),
            ConfigForm::Tables => toml::own_entries(self.body),
            ConfigForm::Sequences => yaml::own_entries(self.body),
            ConfigForm::Scripts | ConfigForm::Plugin(_) => Err(no_entries()),
        }
    }

    /// Adds entries.
    ///
    /// # Errors
    /// Errors if the text can't be changed as intended.
    pub fn add(&self, entries: &[Entry]) -> Result<EditedText, DocumentError> {
        let edited = match self.form {
            ConfigForm::Groups { .. } | ConfigForm::List(_) => json::add(self.form, self.body, entries)?,
            ConfigForm::Tables => toml::add(self.body, entries)?,
            ConfigForm::Sequences => yaml::add(self.body, entries)?,
            ConfigForm::Scripts | ConfigForm::Plugin(_) => return Err(no_entries()),
        };
        Ok(self.marked(edited))
    }

    /// Removes the own entries, and the parts of `created` that are then empty.
    ///
    /// # Errors
    /// Errors if the text can't be changed as intended.
    pub fn remove(&self, created: &[Vec<String>]) -> Result<EditedText, DocumentError> {
        self.remove_inserted(created, &[])
    }

    /// Does the same. If the `insertions` are unchanged, every byte around them stays.
    ///
    /// # Errors
    /// See [`ConfigText::remove`].
    pub fn remove_inserted(
        &self,
        created: &[Vec<String>],
        insertions: &[Insertion],
    ) -> Result<EditedText, DocumentError> {
        let edited = match self.form {
            ConfigForm::Groups { .. } | ConfigForm::List(_) => {
                json::remove(self.form, self.body, created, insertions)?
            }
            ConfigForm::Tables => self.exactly(toml::remove(self.body)?, insertions),
            ConfigForm::Sequences => self.exactly(yaml::remove(self.body, created)?, insertions),
            ConfigForm::Scripts | ConfigForm::Plugin(_) => return Err(no_entries()),
        };
        Ok(self.marked(edited))
    }

    /// Returns the text without the insertions alone, if it means the same as the `edited` text: a line break that the
    /// last line lacked was inserted with them.
    fn exactly(&self, edited: EditedText, insertions: &[Insertion]) -> EditedText {
        let meaning = |text: &str| match self.form {
            ConfigForm::Tables => toml::value(text).ok(),
            ConfigForm::Sequences => yaml::value(text).ok(),
            ConfigForm::Groups { .. } | ConfigForm::List(_) | ConfigForm::Scripts | ConfigForm::Plugin(_) => {
                None
            }
        };
        let left = without_insertions(self.body, insertions);
        let is_same = |left: &String| meaning(left).is_some_and(|left| Some(left) == meaning(&edited.text));
        left.filter(is_same).map_or(edited, |text| EditedText { text, ..EditedText::default() })
    }

    /// Appends the items that are missing, each at the end of its list. Only for JSON.
    ///
    /// # Errors
    /// Errors if the text can't be changed as intended.
    pub fn append_items(&self, items: &[SettingsItem]) -> Result<EditedText, DocumentError> {
        Ok(self.marked(json::append_items(self.form, self.body, items)?))
    }

    /// Removes items, and the parts of `created` that are then empty. Only for JSON.
    ///
    /// # Errors
    /// Errors if the text can't be changed as intended.
    pub fn take_items(
        &self,
        items: &[SettingsItem],
        created: &[Vec<String>],
    ) -> Result<EditedText, DocumentError> {
        Ok(self.marked(json::take_items(self.form, self.body, items, created)?))
    }

    /// Returns true if the list of an item contains it. Only for JSON.
    ///
    /// # Errors
    /// Errors if the text can't be parsed.
    pub fn contains(&self, item: &SettingsItem) -> Result<bool, DocumentError> {
        json::contains(self.form, self.body, item)
    }

    /// Returns the elements of a list. Only for JSON.
    ///
    /// # Errors
    /// Errors if the text can't be parsed.
    pub fn values(&self, section: &str, list: &str) -> Result<Vec<Value>, DocumentError> {
        json::values(self.form, self.body, section, list)
    }

    /// Returns true if only the text remains that `add` writes around entries in an empty file.
    pub fn is_bare(&self) -> bool {
        let text = self.body.trim();
        match self.form {
            ConfigForm::Groups { .. } | ConfigForm::List(_) => {
                let value: Option<Value> = serde_json::from_str(text).ok();
                let bare = [serde_json::json!({}), serde_json::json!({"version": 1})];
                text.is_empty() || value.is_some_and(|value| bare.contains(&value))
            }
            ConfigForm::Tables | ConfigForm::Sequences => text.is_empty(),
            ConfigForm::Scripts | ConfigForm::Plugin(_) => false,
        }
    }

    fn marked(&self, edited: EditedText) -> EditedText {
        let shift = self.mark.len();
        let inserted = edited.inserted.into_iter().map(|range| range.start + shift..range.end + shift);
        EditedText { text: format!("{}{}", self.mark, edited.text), inserted: inserted.collect(), ..edited }
    }
}

/// Returns the value of a configuration file: TOML by its name, JSON with or without comments otherwise.
pub(crate) fn value_of(path: &Path, text: &str) -> Result<Value, DocumentError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return toml::value(text);
    }
    json::value(text)
}

fn no_entries() -> DocumentError {
    DocumentError::Form("it is a file of code, which has no entries".to_owned())
}
