//! A handler's `if: "Bash(…)"` (rule P6).

use super::forms::Forms;
use super::line::{Command, Line};
use super::pattern::CommandPattern;
use super::refusal::UnknownReason;
use crate::steps::{OutOfSteps, Steps};

/// The result of a handler's condition for a line. Only `NoMatch` keeps the handler from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applies {
    /// A command of the line matches.
    Match {
        /// The command, as it is written.
        command: String,
        /// The wrapper that runs it (`sudo`, `sh -c`).
        via: Option<String>,
    },
    /// No command of the line matches, and all of them are known.
    NoMatch,
    /// The text does not determine the result: the handler runs.
    Unknown {
        /// The reason.
        why: UnknownReason,
    },
}

impl Applies {
    /// Returns whether the handler runs.
    #[must_use]
    pub fn runs(&self) -> bool {
        match self {
            Self::Match { .. } | Self::Unknown { .. } => true,
            Self::NoMatch => false,
        }
    }
}

impl Line {
    /// Evaluates a handler's `if` for the line (protocol.md P6).
    #[must_use]
    pub fn condition(&self, pattern: &CommandPattern) -> Applies {
        self.condition_within(pattern, &Steps::unbounded())
    }

    /// Evaluates the condition within the remaining steps; without any, the result is unknown.
    pub(crate) fn condition_within(&self, pattern: &CommandPattern, steps: &Steps) -> Applies {
        if pattern.is_everything() {
            return Applies::Match { command: self.text.clone(), via: None };
        }
        let out = |_: OutOfSteps| Applies::Unknown { why: UnknownReason::TooComplex };
        match self.find_within(pattern, steps) {
            Ok(Some(command)) => {
                return Applies::Match { command: command.raw.clone(), via: command.via.clone() };
            }
            Ok(None) => {}
            Err(error) => return out(error),
        }
        match self.forms().find_open(&self.commands, pattern, steps) {
            Ok(Some(command)) => {
                return Applies::Unknown { why: UnknownReason::Arguments(command.raw.clone()) };
            }
            Ok(None) => {}
            Err(error) => return out(error),
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

    /// Returns the first command that a deny, ask or `if` pattern matches.
    pub(crate) fn find(&self, pattern: &CommandPattern) -> Option<&Command> {
        self.find_within(pattern, &Steps::unbounded()).ok().flatten()
    }

    pub(crate) fn find_within(
        &self,
        pattern: &CommandPattern,
        steps: &Steps,
    ) -> Result<Option<&Command>, OutOfSteps> {
        self.forms().find(&self.commands, pattern, steps)
    }

    fn forms(&self) -> &Forms {
        self.forms.get_or_init(|| Forms::new(&self.commands))
    }
}
