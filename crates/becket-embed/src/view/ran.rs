//! One run, as `fire` shows it: what every kind of handler has, and what its own kind has.

use super::hook::Hook;
use becket_engine::handler::Action;
use becket_engine::{Answer, Answered, ModelUse, Run};
use becket_model::{Decision, Failure, RequestDecision};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// How much of an answer is shown, in characters.
const EXCERPT: usize = 500;

/// One run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ran {
    /// The handler.
    #[serde(flatten)]
    pub hook: Hook,
    /// `success`, `blocked`, `error` or `cancelled`.
    pub status: &'static str,
    /// Its exit code, where a process ended by itself.
    pub exit: Option<i32>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: f64,
    /// What it decided, in one word.
    pub decision: Option<&'static str>,
    /// Why.
    pub reason: Option<String>,
    /// Why it gave no usable answer, or ended with an error.
    pub failure: Option<String>,
    /// Whether what it guards went unchecked because of that.
    pub unchecked: bool,
    /// What its author should know.
    pub warnings: Vec<String>,
    /// Whether it gave the model context.
    pub gave_context: bool,
    /// Whether it goes on in the background: then it decided nothing.
    pub in_background: bool,
    /// What it asked the user, in the order of the answers.
    pub questions: Vec<Asked>,
    /// What its model took.
    pub model: Option<Model>,
    /// What a server, a tool or a model answered: the beginning.
    pub answer: Option<String>,
    /// Whether it looked at an input that another hook had rewritten.
    pub second_look: bool,
}

/// A question and its answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Asked {
    /// The hook's name for it.
    pub id: String,
    /// What was asked.
    pub message: String,
    /// The key that the hook was told; nothing where none was chosen.
    pub selected: Option<String>,
    /// What became of it: `selected`, `none_chosen`, `nobody`, `not_offered`, `failed`, `withdrawn` or `refused`.
    pub outcome: &'static str,
}

/// What a model took.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// How many requests were sent.
    pub requests: u32,
    /// What was read, without what came from the provider's cache.
    pub input_tokens: u64,
    /// What was written.
    pub output_tokens: u64,
    /// What it cost in US dollars, where the price is known.
    pub cost_usd: Option<f64>,
    /// Whether an earlier verdict was used, so that nothing was sent.
    pub from_cache: bool,
}

impl Ran {
    /// Reads a run.
    pub fn new(run: &Run) -> Self {
        let decision = run.reply.decision.as_ref();
        Ran {
            hook: Hook::from(&*run.handler),
            status: run.status.as_str(),
            exit: run.exit,
            elapsed_ms: ms(run.elapsed),
            decision: decision.map(word),
            reason: decision.and_then(reason),
            failure: run.failure.as_ref().map(Failure::to_string),
            unchecked: run.failure.as_ref().is_some_and(Failure::is_unchecked),
            warnings: run.warnings.clone(),
            gave_context: !run.reply.context.is_empty(),
            in_background: run.background.is_some(),
            questions: run.questions.iter().map(Asked::from).collect(),
            model: run.usage.as_deref().map(Model::from),
            answer: answer(run),
            second_look: run.second_look,
        }
    }
}

/// Milliseconds, with two places.
pub(super) fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}

fn word(decision: &Decision) -> &'static str {
    match decision {
        Decision::Permission { decision, .. } => decision.as_str(),
        Decision::Block { .. } => "block",
        Decision::PermissionRequest(RequestDecision::Allow { .. }) => "allow",
        Decision::PermissionRequest(RequestDecision::Deny { .. }) => "deny",
        Decision::Elicitation { action, .. } => action.as_str(),
        Decision::Worktree(_) => "created",
    }
}

fn reason(decision: &Decision) -> Option<String> {
    match decision {
        Decision::Permission { reason, .. } => reason.clone(),
        Decision::Block { reason, .. } => Some(reason.clone()),
        Decision::PermissionRequest(RequestDecision::Deny { message, .. }) => message.clone(),
        Decision::PermissionRequest(RequestDecision::Allow { .. }) | Decision::Elicitation { .. } => None,
        Decision::Worktree(path) => Some(path.display().to_string()),
    }
}

impl From<&Answered> for Asked {
    fn from(answered: &Answered) -> Self {
        Asked {
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

/// What came back over a wire: a command's own output is its author's affair.
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
