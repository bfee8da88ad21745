//! A request to the small fast model about the last exchange.
//!
//! The request contains text of the user and the model, and the answer is only displayed: it decides nothing.

use super::session::EndTasks;
use crate::turn::MainTurn;
use becket_llm::{Block, Message, Request, Role, Thinking};

/// The maximum text of each side, in characters.
const READ: usize = 2_000;
/// The maximum number of tokens of a one-line answer.
const TOKENS: u32 = 64;

/// Returns the last text of the user.
pub(super) fn last_user_text(turn: &MainTurn) -> Option<String> {
    let text = |message: &Message| {
        let words: Vec<&str> = message.content.iter().filter_map(Block::as_text).collect();
        // Texts of hooks and of the host are in reminders.
        let own: Vec<&str> =
            words.into_iter().filter(|text| !text.starts_with("<system-reminder>")).collect();
        Some(own.join("\n")).filter(|text| !text.trim().is_empty())
    };
    turn.at.messages.iter().rev().filter(|message| message.role == Role::User).find_map(text)
}

/// Returns the model's answer on one line, of at most `longest` characters.
///
/// # Errors
/// Errors if there is no such model, or it gives no answer.
pub(super) async fn one_line_answer(
    tasks: &EndTasks,
    turn: &MainTurn,
    task: &str,
    most: usize,
) -> Result<Option<String>, String> {
    Ok(one_line(&answered(tasks, turn, task, TOKENS).await?, most))
}

/// Returns the model's answer, limited to this number of tokens; its cost is added to the session's.
///
/// # Errors
/// Errors like [`one_line_answer`].
pub(super) async fn answered(
    tasks: &EndTasks,
    turn: &MainTurn,
    task: &str,
    tokens: u32,
) -> Result<String, String> {
    let user = cut(&last_user_text(turn).unwrap_or_default());
    let exchange = format!("The user said:\n{user}\n\nThe assistant answered:\n{}", cut(&turn.at.text));
    answer_about(tasks, task, &exchange, tokens).await
}

/// Returns the model's answer to a task about a text; its cost is added to the session's.
///
/// # Errors
/// Errors like [`one_line_answer`].
pub(super) async fn answer_about(
    tasks: &EndTasks,
    task: &str,
    text: &str,
    tokens: u32,
) -> Result<String, String> {
    if tasks.agent().is_some_and(|agent| agent.is_budget_spent()) {
        return Err("the session may spend no more money".to_owned());
    }
    let model = tasks.models.model(None).map_err(|error| error.to_string())?;
    let request = Request {
        system: Some(task.to_owned()),
        max_tokens: tokens,
        thinking: Thinking::Off,
        ..Request::user(text.to_owned())
    };
    let response = model.respond(&request).await.map_err(|error| error.to_string())?;
    if let Some(agent) = tasks.agent() {
        agent.also_spent(&*model, response.usage);
    }
    Ok(response.text())
}

/// Returns the first line of a text, without surrounding quotes; `None` if it is empty or too long.
pub(super) fn one_line(text: &str, most: usize) -> Option<String> {
    let line = text.trim().lines().next().unwrap_or_default();
    let line = line.trim().trim_matches(['"', '\'', '`', '*', '#']).trim();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    Some(line).filter(|line| !line.is_empty() && line.chars().count() <= most)
}

fn cut(text: &str) -> String {
    text.chars().take(READ).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_short_line_or_none() {
        for (text, expected) in [
            (" \"Mending the till\"\nbecause…", Some("Mending the till")),
            ("# Title\u{1b}[2J", Some("Title[2J")),
            ("", None),
            ("\"\"", None),
            ("far too long to be one", None),
        ] {
            assert_eq!(one_line(text, 20).as_deref(), expected, "{text}");
        }
    }
}
