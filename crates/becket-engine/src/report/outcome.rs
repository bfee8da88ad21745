//! The outcome of a fired event: the verdict, the handlers that ran, and those that did not.

use crate::config::ChangedFiles;
use crate::config::handler::Handler;
use crate::host::questions::answer::AnsweredQuestion;
use crate::permission::decide::Settlement;
use crate::plan::Plan;
use crate::plan::tool_input;
use crate::report::background_id::BackgroundId;
use crate::report::model_use::ModelUse;
use crate::report::withheld_answer::WithheldAnswer;
use becket_model::table::DecisionModel;
use becket_model::{Event, EventKind, Failure, Reply, Verdict};
use bytes::Bytes;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The outcome of a fired event. [`Outcome::decision`] condenses it into one word.
#[derive(Debug, Clone)]
#[must_use = "an event whose outcome nobody reads is not guarded"]
#[non_exhaustive]
pub struct Outcome {
    /// The joint decision of the handlers.
    pub verdict: Arc<Verdict>,
    /// The settlement of a tool call by permission rules (D3); `None` on events that are not about permission.
    pub settlement: Option<Settlement>,
    /// Set if the call is denied only because the session has no person to ask (D3). A host that finds one after all
    /// may ask.
    pub nobody_to_ask: bool,
    /// The input of the tool call that the settlement is about.
    pub judged: EffectiveInput,
    /// Every run, in C6 order; runs on a rewritten input come after the others.
    pub runs: Vec<Arc<Run>>,
    /// The plan, with the reason for each handler that was skipped.
    pub plan: Plan,
    /// The files whose change the hooks of a ConfigChange have judged (C8).
    pub(crate) change: Option<Arc<ChangedFiles>>,
}

impl Outcome {
    /// Creates the outcome of an event for which nothing is configured. Made once per event, since most events end here
    /// (G4).
    pub(crate) fn silent(event: EventKind) -> Self {
        let verdict = Outcome::silent_verdict(event);
        let settlement = is_about_permission(event).then_some(Settlement::Undecided);
        Outcome {
            verdict,
            settlement,
            nobody_to_ask: false,
            judged: EffectiveInput::Nothing,
            runs: Vec::new(),
            plan: Plan::empty(event),
            change: None,
        }
    }

    /// Returns the verdict of an event without any answer.
    pub(crate) fn silent_verdict(event: EventKind) -> Arc<Verdict> {
        static SILENT: LazyLock<[Arc<Verdict>; EventKind::ALL.len()]> =
            LazyLock::new(|| EventKind::ALL.map(|event| Arc::new(Verdict::silent(event))));
        SILENT[event as usize].clone()
    }
}

/// The input of a tool call that hooks and rules have judged: a tool runs with this one and no other (D9).
#[derive(Debug, Clone, PartialEq)]
pub enum EffectiveInput {
    /// Nothing judged the call: nothing is configured for its event, or the event is not about permission.
    Nothing,
    /// The input that the event was fired with.
    AsFired,
    /// Another input: normalized (N3), or a hook's rewrite.
    Input(Map<String, Value>),
}

impl EffectiveInput {
    /// Converts the event as it was judged; an owned one differs from the event that was fired.
    pub(crate) fn of(event: Cow<'_, Event>) -> Self {
        match event {
            Cow::Borrowed(_) => EffectiveInput::AsFired,
            Cow::Owned(mut event) => tool_input::input_mut(&mut event.body)
                .map_or(EffectiveInput::AsFired, |input| EffectiveInput::Input(std::mem::take(input))),
        }
    }
}

/// Returns whether permission rules concern the event.
pub(crate) fn is_about_permission(event: EventKind) -> bool {
    matches!(event.spec().decision, DecisionModel::Permission | DecisionModel::PermissionRequest)
}

/// One handler's run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// The handler.
    pub handler: Arc<Handler>,
    /// The status of the run (H13).
    pub status: Status,
    /// Its answer.
    pub reply: Reply,
    /// The reason why it gave no usable answer, or ended with an error.
    pub failure: Option<Failure>,
    /// Its answer or failure, if it is observed: then it has neither of the two above (G5).
    pub withheld: Option<Box<WithheldAnswer>>,
    /// Warnings for its author: fields without effect, losing rewrites.
    pub warnings: Vec<String>,
    /// The exit code of its process; `None` if there was none.
    pub exit: Option<i32>,
    /// Its stdout, up to the cap.
    pub stdout: Bytes,
    /// Its stderr, up to the cap.
    pub stderr: Bytes,
    /// The text that it received on stdin or as the body of a request; `None` if that was the event itself.
    pub input: Option<Bytes>,
    /// The number of bytes printed, including those that were not kept.
    pub printed: OutputSizes,
    /// The time that it took.
    pub elapsed: Duration,
    /// The id under which it continues in the background, if it does (A1, A2): then it decided nothing.
    pub background: Option<BackgroundId>,
    /// Its questions to the user, with the answers, in the order of the answers (Q1).
    pub questions: Vec<AnsweredQuestion>,
    /// Set if it ran on an input that another hook had rewritten (D9).
    pub second_look: bool,
    /// The use of its model, for the kinds that ask one (H7, H8).
    pub usage: Option<Box<ModelUse>>,
}

impl Run {
    /// Returns whether it gave no usable answer, or ended with an error; in observation, too.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some() || self.withheld.as_ref().is_some_and(|withheld| withheld.failure.is_some())
    }

    /// Returns whether the action went unchecked: the run failed so, or a refusal was not read (O1, O10).
    pub fn is_unchecked(&self) -> bool {
        self.failure.as_ref().is_some_and(Failure::is_unchecked) || self.reply.lost_refusal().is_some()
    }

    /// Creates the run of a handler without an answer.
    pub(crate) fn silent(handler: Arc<Handler>, elapsed: Duration) -> Self {
        Run {
            handler,
            status: Status::Success,
            reply: Reply::default(),
            failure: None,
            withheld: None,
            warnings: Vec::new(),
            exit: None,
            stdout: Bytes::new(),
            stderr: Bytes::new(),
            input: None,
            printed: OutputSizes::default(),
            elapsed,
            background: None,
            questions: Vec::new(),
            second_look: false,
            usage: None,
        }
    }
}

/// The true sizes of a run's output in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub struct OutputSizes {
    pub stdout: u64,
    pub stderr: u64,
}

impl OutputSizes {
    pub(crate) fn of(finished: &becket_process::FinishedRun) -> Self {
        OutputSizes { stdout: finished.stdout.total, stderr: finished.stderr.total }
    }
}

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It answered, and blocks nothing.
    Success,
    /// It blocks something.
    Blocked,
    /// It gave no usable answer or ended with an error.
    Error,
    /// It ran out of time or was cancelled.
    Cancelled,
}

impl Status {
    /// Returns the word that reports print for this status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Success => "success",
            Status::Blocked => "blocked",
            Status::Error => "error",
            Status::Cancelled => "cancelled",
        }
    }
}
