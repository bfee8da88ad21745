//! Fixes: changes of a JSON file that remove a finding. Pure: the text goes in, the new text comes out.
//!
//! INVARIANT: a text is changed only in the places of the fixes and stays JSON; one that has a key twice is left alone,
//! since the other member would then count.

mod edit;

use super::source::json;
use super::source::tree::Span;
use edit::TextEdit;
use serde_json::Value;

/// The effect of a fix on what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixSafety {
    /// The same hooks run on the same events with the same verdicts.
    Safe,
    /// The behaviour may change, since the file did not do what was meant.
    Unsafe,
}

impl FixSafety {
    /// Returns the word that reports print for this effect.
    pub const fn as_str(self) -> &'static str {
        match self {
            FixSafety::Safe => "safe",
            FixSafety::Unsafe => "unsafe",
        }
    }
}

/// A change that removes one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// Its effect on what runs.
    pub safety: FixSafety,
    /// The description of the change, such as "remove `once`".
    pub title: String,
    at: Span,
    change: FixChange,
}

/// A change of the value or key at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FixChange {
    /// Removes the member of this name around the place.
    RemoveMember(&'static str),
    /// Writes another key.
    RenameKey(String),
    /// Writes another value.
    SetValue(Value),
    /// Adds a member at the front of the object at the place.
    AddMember { key: &'static str, value: Value },
    /// Wraps a handler that is written in the place of a group in one.
    WrapHandler,
    /// Wraps the content of the file in `hooks`.
    WrapEvents,
    /// Moves the rule in a matcher to the handlers of its group.
    RuleToCondition { tool: String, rule: String },
}

impl Fix {
    pub(crate) fn safe(at: Span, title: impl Into<String>, change: FixChange) -> Self {
        Fix { safety: FixSafety::Safe, title: title.into(), at, change }
    }

    pub(crate) fn not_safe(at: Span, title: impl Into<String>, change: FixChange) -> Self {
        Fix { safety: FixSafety::Unsafe, ..Fix::safe(at, title, change) }
    }
}

/// The text of a file with fixes made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedText {
    /// The new text.
    pub text: String,
    /// The indexes in the given list of the fixes that were made. Others overlap with one of these, would write a key a
    /// second time, or their place has another shape than they expect.
    pub made: Vec<usize>,
}

/// Makes the fixes of one file in their order. Returns `None` if none can be made.
#[must_use]
pub fn apply_fixes(text: &str, fixes: &[&Fix]) -> Option<FixedText> {
    let document = json::parse(text).ok().filter(|document| document.duplicates.is_empty())?;
    let (mut edits, mut made): (Vec<TextEdit>, Vec<usize>) = (Vec::new(), Vec::new());
    for (nth, fix) in fixes.iter().enumerate() {
        let of_fix = edit::edits(&fix.change, fix.at, text, &document.root).unwrap_or_default();
        let is_free = of_fix.iter().all(|new| edits.iter().all(|old| !new.overlaps(old)));
        if is_free && !of_fix.is_empty() {
            edits.extend(of_fix);
            made.push(nth);
        }
    }
    edits.sort_by_key(|edit| edit.range.start);
    let mut new = String::with_capacity(text.len());
    let mut end = 0;
    for edit in &edits {
        new.push_str(text.get(end..edit.range.start)?);
        new.push_str(&edit.with);
        end = edit.range.end;
    }
    new.push_str(text.get(end..)?);
    (!made.is_empty() && json::parse(&new).is_ok()).then_some(FixedText { text: new, made })
}

#[cfg(test)]
mod tests;
