//! A handler's `if: "Bash(…)"` (rule P6).

use super::line::Line;
use super::pattern::CommandPattern;
use super::refusal::UnknownReason;

/// Whether a handler's condition holds for a line. Only `NoMatch` keeps the handler from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applies {
    /// A command of the line matches.
    Match {
        /// The command, as it is written.
        command: String,
        /// What it was found behind (`sudo`, `sh -c`).
        via: Option<String>,
    },
    /// No command of the line matches, and all of them are known.
    NoMatch,
    /// The text does not say: the handler runs.
    Unknown {
        /// Why.
        why: UnknownReason,
    },
}

impl Applies {
    /// Whether the handler runs.
    #[must_use]
    pub fn runs(&self) -> bool {
        match self {
            Self::Match { .. } | Self::Unknown { .. } => true,
            Self::NoMatch => false,
        }
    }
}

impl Line {
    /// Puts a handler's `if` to the line (protocol.md P6).
    #[must_use]
    pub fn condition(&self, pattern: &CommandPattern) -> Applies {
        if pattern.is_everything() {
            return Applies::Match { command: self.text.clone(), via: None };
        }
        if let Some(command) = self.find(pattern) {
            return Applies::Match { command: command.raw.clone(), via: command.via.clone() };
        }
        let could = |head: &String| pattern.could_continue(head) || pattern.matches_normal(head);
        if let Some(command) = self.commands.iter().find(|command| command.open.as_ref().is_some_and(could)) {
            return Applies::Unknown { why: UnknownReason::Arguments(command.raw.clone()) };
        }
        if let Some(unknown) = self.unknowns.first() {
            return Applies::Unknown { why: unknown.reason.clone() };
        }
        match &self.expansion {
            Some(raw) if pattern.names_words() => {
                Applies::Unknown { why: UnknownReason::Expansion(raw.clone()) }
            }
            Some(_) | None => Applies::NoMatch,
        }
    }

    /// The first command that a deny, ask or `if` pattern matches.
    pub(crate) fn find(&self, pattern: &CommandPattern) -> Option<&super::line::Command> {
        self.commands.iter().find(|command| command.forms.iter().any(|form| pattern.matches_normal(form)))
    }
}
