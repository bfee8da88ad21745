//! The questions of MCP servers (X6): a form, field by field with its current values, or a visit to an address.
//!
//! INVARIANT: the requesting server is named. An address is shown in full, with its host and its warnings, and is not
//! opened: the user opens it.

use super::handle::{AnswerKind, Terminal, ToPut, UserAnswer};
use crate::report::style::{FAINT, HEAD, WARNING, one_line, plain, styled};
use crate::wrap::block;
use becket_agent::elicit::{ElicitationRequest, UserQuestion};
use becket_mcp::ElicitationAnswer;
use becket_mcp::elicitation::{Address, Caution, Field, FieldKind, Form};
use serde_json::{Map, Value};

/// The number of characters of a name that are shown.
const NAME: usize = 100;
/// The number of characters of a validation error that are shown.
const LONG: usize = 400;

/// Returns the type of a request in notifications to hooks.
pub(super) fn notified(wanted: &ElicitationRequest) -> &'static str {
    match wanted {
        ElicitationRequest::Form(_) => "elicitation_dialog",
        ElicitationRequest::Visit(_) => "elicitation_url_dialog",
    }
}

/// Asks the user.
pub(super) async fn ask(terminal: &Terminal, question: &UserQuestion) -> ElicitationAnswer {
    let mut head = format!(
        "{}\n  {}\n",
        styled(HEAD, &format!("the server `{}` asks", one_line(&question.server, NAME))),
        plain(question.message.trim_end()).replace('\n', "\n    ")
    );
    for wrong in &question.wrong {
        head.push_str(&format!(
            "  {} {}\n",
            styled(WARNING, "not as it should be:"),
            one_line(&wrong.to_string(), LONG)
        ));
    }
    let yes = match &question.wanted {
        ElicitationRequest::Form(_) => "fill it in",
        ElicitationRequest::Visit(address) => {
            head.push_str(&shown(address));
            "I have opened it"
        }
    };
    let options = [yes, "decline"].map(str::to_owned).to_vec();
    match (terminal.put(ToPut::new(head, AnswerKind::One(options))).await, &question.wanted) {
        (UserAnswer::Chose(places), ElicitationRequest::Form(form)) if places == [0] => {
            filled(terminal, form).await
        }
        (UserAnswer::Chose(places), ElicitationRequest::Visit(_)) if places == [0] => {
            ElicitationAnswer::Accept(Map::new())
        }
        (UserAnswer::Chose(_), _) => ElicitationAnswer::Decline,
        (UserAnswer::Text(_) | UserAnswer::Nothing | UserAnswer::Interrupted, _) => ElicitationAnswer::Cancel,
    }
}

fn shown(address: &Address) -> String {
    let mut text =
        format!("  {}\n  {} {}\n", plain(address.url()), styled(FAINT, "at"), plain(address.host()));
    for caution in address.cautions() {
        text.push_str(&format!("  {} {}\n", styled(WARNING, "careful:"), caution_text(*caution)));
    }
    text
}

fn caution_text(caution: Caution) -> &'static str {
    match caution {
        Caution::NotEncrypted => "the connection can be read and changed by others",
        Caution::OtherLetters => "a part of the host's name may look like another name",
        Caution::BeforeTheHost => "the part before the host may look like the host",
        Caution::Number => "the host is a number",
    }
}

/// Asks field by field; nothing is sent if the user stops halfway.
async fn filled(terminal: &Terminal, form: &Form) -> ElicitationAnswer {
    let mut content = Map::new();
    for field in &form.fields {
        match value(terminal, form, field).await {
            FieldInput::Is(value) => drop(content.insert(field.name.clone(), value)),
            FieldInput::LeftOut => {}
            FieldInput::Stopped => return ElicitationAnswer::Cancel,
        }
    }
    ElicitationAnswer::Accept(content)
}

/// The input for a field.
enum FieldInput {
    Is(Value),
    LeftOut,
    Stopped,
}

async fn value(terminal: &Terminal, form: &Form, field: &Field) -> FieldInput {
    let mut wrong = None;
    loop {
        let put = ToPut { head: head(field, wrong.as_deref()).into(), wants: wants(field), follows: true };
        let value = match terminal.put(put).await {
            UserAnswer::Nothing | UserAnswer::Interrupted => return FieldInput::Stopped,
            UserAnswer::Chose(places) => chosen(field, &places),
            UserAnswer::Text(words) if words.is_empty() && !field.required => return FieldInput::LeftOut,
            UserAnswer::Text(words) => match field.typed(&words) {
                Ok(value) => value,
                Err(error) => {
                    wrong = Some(error.to_string());
                    continue;
                }
            },
        };
        match fault(form, field, &value) {
            Some(why) => wrong = Some(why),
            None => return FieldInput::Is(value),
        }
    }
}

fn head(field: &Field, wrong: Option<&str>) -> String {
    let title = field.title.as_deref().unwrap_or(&field.name);
    let needed = if field.required { "needed" } else { "may be left out" };
    let title = one_line(title, NAME);
    let mut head = format!("{} {}\n", styled(HEAD, &title), styled(FAINT, &format!("({needed})")));
    if let Some(description) = &field.description {
        head.push_str(&block(description, 2));
    }
    if let Some(wrong) = wrong {
        head.push_str(&format!("  {} {}\n", styled(WARNING, "not as it should be:"), one_line(wrong, LONG)));
    }
    head
}

fn wants(field: &Field) -> AnswerKind {
    let default = field.default.as_ref();
    match &field.kind {
        FieldKind::Text { .. } | FieldKind::Number { .. } => {
            let words = default.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            AnswerKind::Text(words.unwrap_or_default())
        }
        FieldKind::Boolean => {
            let options = ["yes", "no"].map(str::to_owned).to_vec();
            AnswerKind::OneFrom(options, usize::from(default == Some(&Value::Bool(false))))
        }
        FieldKind::One(choices) => {
            let at = choices.iter().position(|choice| default.and_then(Value::as_str) == Some(&choice.value));
            AnswerKind::OneFrom(choices.iter().map(|choice| choice.title.clone()).collect(), at.unwrap_or(0))
        }
        FieldKind::Many { choices, .. } => {
            let given: Vec<&str> =
                default.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
            let is_given = |(at, choice): (usize, &becket_mcp::elicitation::Choice)| {
                given.contains(&choice.value.as_str()).then_some(at)
            };
            let places = choices.iter().enumerate().filter_map(is_given).collect();
            AnswerKind::Several(choices.iter().map(|choice| choice.title.clone()).collect(), places)
        }
    }
}

fn chosen(field: &Field, places: &[usize]) -> Value {
    let first = places.first().copied().unwrap_or_default();
    match &field.kind {
        FieldKind::Boolean => Value::Bool(first == 0),
        FieldKind::One(choices) => {
            choices.get(first).map_or(Value::Null, |choice| Value::String(choice.value.clone()))
        }
        FieldKind::Many { choices, .. } => places
            .iter()
            .filter_map(|at| choices.get(*at))
            .map(|choice| Value::String(choice.value.clone()))
            .collect(),
        FieldKind::Text { .. } | FieldKind::Number { .. } => Value::Null,
    }
}

/// Returns the validation error of one field; servers' regular expressions are evaluated by the receiver of the answer.
fn fault(form: &Form, field: &Field, value: &Value) -> Option<String> {
    let content = Map::from_iter([(field.name.clone(), value.clone())]);
    let wrong = form.validate(&content, &|_, _| None).err()?;
    wrong.into_iter().find(|wrong| wrong.field == field.name).map(|wrong| wrong.what)
}
