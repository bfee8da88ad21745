//! AskUserQuestion: questions of the model that only a person can answer.
//!
//! The answer comes from the host's user, or from a hook that answers for the user (`protocol.md` D3), never from the
//! model. A question without an answer is a failure, not a guess.

use becket_engine::{CancellationToken, Hints, RunningCall, Tool, ToolFailure, ToolOutput, catch_panic};
use becket_llm::ToolSpec;
use becket_tools::schema::{Field, Kind, Spec, optional, required};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// A person who can be asked a model's questions. Only unanswered questions are asked.
pub trait AskQuestions: Send + Sync {
    /// Returns the answers by the text of their question; several choices are one text, joined by `, `. `None` means
    /// that the person does not want to answer. `cancel` is cancelled once the caller has gone; the future is dropped
    /// at the same moment.
    fn ask<'a>(
        &'a self,
        questions: &'a [ModelQuestion],
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Map<String, Value>>>;
}

impl AskQuestions for Arc<dyn AskQuestions> {
    fn ask<'a>(
        &'a self,
        questions: &'a [ModelQuestion],
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<Map<String, Value>>> {
        (**self).ask(questions, cancel)
    }
}

/// A question in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelQuestion {
    /// The text of the question, which is unique in its call.
    pub question: String,
    /// A short label for the question.
    pub header: String,
    /// The options to choose from; a person may always give another answer.
    pub options: Vec<ModelOption>,
    /// Set if several options may be chosen.
    pub multi_select: bool,
}

impl ModelQuestion {
    /// Returns the valid questions of a call, from its input.
    pub fn of_call(input: &Map<String, Value>) -> Vec<ModelQuestion> {
        let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let option = |value: &Value| ModelOption {
            label: text(value, "label"),
            description: text(value, "description"),
        };
        let question = |value: &Value| ModelQuestion {
            question: text(value, "question"),
            header: text(value, "header"),
            options: list(value.get("options")).iter().map(option).collect(),
            multi_select: value["multiSelect"].as_bool().unwrap_or(false),
        };
        list(input.get("questions")).iter().map(question).collect()
    }
}

/// An option of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelOption {
    /// The text of the option.
    pub label: String,
    /// The meaning of the option.
    pub description: String,
}

/// The format of the previews of options, which a host shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewFormat {
    /// Markdown, or a drawing in plain characters.
    Markdown,
    /// A fragment of HTML.
    Html,
}

impl PreviewFormat {
    /// Returns the format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "markdown" => Some(Self::Markdown),
            "html" => Some(Self::Html),
            _ => None,
        }
    }
}

/// The tool by which a session's model asks the user questions.
#[derive(Clone, Default)]
pub struct AskUserQuestion {
    user: Option<Arc<dyn AskQuestions>>,
    previews: Option<PreviewFormat>,
}

/// The input of the tool with one form of options.
struct QuestionForm {
    /// The fields for the model.
    offered: &'static [Field],
    /// The accepted fields: hooks and the person add answers to the questions.
    taken: &'static [Field],
}

static WITHOUT_PREVIEWS: QuestionForm = QuestionForm { offered: &[QUESTIONS], taken: &[QUESTIONS, ANSWERS] };
static WITH_MARKDOWN: QuestionForm =
    QuestionForm { offered: &[MARKDOWN_QUESTIONS], taken: &[MARKDOWN_QUESTIONS, ANSWERS] };
static WITH_HTML: QuestionForm =
    QuestionForm { offered: &[HTML_QUESTIONS], taken: &[HTML_QUESTIONS, ANSWERS] };

const fn spec(fields: &'static [Field]) -> Spec {
    Spec { name: NAME, description: DESCRIPTION, fields }
}

const NAME: &str = "AskUserQuestion";
const DESCRIPTION: &str = "Asks the user one to four questions, where a choice is the user's to make and the work can't go \
    on without it. Each has two to four options; the user may also answer something else.";
const QUESTIONS: Field = questions(&QUESTION);
const MARKDOWN_QUESTIONS: Field = questions(&MARKDOWN_QUESTION);
const HTML_QUESTIONS: Field = questions(&HTML_QUESTION);
const ANSWERS: Field = optional("answers", Kind::ByName, "The answers, by the text of the question");

static QUESTION: [Field; 4] = question(&OPTION);
static MARKDOWN_QUESTION: [Field; 4] = question(&MARKDOWN_OPTION);
static HTML_QUESTION: [Field; 4] = question(&HTML_OPTION);
static OPTION: [Field; 2] = [LABEL, MEANING];
static MARKDOWN_OPTION: [Field; 3] = [
    LABEL,
    MEANING,
    optional("preview", Kind::Text, "A sketch of the choice for comparison, in Markdown or plain characters"),
];
static HTML_OPTION: [Field; 3] = [
    LABEL,
    MEANING,
    optional(
        "preview",
        Kind::Text,
        "A sketch of the choice for comparison: a fragment of HTML that needs nothing else, without scripts",
    ),
];
const LABEL: Field = required("label", Kind::Text, "The choice, in one to five words");
const MEANING: Field = required("description", Kind::Text, "What it means");

const fn questions(of: &'static [Field]) -> Field {
    required("questions", Kind::List(of, 1, 4), "The questions")
}

const fn question(options: &'static [Field]) -> [Field; 4] {
    [
        required("question", Kind::Text, "The whole question"),
        required("header", Kind::Text, "A word or two for it"),
        required("options", Kind::List(options, 2, 4), "What may be chosen"),
        optional("multiSelect", Kind::Flag, "Whether several may be chosen; false where it is left out"),
    ]
}

