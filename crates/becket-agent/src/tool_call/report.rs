//! The end of a call, and all messages about it.

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
        /// The tool's answer, or a hook's replacement for it.
        output: ToolOutput,
    },
    /// The tool was started and failed.
    Failed {
        /// The error for the model.
        error: String,
        /// Set if the tool was interrupted.
        interrupted: bool,
    },
    /// The call was not run.
    Denied {
        /// The origin of the denial.
        by: DeniedBy,
        /// The reason for the model.
        because: String,
    },
    /// A hook stopped the host before the call ran (D6).
    Stopped {
        /// The `stopReason`, or the name of the hook.
        because: String,
    },
    /// The call waits for the session to be resumed (D10).
    Deferred,
    /// The call is invalid: an unknown tool, or an invalid input. No hook has seen it (L0).
    Invalid {
        /// The error for the model.
        error: String,
    },
    /// The caller no longer wants it.
    Cancelled {
        /// Set if the tool had been started; its effects until then are not undone.
        started: bool,
    },
}

/// The origin of a denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeniedBy {
    /// A PreToolUse or PermissionRequest hook, or one that should have answered and could not.
    Hook,
    /// A permission rule.
    Rule,
    /// The session's mode.
    Mode,
    /// A hook's rewrite that the tool does not accept.
    Rewrite,
    /// The person.
    Person,
    /// The classifier of the mode `auto` (P14).
    Classifier,
    /// A person had to be asked, and none answered.
    Nobody,
}

/// The complete record of a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The call as the model made it: conversations keep this.
    pub call: ToolCall,
    /// The end of the call.
    pub ended: CallEnd,
    /// The input that the call ran with, or would have.
    pub input: Option<Map<String, Value>>,
    /// The run time of the tool, if it was started.
    pub took: Option<Duration>,
    /// Set if the turn ends because of a person or a PermissionRequest hook.
    pub interrupt: bool,
    /// Rule updates of an approval, for the host to apply (P13).
    pub updates: Vec<PermissionUpdate>,
    /// A note for the permission classifier (D11).
    pub classifier_context: Option<String>,
    /// The number of the classifier's denials, if they end the turn, without a person to see them (P14).
    pub denied_too_often: Option<u32>,
    /// Additional warnings for the user, besides those in the outcomes.
    pub warnings: Vec<String>,
    /// The outcomes of the fired events, in order.
    pub outcomes: Vec<Outcome>,
    /// The reports of calls that the tool made itself, in order.
    pub nested: Vec<Report>,
    /// The outcomes of events that the tool fired itself, in order. The tool has reported them to the model.
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

    /// Adds the calls that the tool made itself: their effects on the host and its turn count for this call, too.
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

    /// Returns the result for the model, and whether it is an error.
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

    /// Returns the hooks' texts for the model in addition to the result, one paragraph each. They wait until the last
    /// call of the batch is answered (L2).
    #[must_use]
    pub fn beside(&self) -> Vec<String> {
        let own = self.outcomes.iter().flat_map(|outcome| self.of_outcome(outcome));
        own.chain(self.nested.iter().flat_map(Self::beside)).collect()
    }

    fn of_outcome(&self, outcome: &Outcome) -> Vec<String> {
        let verdict = &outcome.verdict;
        let hook = hook_messages::hook_name_for(verdict.event, Some(&self.call.name));
        hook_messages::for_model(&hook, verdict)
    }

    /// Returns the call as PostToolBatch shows it: the model's input, and the answer to it.
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
