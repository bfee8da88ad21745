//! The questions of `init`: at most three, and a confirmation before anything is written.

use super::{COMMAND, TESTS, template};
use crate::args::{ChangeArgs, TemplateName};
use crate::env::Surroundings;
use crate::error::CliError;
use becket_install::guard::{Answers, Guard, RepositoryFacts};
use inquire::{InquireError, Select, Text};
use std::fmt;

/// The conversation with the user, if there is one.
pub(super) struct Interview<'a> {
    change: &'a ChangeArgs,
    /// True if there is a terminal, and questions should be asked.
    asks: bool,
}

const BRANCHES: &str = "branches";

impl<'a> Interview<'a> {
    /// Returns the conversation; it asks nothing with `--yes`.
    ///
    /// # Errors
    /// Errors if there is no terminal, and no option says to ask nothing.
    pub(super) fn of(change: &'a ChangeArgs, around: &Surroundings) -> Result<Self, CliError> {
        let is_terminal = around.terminals.stdin && around.terminals.stderr;
        if !is_terminal && !change.yes && !change.dry_run {
            return Err(CliError::usage(
                "nothing was changed: there is no terminal to ask at. Pass `--yes`, and `--template minimal`, `standard` or `strict` \
                 if you want another one than `standard`; `--dry-run` shows the changes",
            ));
        }
        Ok(Interview { change, asks: is_terminal && !change.yes })
    }

    /// Asks for the guards to start with.
    ///
    /// # Errors
    /// Errors if the user gives no answer.
    pub(super) fn template(&self) -> Result<TemplateName, CliError> {
        if !self.asks {
            return Ok(TemplateName::Standard);
        }
        let all = [TemplateName::Standard, TemplateName::Minimal, TemplateName::Strict].map(TemplateChoice);
        let select = Select::new("Which guards do you want to begin with?", all.to_vec()).without_filtering();
        answered(select.prompt()).map(|choice| choice.0)
    }

    /// Returns true if the user is asked for the command that runs the tests, or has named it.
    pub(super) fn knows_tests(&self) -> bool {
        self.asks || self.is_set(COMMAND)
    }

    /// Asks for the branches and the tests.
    ///
    /// # Errors
    /// Errors if the user gives no answer.
    pub(super) fn complete(
        &self,
        guards: &[Guard],
        answers: &mut [Answers],
        facts: &RepositoryFacts,
    ) -> Result<(), CliError> {
        for (guard, answers) in guards.iter().zip(answers) {
            for question in guard.manifest.questions.iter().filter(|question| self.is_asked(&question.id)) {
                let found = if question.id == BRANCHES {
                    facts.branches.clone()
                } else {
                    facts.tests.iter().cloned().collect()
                };
                let found = if found.is_empty() { question.default.clone() } else { found };
                let values = self.values(guard, &question.text, &found)?;
                answers.insert(question.id.clone(), values);
            }
        }
        Ok(())
    }

    fn is_set(&self, id: &str) -> bool {
        self.change.set.iter().any(|text| text.split_once('=').is_some_and(|(name, _)| name == id))
    }

    fn is_asked(&self, id: &str) -> bool {
        self.asks && [BRANCHES, COMMAND].contains(&id) && !self.is_set(id)
    }

    /// Asks for the values of a question: branches are separated by blanks, a command is one text.
    fn values(&self, guard: &Guard, text: &str, found: &[String]) -> Result<Vec<String>, CliError> {
        let is_tests = guard.manifest.name == TESTS;
        let help = if is_tests { "empty: the tests are not run" } else { "several are apart by blanks" };
        let message = format!("{text}:");
        let typed =
            answered(Text::new(&message).with_default(&found.join(" ")).with_help_message(help).prompt())?;
        let typed = typed.trim();
        Ok(match is_tests {
            true => Some(typed.to_owned()).filter(|text| !text.is_empty()).into_iter().collect(),
            false => typed.split_whitespace().map(str::to_owned).collect(),
        })
    }
}

/// A template, as a line to choose.
#[derive(Debug, Clone, Copy)]
struct TemplateChoice(TemplateName);

impl fmt::Display for TemplateChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            TemplateName::Minimal => "minimal",
            TemplateName::Standard => "standard",
            TemplateName::Strict => "strict",
        };
        write!(f, "{name}: {}", template::guards(self.0).join(", "))
    }
}

fn answered<T>(answer: Result<T, InquireError>) -> Result<T, CliError> {
    match answer {
        Ok(value) => Ok(value),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => {
            Err(CliError::guard("nothing was changed"))
        }
        Err(error) => Err(CliError::guard(format!("nothing was changed: {error}"))),
    }
}
