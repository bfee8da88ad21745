//! The end of a call, and every message on the way.

use super::hook_log::HookLog;
use super::nested::NestedCalls;
use crate::hook_messages;
use becket_engine::{Outcome, ToolCall, ToolOutput};
use becket_llm::Block;
use becket_model::{Attributed, Stop};
use becket_rules::PermissionUpdate;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEnd {
    /// The tool answered.
    Done {
        /// Its answer, or what a hook put in its place.
        output: ToolOutput,
    },
    /// The tool was started and failed.
    Failed {
        /// For the model.
        error: String,
        /// Set if its own work was interrupted.
        interrupted: bool,
    },
    /// It was not run.
    Denied {
        /// Origin of the denial.
        by: DeniedBy,
        /// For the model.
        because: String,
    },
    /// A hook stopped the host before it ran (D6).
    Stopped {
        /// `stopReason`, or whose hook it was.
        because: String,
    },
    /// It waits for the session to be resumed (D10).
    Deferred,
    /// Not a valid call: no such tool, or not its input. No hook has seen it (L0).
    Invalid {
        /// For the model.
        error: String,
    },
    /// The caller no longer wants it.
    Cancelled {
        /// Set if the tool had been started; its effects until then are not undone.
        started: bool,
    },
}

/// Origin of a denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeniedBy {
    /// A PreToolUse or PermissionRequest hook, or one that was to speak and could not.
    Hook,
    /// A permission rule.
    Rule,
    /// The session's mode.
    Mode,
    /// A hook's rewrite, which the tool does not take.
    Rewrite,
    /// The person.
    Person,
    /// The classifier of the mode `auto` (P14).
    Classifier,
    /// A person had to be asked, and none answered.
    Nobody,
}

/// One call from its beginning to its end.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The call as the model made it: conversations keep this.
    pub call: ToolCall,
    /// Its end.
    pub ended: CallEnd,
    /// The input it ran with, or would have.
    pub input: Option<Map<String, Value>>,
    /// Run time of the tool, if it was started.
    pub took: Option<Duration>,
    /// Set if the turn ends, by a person or a PermissionRequest hook.
    pub interrupt: bool,
    /// Rule updates that came with a yes, for the host to apply (P13).
    pub updates: Vec<PermissionUpdate>,
    /// A note for the permission classifier (D11).
    pub classifier_context: Option<String>,
    /// Number of the classifier's denials that ends the turn, without a person to see them (P14).
    pub denied_too_often: Option<u32>,
    /// Warnings for the user, beside those in the outcomes.
    pub warnings: Vec<String>,
    /// Outcomes of the fired events, in order.
    pub outcomes: Vec<Outcome>,
    /// The calls that the tool made itself, in order.
    pub nested: Vec<Report>,
    /// Outcomes of the events that the tool fired itself, in order. The tool has reported them to the model.
    pub fired: Vec<Outcome>,
}

impl Report {
    pub(super) fn new(call: ToolCall, ended: CallEnd, log: HookLog) -> Self {
        let HookLog { input, took, interrupt, updates, classifier_context, .. } = log;
        let HookLog { denied_too_often, warnings, outcomes, .. } = log;
        Self {
            call,
            ended,
            input,
            took,
            interrupt,
            updates,
            classifier_context,
            denied_too_often,
            warnings,
            outcomes,
            nested: Vec::new(),
            fired: Vec::new(),
        }
    }

    /// With the calls that the tool made itself: what they bring for the host and its turn is this call's, too.
    pub(super) fn with(mut self, nested: &NestedCalls) -> Self {
        self.nested = nested.take();
        self.fired = nested.take_fired();
        self.interrupt |= nested.is_interrupted() || self.nested.iter().any(|report| report.interrupt);
        self.updates.extend(self.nested.iter().flat_map(|report| report.updates.iter().cloned()));
        self
    }

    /// Returns the report of a call that no hook has seen.
    pub(crate) fn without_hooks(call: ToolCall, ended: CallEnd) -> Self {
        Self::new(call, ended, HookLog::default())
    }

    /// Returns the result for the model, and true if that is an error.
    #[must_use]
    pub fn for_model(&self) -> (Vec<Block>, bool) {
        let error = |text: String| (vec![Block::Text(text)], true);
        match &self.ended {
            CallEnd::Done { output } => (output.content.clone(), false),
            CallEnd::Failed { error: text, .. } => error(text.clone()),
            CallEnd::Invalid { error: text } => error(format!("<tool_use_error>{text}</tool_use_error>")),
            CallEnd::Denied { because, .. } => error(format!("denied: {because}")),
            CallEnd::Stopped { because } => error(format!("stopped: {because}")),
            CallEnd::Deferred => error("this call was put off until the session is resumed".to_owned()),
            CallEnd::Cancelled { started: true } => error(
                "the user cancelled this call while it was running: it may have partly completed".to_owned(),
            ),
            CallEnd::Cancelled { started: false } => {
                error("the user cancelled this call before it ran".to_owned())
            }
        }
    }

    /// Returns the reason why the host stops after this call (D6).
    #[must_use]
    pub fn stop(&self) -> Option<&Attributed<Stop>> {
        let own = self.outcomes.iter().chain(&self.fired);
        let own = own.filter_map(|outcome| outcome.verdict.stop.as_ref()).next();
        own.or_else(|| self.nested.iter().find_map(Self::stop))
    }

    /// Returns the hook that stops the host after this call.
    pub(crate) fn stopped_by(&self) -> Option<String> {
        let own = self.outcomes.iter().chain(&self.fired);
        let mut own = own.filter_map(|outcome| Some((outcome.verdict.event, outcome.verdict.stop.as_ref()?)));
        let own = own.next().map(|(event, stop)| hook_messages::stopped_by(event, stop));
        own.or_else(|| self.nested.iter().find_map(Self::stopped_by))
    }

    /// Returns the hooks' texts for the model beside the result, one paragraph each. They wait until the last call of
    /// the batch
    /// is answered (L2).
    #[must_use]
    pub fn beside(&self) -> Vec<String> {
        let own = self.outcomes.iter().flat_map(|outcome| self.of_outcome(outcome));
        own.chain(self.nested.iter().flat_map(Self::beside)).collect()
    }

    fn of_outcome(&self, outcome: &Outcome) -> Vec<String> {
        let verdict = &outcome.verdict;
        let hook = hook_messages::named(verdict.event, Some(&self.call.name));
        hook_messages::for_model(&hook, verdict)
    }

    /// The call as PostToolBatch shows it: what the model wrote, and what it is answered.
    #[must_use]
    pub fn of_batch(&self) -> Map<String, Value> {
        let (content, _) = self.for_model();
        let texts: Vec<&str> = content.iter().filter_map(Block::as_text).collect();
        let fields = [
            ("tool_name", json!(self.call.name)),
            ("tool_input", Value::Object(self.call.input.clone())),
            ("tool_use_id", json!(self.call.id)),
            ("tool_response", json!(texts.join("\n"))),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
