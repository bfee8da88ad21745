//! The permission of a call: the question, and the meaning of the answer.
//!
//! - [`subject`]: the display of a call
//! - [`commands`]: the commands that a shell line would run
//! - [`diff`]: the change of a file
//! - [`update`]: the rules that would apply from now on
//!
//! INVARIANT: all of the input is shown; otherwise the user sees how much is missing, can have it shown, and no answer
//! is selected.

mod commands;
mod diff;
mod subject;
#[cfg(test)]
mod tests;
mod update;

use super::handle::{AnswerKind, Terminal, ToPut, UserAnswer};
use super::questions;
use crate::report::style::{HEAD, styled};
use becket_agent::tool_call::{PermissionAnswer, PermissionPrompt};

/// Asks the user.
pub(super) async fn ask(terminal: &Terminal, prompt: &PermissionPrompt) -> PermissionAnswer {
    if let Some(questions) = questions::of(prompt) {
        return match questions::ask(terminal, &questions).await {
            Some(answers) => PermissionAnswer::Answered { answers },
            None => no("the user does not want to answer"),
        };
    }
    let mut options = vec!["yes".to_owned()];
    if !prompt.suggestions.is_empty() {
        options.push("yes, and don't ask again (applies the changes above)".to_owned());
    }
    options.extend(["no".to_owned(), "no, and say what to do instead".to_owned()]);
    let (no_at, words_at) = (options.len() - 2, options.len() - 1);
    let diff = diff::of(prompt).await;
    let document = subject::document(prompt, diff.as_ref());
    match terminal.put(ToPut::new(document, AnswerKind::One(options))).await {
        UserAnswer::Chose(places) => match places.first() {
            Some(0) => PermissionAnswer::Allow { updates: Vec::new() },
            Some(at) if *at < no_at => PermissionAnswer::Allow { updates: prompt.suggestions.clone() },
            Some(at) if *at == words_at => instead(terminal).await,
            Some(_) | None => PermissionAnswer::Deny { message: None, interrupt: false },
        },
        UserAnswer::Text(_) | UserAnswer::Nothing => {
            PermissionAnswer::Deny { message: None, interrupt: false }
        }
        UserAnswer::Interrupted => PermissionAnswer::Deny { message: None, interrupt: true },
    }
}

/// Asks for the text that the model reads instead of a result.
async fn instead(terminal: &Terminal) -> PermissionAnswer {
    let head = format!("{}\n", styled(HEAD, "What should be done instead?"));
    match terminal.put(ToPut::words(head)).await {
        UserAnswer::Text(words) if !words.trim().is_empty() => {
            no(&format!("the user said no, and: {}", words.trim()))
        }
        UserAnswer::Interrupted => PermissionAnswer::Deny { message: None, interrupt: true },
        UserAnswer::Text(_) | UserAnswer::Chose(_) | UserAnswer::Nothing => {
            PermissionAnswer::Deny { message: None, interrupt: false }
        }
    }
}

fn no(why: &str) -> PermissionAnswer {
    PermissionAnswer::Deny { message: Some(why.to_owned()), interrupt: false }
}
