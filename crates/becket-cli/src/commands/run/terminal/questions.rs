//! The questions of a model to its user (D3): one after the other, each with an option for a custom answer.

use super::handle::{AnswerKind, Terminal, ToPut, UserAnswer};
use crate::report::style::{HEAD, SOURCE, one_line, styled};
use crate::wrap::block;
use becket_agent::tool_call::PermissionPrompt;
use becket_agent::{ModelOption, ModelQuestion};
use serde_json::{Map, Value};

/// The tool for questions.
pub(super) const ASKS: &str = "AskUserQuestion";
/// The option that is always present.
const ELSE: &str = "something else";

/// Returns the questions of a call, if it asks any.
pub(super) fn of(prompt: &PermissionPrompt) -> Option<Vec<ModelQuestion>> {
    if prompt.tool != ASKS {
        return None;
    }
    Some(ModelQuestion::of_call(&prompt.input)).filter(|questions| !questions.is_empty())
}

/// Asks the user; returns `None` if a question gets no answer.
pub(super) async fn ask(terminal: &Terminal, questions: &[ModelQuestion]) -> Option<Map<String, Value>> {
    let mut answers = Map::new();
    for question in questions {
        let answer = answer(terminal, question).await?;
        answers.insert(question.question.clone(), Value::String(answer));
    }
    Some(answers)
}

async fn answer(terminal: &Terminal, question: &ModelQuestion) -> Option<String> {
    let head = format!(
        "{} {}\n{}",
        styled(HEAD, "the model asks:"),
        styled(SOURCE, &one_line(&question.header, 100)),
        block(&question.question, 2)
    );
    let shown = |option: &ModelOption| format!("{}  ({})", option.label, option.description);
    let mut options: Vec<String> = question.options.iter().map(shown).collect();
    options.push(ELSE.to_owned());
    let wants = match question.multi_select {
        true => AnswerKind::Several(options, Vec::new()),
        false => AnswerKind::One(options),
    };
    let UserAnswer::Chose(places) = terminal.put(ToPut::new(head, wants)).await else { return None };
    let chosen = places.iter().filter_map(|at| question.options.get(*at));
    let mut words: Vec<String> = chosen.map(|option| option.label.clone()).collect();
    if places.contains(&question.options.len()) {
        words.push(own_words(terminal).await?);
    }
    (!words.is_empty()).then(|| words.join(", "))
}

async fn own_words(terminal: &Terminal) -> Option<String> {
    let head = format!("{}\n", styled(HEAD, "In your words:"));
    match terminal.put(ToPut::words(head)).await {
        UserAnswer::Text(words) if !words.trim().is_empty() => Some(words.trim().to_owned()),
        UserAnswer::Text(_) | UserAnswer::Chose(_) | UserAnswer::Nothing | UserAnswer::Interrupted => None,
    }
}
