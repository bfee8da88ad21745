//! Parse errors of rules, with their position.

use std::fmt;

/// A text that is not a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    text: String,
    offset: usize,
    kind: RuleErrorKind,
}

/// The fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleErrorKind {
    /// Nothing but blanks.
    #[error("the rule is empty: write `Tool` or `Tool(specifier)`")]
    Empty,
    /// A character that no tool's name contains, or that has no name before it.
    #[error(
        "`{found}` can't stand here: a rule is `Tool` or `Tool(specifier)`, without a blank before the `(`"
    )]
    BadName {
        /// The character.
        found: char,
    },
    /// A missing `)`.
    #[error("the `(` is never closed: end the rule with `)`")]
    Unclosed,
    /// Text after the last `)`.
    #[error("`{rest}` after the closing `)`: a rule ends there")]
    Trailing {
        /// The text.
        rest: String,
    },
    /// Several rules in one text (P12).
    #[error("rules can't be joined by {}: write the handler, or the list entry, once per rule: {}", separator_name(.separator), quoted(.rules))]
    Joined {
        /// The separator between the first two.
        separator: String,
        /// Each rule on its own, in order.
        rules: Vec<String>,
    },
}

/// Returns the separator as a message names it.
fn separator_name(separator: &str) -> String {
    if separator.is_empty() { "blanks".to_owned() } else { format!("`{separator}`") }
}

impl RuleError {
    /// Creates an error; `at` is in bytes of `text`.
    pub(super) fn new(text: &str, at: usize, kind: RuleErrorKind) -> Self {
        let offset = text.get(..at).unwrap_or(text).chars().count();
        Self { text: text.to_owned(), offset, kind }
    }

    /// Returns the text that is not a rule.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the position of the fault, in characters from the start of the text.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the kind of the fault.
    #[must_use]
    pub fn kind(&self) -> &RuleErrorKind {
        &self.kind
    }

    /// Returns the rules to write instead, one handler each, if several were joined (P12).
    #[must_use]
    pub fn rules(&self) -> Option<&[String]> {
        match &self.kind {
            RuleErrorKind::Joined { rules, .. } => Some(rules),
            RuleErrorKind::Empty
            | RuleErrorKind::BadName { .. }
            | RuleErrorKind::Unclosed
            | RuleErrorKind::Trailing { .. } => None,
        }
    }

    /// Returns two lines for a terminal: the text, and a caret under the fault. A long text is cut to the part around
    /// it.
    #[must_use]
    pub fn caret(&self) -> String {
        const BEFORE: usize = 60;
        let skipped = self.offset.saturating_sub(BEFORE);
        let shown: String = self
            .text
            .chars()
            .skip(skipped)
            .take(2 * BEFORE)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        format!("{shown}\n{}^", " ".repeat(self.offset - skipped))
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a rule: {}", self.text, self.kind)
    }
}

impl std::error::Error for RuleError {}

fn quoted(rules: &[String]) -> String {
    let quoted: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
    quoted.join(" and ")
}