impl AskUserQuestion {
    /// Creates the tool without a user: only hooks answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the user. One who already answers permission prompts ([`crate::tool_call::PermissionAnswer::Answered`]) is
    /// asked here only if a rule lets the call pass without a prompt.
    #[must_use]
    pub fn with_user(mut self, user: impl AskQuestions + 'static) -> Self {
        self.user = Some(Arc::new(user));
        self
    }

    /// Lets options have previews, which the host shows. Default: none have.
    #[must_use]
    pub fn with_previews(mut self, format: PreviewFormat) -> Self {
        self.previews = Some(format);
        self
    }

    fn form(&self) -> &'static QuestionForm {
        match self.previews {
            None => &WITHOUT_PREVIEWS,
            Some(PreviewFormat::Markdown) => &WITH_MARKDOWN,
            Some(PreviewFormat::Html) => &WITH_HTML,
        }
    }

    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let questions = ModelQuestion::of_call(running.input);
        let mut answers = provided_answers(running);
        let open: Vec<ModelQuestion> =
            questions.iter().filter(|question| !is_answered(&answers, &question.question)).cloned().collect();
        if !open.is_empty() {
            answers.extend(self.ask(&open, running.cancel).await?);
        }
        if let Some(unanswered) = questions.iter().find(|question| !is_answered(&answers, &question.question))
        {
            return Err(ToolFailure::new(format!("the user has not answered `{}`", unanswered.question)));
        }
        answers.retain(|name, _| questions.iter().any(|question| question.question == *name));
        let response = json!({"questions": running.input.get("questions"), "answers": answers});
        Ok(ToolOutput::text(text(&response).unwrap_or_default(), response))
    }

    async fn ask(
        &self,
        open: &[ModelQuestion],
        cancel: &CancellationToken,
    ) -> Result<Map<String, Value>, ToolFailure> {
        let Some(user) = &self.user else {
            return Err(ToolFailure::new("there is no user to ask here: go on without an answer, or stop"));
        };
        let asking = catch_panic(async { user.ask(open, cancel).await });
        let answers = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            answers = asking => answers
                .map_err(|panic| ToolFailure::new(format!("the host's code for asking panicked: {panic}")))?,
        };
        answers.ok_or_else(|| {
            ToolFailure::new("the user does not want to answer").interrupted(cancel.is_cancelled())
        })
    }
}

/// Returns the answers that came with the input. Answers that the model has written itself don't count, even next to
/// those that a hook has added.
fn provided_answers(running: RunningCall<'_>) -> Map<String, Value> {
    let answers = |input: &Map<String, Value>| input.get("answers").and_then(Value::as_object).cloned();
    let own = answers(running.own).unwrap_or_default();
    let provided = answers(running.input).unwrap_or_default();
    provided.into_iter().filter(|(question, answer)| own.get(question) != Some(answer)).collect()
}

fn is_answered(answers: &Map<String, Value>, question: &str) -> bool {
    answers.get(question).and_then(answer_text).is_some_and(|text| !text.trim().is_empty())
}

/// Returns an answer as one text.
fn answer_text(answer: &Value) -> Option<String> {
    match answer {
        Value::String(text) => Some(text.clone()),
        Value::Array(texts) => {
            let texts: Option<Vec<&str>> = texts.iter().map(Value::as_str).collect();
            Some(texts?.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Returns the text for the model.
fn text(response: &Value) -> Option<String> {
    let answers = response.get("answers")?.as_object()?;
    response.get("questions")?.as_array()?;
    let mut lines = vec!["The user answered:".to_owned()];
    for (question, answer) in answers {
        lines.push(format!("- {question} → {}", answer_text(answer)?));
    }
    Some(lines.join("\n"))
}

/// Checks rules that the schema can't express: questions are unique, and answers belong to them.
fn check(input: &Map<String, Value>) -> Result<(), String> {
    let questions = ModelQuestion::of_call(input);
    let mut texts = HashSet::new();
    if let Some(twice) = questions.iter().find(|question| !texts.insert(question.question.as_str())) {
        return Err(format!("`questions` has `{}` twice: ask it once", twice.question));
    }
    for question in &questions {
        let mut labels = HashSet::new();
        if let Some(twice) = question.options.iter().find(|option| !labels.insert(option.label.as_str())) {
            return Err(format!("`options` of `{}` has `{}` twice", question.question, twice.label));
        }
        if question.question.trim().is_empty() {
            return Err("`question` is empty: write one".to_owned());
        }
    }
    let answers = input.get("answers").and_then(Value::as_object);
    let stray = answers.and_then(|answers| answers.keys().find(|name| !texts.contains(name.as_str())));
    stray.map_or(Ok(()), |name| {
        Err(format!("`answers` has an answer to `{}`, which is not asked", becket_tools::schema::brief(name)))
    })
}

impl Tool for AskUserQuestion {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> ToolSpec {
        spec(self.form().offered).for_model()
    }

    fn hints(&self) -> Hints {
        Hints { read_only: true, destructive: false, open_world: false, together: false }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        spec(self.form().taken).validate(input)?;
        check(input)
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = text(value).ok_or("it does not have the shape of the output of `AskUserQuestion`")?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        // No time limit: a person may take as long as needed.
        Box::pin(self.answer(running))
    }
}
