//! One run, as `fire` shows it: the fields of all handlers, and those of its kind.

use super::failing;
use super::hook::Hook;
use becket_base::secret::is_secret_variable;
use becket_engine::handler::Action;
use becket_engine::{Answer, AnsweredQuestion, Engine, ModelUse, Run};
use becket_model::{Decision, Event, Failure, ObservedAnswer};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

/// The number of characters of an answer that are shown.
const EXCERPT: usize = 500;

/// One run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// The handler.
    #[serde(flatten)]
    pub hook: Hook,
    /// `success`, `blocked`, `error` or `cancelled`.
    pub status: &'static str,
    /// Its exit code, if the process was not killed.
    pub exit: Option<i32>,
    /// Its run time in milliseconds.
    pub elapsed_ms: f64,
    /// Its mode, if its answer did not count: `observe` or `warn`.
    pub mode: Option<&'static str>,
    /// The effect that its answer would have had: `deny`, `block`, `stop`, `defer`, `ask`, `allow`, `fail`, `rewrite` or
    /// `answer`.
    pub would: Option<&'static str>,
    /// Its decision, in one word.
    pub decision: Option<&'static str>,
    /// The reason.
    pub reason: Option<String>,
    /// The reason why its answer can't be used, or its error.
    pub failure: Option<String>,
    /// The failure without the content of `last_lines`.
    #[serde(skip)]
    pub headline: Option<String>,
    /// Its refusal that was not read, and the reason why.
    #[serde(skip)]
    pub lost_refusal: Option<String>,
    /// Advice if its exit code is an error and was perhaps meant to block.
    pub advice: Option<String>,
    /// The last lines that it printed, if it ended with an error.
    pub last_lines: Vec<String>,
    /// True if the action was not checked: the hook failed so, or its refusal was not read.
    pub unchecked: bool,
    /// Warnings for its author.
    pub warnings: Vec<String>,
    /// True if it added context for the model.
    pub gave_context: bool,
    /// True if it continues in the background: then it decided nothing.
    pub in_background: bool,
    /// Its questions to the user, in the order of the answers.
    pub questions: Vec<QuestionReport>,
    /// The usage of its model.
    pub model: Option<Model>,
    /// The start of the answer of a server, a tool or a model.
    pub answer: Option<String>,
    /// True if it ran again on an input that another hook had rewritten.
    pub second_look: bool,
    /// The input and output of its process, if requested.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

/// The input and output of a hook's process.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Process {
    /// Its input on stdin.
    pub input: Option<String>,
    /// Its variables in addition to those of Becket's own environment; possible secrets are `***`.
    pub environment: BTreeMap<String, String>,
    /// Its stdout, up to the cap.
    pub stdout: String,
    /// Its stderr, up to the cap.
    pub stderr: String,
}

/// A question and its answer.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct QuestionReport {
    /// The hook's name for it.
    pub id: String,
    /// The question.
    pub message: String,
    /// The key that was returned to the hook; `None` if none was selected.
    pub selected: Option<String>,
    /// The outcome: `selected`, `none_chosen`, `nobody`, `not_offered`, `failed`, `withdrawn` or `refused`.
    pub outcome: &'static str,
}

/// The usage of a model.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Model {
    /// Its name.
    pub name: String,
    /// The number of requests that were sent.
    pub requests: u32,
    /// The input tokens, without those from the provider's cache.
    pub input_tokens: u64,
    /// The output tokens.
    pub output_tokens: u64,
    /// The cost in US dollars, if the price is known.
    pub cost_usd: Option<f64>,
    /// True if an earlier verdict was reused, so that nothing was sent.
    pub from_cache: bool,
}

