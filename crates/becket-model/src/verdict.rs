//! The joint result of the handlers of one event: the one value that a host acts on.
//!
//! A verdict is data. Only [`crate::fold`] creates it; its methods put it into words.

mod observed;
mod read;

pub use observed::{ObservedAnswer, ObservedEffect};
pub use read::continued;

use crate::event::EventKind;
use crate::failure::Failure;
use crate::reply::{ContextText, DecidedBy, ElicitationAction, Notice, PermissionDecision, Stop};
use crate::sandbox_answer::SandboxAnswer;
use crate::source::{HandlerOrigin, Source};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;

/// The folded answer of all handlers of an event.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an event whose verdict nobody reads is not guarded"]
#[non_exhaustive]
pub struct Verdict {
    /// The event.
    pub event: EventKind,
    /// The ruling.
    pub ruling: Ruling,
    /// The stop, if the host stops after the event (D6).
    pub stop: Option<Attributed<Stop>>,
    /// Context for the model, in C6 order (D5).
    pub context: Vec<Attributed<ContextText>>,
    /// `systemMessage`s for the user, in C6 order.
    pub messages: Vec<Attributed<String>>,
    /// Messages that decide nothing, in C6 order.
    pub notices: Vec<Attributed<Notice>>,
    /// Escape sequences for an interactive screen, in C6 order.
    pub terminal_sequences: Vec<Attributed<String>>,
    /// Handlers that gave no usable answer or ended with an error (O4, O10, D7), in C6 order.
    pub failures: Vec<Attributed<Failure>>,
    /// The answers of handlers in observation, in C6 order: they have no part in the rest (G5).
    pub observed: Vec<Attributed<ObservedAnswer>>,
    /// The event's other fields (D4, D11).
    pub fields: VerdictFields,
    /// Warnings for the user about the verdict: rewrites that lost, defers read as asks.
    pub warnings: Vec<String>,
}

/// A value with the handler that gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributed<T> {
    /// The source of the handler.
    pub source: Source,
    /// The label of the handler.
    pub label: Arc<str>,
    /// The value.
    pub what: T,
}

impl<T> Attributed<T> {
    /// Attributes `what` to the handler at `place`.
    pub fn by(place: &HandlerOrigin, what: T) -> Self {
        Attributed { source: place.source.clone(), label: place.label.clone(), what }
    }
}

impl Attributed<SandboxAnswer> {
    /// Returns the reason of a refused call: the handler, the restriction, and why it can't be applied.
    #[must_use]
    pub fn refusal(&self, because: &str) -> String {
        let Attributed { source, label, what } = self;
        format!(
            "the hook `{label}` ({source}) takes rights away by {what}, which {because}. The call was refused"
        )
    }
}

/// One reason among those that led to a ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The text as the handler gave it, or the default of O9.
    pub text: String,
    /// The form in which it was given.
    pub by: DecidedBy,
}

/// The decision of an event. Exhaustive on purpose: a match has to handle each.
#[derive(Debug, Clone, PartialEq)]
pub enum Ruling {
    /// No handler decided anything.
    None,
    /// PreToolUse: the strictest decision, and the handlers that made it in C6 order (D1, D2).
    Permission {
        /// allow, ask, defer or deny.
        decision: PermissionDecision,
        /// The reasons of the handlers with that decision.
        reasons: Vec<Attributed<Reason>>,
    },
    /// Something is held back, for one or more reasons in C6 order (D11).
    Block(Vec<Attributed<Reason>>),
    /// PermissionRequest: the prompt is answered with yes (D8).
    RequestAllow {
        /// The input of the most trusted source that changed it (D4).
        updated_input: Option<Attributed<Map<String, Value>>>,
        /// Rule updates of all handlers, in C6 order (P13).
        updated_permissions: Vec<Attributed<Value>>,
    },
    /// PermissionRequest: the prompt is answered with no (D8).
    RequestDeny {
        /// The messages for the model, in C6 order.
        reasons: Vec<Attributed<Reason>>,
        /// Set if the turn stops.
        interrupt: bool,
    },
    /// Elicitation: the answer (D11).
    Elicitation {
        /// accept, decline or cancel.
        action: ElicitationAction,
        /// The content of the most trusted accept.
        content: Option<Attributed<Map<String, Value>>>,
    },
    /// WorktreeCreate: where the worktree is (D11).
    Worktree(Attributed<PathBuf>),
    /// WorktreeCreate: the reasons for which there is none (D11).
    WorktreeFailed(Vec<Attributed<Reason>>),
}

/// The other fields, each with the handler that gave it.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct VerdictFields {
    /// PreToolUse: the rewrite that won (D4).
    pub updated_input: Option<Attributed<Map<String, Value>>>,
    /// PreToolUse: the rights that handlers leave to the call, in C6 order. The call has what all of them leave, whatever
    /// their order (E5); `becket_engine::HostOperations::call_rights` has their intersection.
    pub sandbox: Vec<Attributed<SandboxAnswer>>,
    /// PermissionRequest: a rewrite by a hook whose folder is not trusted (G3). The original does not run; a person is
    /// asked about the rewrite.
    pub proposed_input: Option<Attributed<Map<String, Value>>>,
    /// PostToolUse: the output that won.
    pub updated_tool_output: Option<Attributed<Value>>,
    /// PostToolUse of an MCP tool: the output that won.
    pub updated_mcp_tool_output: Option<Attributed<Value>>,
    /// MessageDisplay: the text that won.
    pub display_content: Option<Attributed<String>>,
    /// The title that won.
    pub session_title: Option<Attributed<String>>,
    /// SessionStart: the first turn that won.
    pub initial_user_message: Option<Attributed<String>>,
    /// The union of the event's lists; `None` if no handler gave one.
    pub watch_paths: Option<Vec<PathBuf>>,
    /// True if any handler sets it.
    pub retry: bool,
    /// True if any handler sets it.
    pub reload_skills: bool,
    /// True if any handler sets it.
    pub suppress_original_prompt: bool,
    /// The notes joined, 2,000 characters at most.
    pub classifier_context: Option<String>,
    /// The joined notes without those on a rewrite of the output, for a host that rejects the rewrite because of its
    /// shape (D11).
    pub classifier_context_without_output: Option<String>,
}
