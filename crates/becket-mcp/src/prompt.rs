//! Prompts as described by their server, and the syntax for using one (`protocol.md` X8).
//!
//! INVARIANT: no typed word is lost: excess words belong to the last argument.

use rmcp::model as wire;
use serde_json::{Map, Value};

use crate::content::Content;

/// A prompt that a server lists.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// The name on the server.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// The purpose, in the server's words.
    pub description: Option<String>,
    /// The arguments, in the order in which they are typed.
    pub arguments: Vec<PromptArgument>,
    /// `_meta`, unchanged.
    pub meta: Option<Map<String, Value>>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name of the argument.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// A description, in the server's words.
    pub description: Option<String>,
    /// True if the prompt requires it.
    pub required: bool,
}

/// A filled-in prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptResult {
    /// A description, in the server's words.
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// The role of its author.
    pub role: PromptRole,
    /// The content.
    pub content: Content,
}

/// The author of a prompt message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptRole {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// An error: the typed words do not match the prompt's arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// A word is missing.
    #[error("the prompt `{prompt}` needs {}; usage: `{usage}`", quoted(.missing))]
    Missing {
        /// The prompt.
        prompt: String,
        /// The arguments that have no word.
        missing: Vec<String>,
        /// The usage of the prompt.
        usage: String,
    },
    /// The prompt has no arguments.
    #[error("the prompt `{prompt}` takes no arguments; leave out `{words}`")]
    TakesNone {
        /// The prompt.
        prompt: String,
        /// The extra words.
        words: String,
    },
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl From<wire::Prompt> for Prompt {
    fn from(prompt: wire::Prompt) -> Self {
        let argument = |argument: wire::PromptArgument| PromptArgument {
            name: argument.name,
            title: argument.title,
            description: argument.description,
            required: argument.required.unwrap_or(false),
        };
        Self {
            name: prompt.name,
            title: prompt.title,
            description: prompt.description,
            arguments: prompt.arguments.unwrap_or_default().into_iter().map(argument).collect(),
            meta: prompt.meta.map(|meta| meta.0),
        }
    }
}

impl Prompt {
    /// Returns the usage, as typed after the command: `<required> [optional]`.
    #[must_use]
    pub fn usage(&self) -> String {
        let one = |argument: &PromptArgument| match argument.required {
            true => format!("<{}>", argument.name),
            false => format!("[{}]", argument.name),
        };
        self.arguments.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// Parses the text typed after the command: word by word in the order of the arguments, with the rest of the text
    /// for the last one. Words with blanks are quoted with `"` or `'`.
    ///
    /// # Errors
    /// Errors if a required argument has no word, or there are words but no arguments.
    pub fn arguments(&self, typed: &str) -> Result<Map<String, Value>, PromptError> {
        let mut rest = typed.trim();
        if self.arguments.is_empty() && !rest.is_empty() {
            return Err(PromptError::TakesNone { prompt: self.name.clone(), words: rest.to_owned() });
        }
        let (mut arguments, mut missing) = (Map::new(), Vec::new());
        for (index, argument) in self.arguments.iter().enumerate() {
            let word;
            (word, rest) = if index + 1 == self.arguments.len() { whole(rest) } else { first_word(rest) };
            if !word.is_empty() {
                arguments.insert(argument.name.clone(), Value::String(word.to_owned()));
            } else if argument.required {
                missing.push(argument.name.clone());
            }
        }
        if missing.is_empty() {
            return Ok(arguments);
        }
        Err(PromptError::Missing { prompt: self.name.clone(), missing, usage: self.usage() })
    }
}

/// Splits off a word. A quote that is not closed, or not followed by a blank, is an ordinary character.
fn first_word(text: &str) -> (&str, &str) {
    let quoted = text.chars().next().filter(|c| matches!(c, '"' | '\'')).and_then(|quote| {
        let (word, rest) = text[1..].split_once(quote)?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| (word, rest.trim_start()))
    });
    let plain = || match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    };
    quoted.unwrap_or_else(plain)
}

/// Returns the whole text, without its quotes if it is one quoted word.
fn whole(text: &str) -> (&str, &str) {
    match first_word(text) {
        (word, "") => (word, ""),
        (_, _) => (text, ""),
    }
}

impl TryFrom<wire::GetPromptResult> for PromptResult {
    type Error = String;

    fn try_from(result: wire::GetPromptResult) -> Result<Self, String> {
        let message = |message: wire::PromptMessage| {
            let role = match message.role {
                wire::Role::User => PromptRole::User,
                wire::Role::Assistant => PromptRole::Assistant,
            };
            let content = serde_json::to_value(&message.content).map_err(|error| error.to_string())?;
            Ok(PromptMessage { role, content: Content::new(content) })
        };
        let messages = result.messages.into_iter().map(message).collect::<Result<_, String>>()?;
        Ok(Self { description: result.description, messages })
    }
}

#[cfg(test)]
mod tests;