impl RunReport {
    /// Converts a run.
    pub fn new(run: &Run) -> Self {
        let decision = run.reply.decision.as_ref();
        RunReport {
            hook: Hook::from(&*run.handler),
            status: run.status.as_str(),
            exit: run.exit,
            elapsed_ms: ms(run.elapsed),
            mode: run.withheld.as_ref().map(|withheld| withheld.enforcement.as_str()),
            would: observed(run).map(|observed| observed.effect.as_str()),
            decision: decision.map(Decision::as_str),
            reason: decision
                .and_then(|made| Some(made.reason()?.into_owned()))
                .or_else(|| observed(run)?.reason.clone()),
            failure: run.failure.as_ref().map(Failure::to_string),
            headline: run.failure.as_ref().map(failing::headline),
            lost_refusal: run.reply.lost_refusal().map(|notice| notice.text.clone()),
            advice: failing::advice(
                run.handler.event.spec(),
                run.failure.as_ref(),
                run.handler.place.on_failure,
            ),
            last_lines: failing::last_lines(run.failure.as_ref(), &run.stdout, &run.stderr),
            unchecked: run.is_unchecked(),
            warnings: run.warnings.clone(),
            gave_context: !run.reply.context.is_empty(),
            in_background: run.background.is_some(),
            questions: run.questions.iter().map(QuestionReport::from).collect(),
            model: run.usage.as_deref().map(Model::from),
            answer: answer(run),
            second_look: run.second_look,
            process: None,
        }
    }

    /// Adds the input and output of its process.
    pub fn with_process(self, run: &Run, engine: &Engine, event: &Event) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let shown = |(name, value): (OsString, OsString)| {
            let name = name.to_string_lossy().into_owned();
            let value =
                if is_secret(&name) { "***".to_owned() } else { value.to_string_lossy().into_owned() };
            (name, value)
        };
        let process = Process {
            input: run.input.as_ref().map(|input| text(input.trim_ascii_end())),
            environment: engine.host().added_variables(event, &run.handler).into_iter().map(shown).collect(),
            stdout: text(&run.stdout),
            stderr: text(&run.stderr),
        };
        RunReport { process: Some(process), ..self }
    }
}

/// Returns whether the value of a variable is not shown: a secret, or an option of a plugin, which may be one.
fn is_secret(name: &str) -> bool {
    is_secret_variable(name) || name.to_ascii_uppercase().contains("PLUGIN_OPTION")
}

/// Returns milliseconds, rounded to two decimal places.
pub(super) fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}

fn observed(run: &Run) -> Option<&ObservedAnswer> {
    run.withheld.as_ref()?.observed.as_ref()
}

impl From<&AnsweredQuestion> for QuestionReport {
    fn from(answered: &AnsweredQuestion) -> Self {
        QuestionReport {
            id: answered.id.clone(),
            message: answered.message.clone(),
            selected: answered.answer.selected().map(str::to_owned),
            outcome: match &answered.answer {
                Answer::Selected(_) => "selected",
                Answer::NoneChosen => "none_chosen",
                Answer::Nobody => "nobody",
                Answer::NotOffered(_) => "not_offered",
                Answer::Failed(_) => "failed",
                Answer::Withdrawn => "withdrawn",
                Answer::Refused(_) => "refused",
            },
        }
    }
}

impl From<&ModelUse> for Model {
    fn from(used: &ModelUse) -> Self {
        Model {
            name: used.model.clone(),
            requests: used.requests,
            input_tokens: used.usage.input_tokens,
            output_tokens: used.usage.output_tokens,
            cost_usd: used.cost_usd,
            from_cache: used.from_cache,
        }
    }
}

/// Returns the answer that arrived over a network: a command's own output is not repeated here.
fn answer(run: &Run) -> Option<String> {
    match run.handler.action {
        Action::Command(_) | Action::Callback(_) => None,
        Action::Http(_) | Action::McpTool(_) | Action::Prompt(_) | Action::Agent(_) => {
            let text = String::from_utf8_lossy(&run.stdout);
            let short: String = text.trim().chars().take(EXCERPT).collect();
            (!short.is_empty()).then_some(short)
        }
    }
}
