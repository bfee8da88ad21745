//! The user at the terminal, who is asked whether a tool may be called.
//!
//! INVARIANT: only an explicit yes counts as one.

use super::Person;
use crate::report::style::one_line;
use becket_agent::tool_call::{AskPermission, PermissionAnswer, PermissionPrompt};
use becket_engine::{AskUser, CancellationToken, Choice, Question};
use std::future::Future;
use std::pin::Pin;

/// The number of characters of an input that are shown.
const SHOWN: usize = 1_000;
const YES: &str = "yes";
const NO: &str = "no";

impl AskPermission for Person {
    fn ask<'a>(
        &'a self,
        prompt: &'a PermissionPrompt,
        cancel: &'a CancellationToken,
    ) -> Pin<Box<dyn Future<Output = PermissionAnswer> + Send + 'a>> {
        Box::pin(async move {
            let question = question(prompt);
            match AskUser::ask(self, &question, cancel).await.as_deref() {
                Some(YES) => PermissionAnswer::Allow { updates: Vec::new() },
                Some(_) | None => PermissionAnswer::Deny { message: None, interrupt: false },
            }
        })
    }
}

fn question(prompt: &PermissionPrompt) -> Question {
    let input = serde_json::to_string(&prompt.input).unwrap_or_default();
    let choice =
        |key: &str, label: &str| Choice { key: key.to_owned(), label: label.to_owned(), description: None };
    Question {
        id: "permission".to_owned(),
        message: format!("{}\n{} {}", prompt.because, prompt.tool, one_line(&input, SHOWN)),
        options: vec![choice(NO, "do not call it"), choice(YES, "call it once")],
        asked_by: "becket".to_owned(),
    }
}
