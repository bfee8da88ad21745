//! The answer of one handler, in the engine's own types. Read from the wire by [`crate::interpret`], or made by an
//! in-process handler; folded with the others' replies by [`crate::fold`].

use crate::sandbox_answer::SandboxAnswer;
use crate::table::{DecisionModel, EventSpec};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

/// One handler's answer. The default is a silent hook: it changes nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Its decision.
    pub decision: Option<Decision>,
    /// `continue: false` (O7).
    pub stop: Option<Stop>,
    /// A message for the user (O7).
    pub system_message: Option<String>,
    /// An escape sequence for an interactive screen, already checked against the allowed ones (O7).
    pub terminal_sequence: Option<String>,
    /// Texts for the model: `additionalContext`, and plain stdout if the table says so. In the order given.
    pub context: Vec<ContextText>,
    /// Messages without effect: plain stdout for the user, and the stderr of an exit 2 that blocks nothing.
    pub notices: Vec<Notice>,
    /// The event's other fields (D11).
    pub fields: ReplyFields,
}

/// Constructors of the most common answers of in-process handlers.
impl Reply {
    /// Returns the notice of a refusal that was not read (O1, O10).
    pub fn lost_refusal(&self) -> Option<&Notice> {
        self.notices.iter().find(|notice| notice.unchecked)
    }

    /// Denies the call on PreToolUse; on another event, holds back its action.
    pub fn deny(reason: impl Into<String>) -> Self {
        Reply::permission(PermissionDecision::Deny, Some(reason.into()))
    }

    /// Asks a person about the call on PreToolUse.
    pub fn ask(reason: impl Into<String>) -> Self {
        Reply::permission(PermissionDecision::Ask, Some(reason.into()))
    }

    /// Allows the call on PreToolUse without a prompt, as far as this handler is concerned (D3).
    pub fn allow() -> Self {
        Reply::permission(PermissionDecision::Allow, None)
    }

    /// Holds back the action of the event: the prompt, the end of the turn, the change. On PreToolUse it denies.
    pub fn block(reason: impl Into<String>) -> Self {
        let decision = Decision::Block { reason: reason.into(), by: DecidedBy::Answer };
        Reply { decision: Some(decision), ..Reply::default() }
    }

    /// Adds a text for the model.
    pub fn context(text: impl Into<String>) -> Self {
        Reply { context: vec![ContextText { text: text.into(), plain: false }], ..Reply::default() }
    }

    /// Returns whether the reply changes nothing.
    pub fn is_silent(&self) -> bool {
        let Reply { decision, stop, system_message, terminal_sequence, context, notices, fields } = self;
        decision.is_none()
            && stop.is_none()
            && system_message.is_none()
            && terminal_sequence.is_none()
            && context.is_empty()
            && notices.is_empty()
            && fields.is_empty()
    }

    fn permission(decision: PermissionDecision, reason: Option<String>) -> Self {
        let decision = Decision::Permission { decision, reason, by: DecidedBy::Answer };
        Reply { decision: Some(decision), ..Reply::default() }
    }
}

/// The decision of a hook. Exhaustive on purpose, as all enums of decisions: a match has to handle each.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// About a tool call that is about to run.
    Permission {
        /// allow, ask, defer or deny.
        decision: PermissionDecision,
        /// The reason; for the model on deny, for the user on allow and ask.
        reason: Option<String>,
        /// The form of the decision: JSON or exit code 2.
        by: DecidedBy,
    },
    /// A block of an action that is about to happen, or to end.
    Block {
        /// The reason; never empty.
        reason: String,
        /// The form of the decision: JSON or exit code 2.
        by: DecidedBy,
    },
    /// The answer to a permission prompt.
    PermissionRequest(RequestDecision),
    /// The answer to an MCP server's question.
    Elicitation {
        /// accept, decline or cancel.
        action: ElicitationAction,
        /// The answer by field, for an accept.
        content: Option<Map<String, Value>>,
    },
    /// The worktree that the hook made (as printed, ANSI codes removed).
    Worktree(PathBuf),
}

impl Decision {
    /// Returns its name in reports: `allow`, `ask`, `deny`, `defer`, `block`, `accept`, `decline`, `cancel`, `created`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Decision::Permission { decision, .. } => decision.as_str(),
            Decision::Block { .. } => "block",
            Decision::PermissionRequest(RequestDecision::Allow { .. }) => "allow",
            Decision::PermissionRequest(RequestDecision::Deny { .. }) => "deny",
            Decision::Elicitation { action, .. } => action.as_str(),
            Decision::Worktree(_) => "created",
        }
    }

    /// Returns its reason; for a worktree that was made, the path.
    pub fn reason(&self) -> Option<Cow<'_, str>> {
        match self {
            Decision::Permission { reason, .. } => reason.as_deref().map(Cow::from),
            Decision::Block { reason, .. } => Some(reason.into()),
            Decision::PermissionRequest(RequestDecision::Deny { message, .. }) => {
                message.as_deref().map(Cow::from)
            }
            Decision::PermissionRequest(RequestDecision::Allow { .. }) | Decision::Elicitation { .. } => None,
            Decision::Worktree(path) => Some(path.to_string_lossy()),
        }
    }

    /// Returns whether the decision holds back the action of the event.
    pub fn holds_back(&self) -> bool {
        match self {
            Decision::Permission { decision, .. } => *decision == PermissionDecision::Deny,
            Decision::Block { .. } => true,
            Decision::PermissionRequest(answer) => matches!(answer, RequestDecision::Deny { .. }),
            Decision::Elicitation { action, .. } => *action == ElicitationAction::Decline,
            Decision::Worktree(_) => false,
        }
    }

    /// Returns the decision that blocks an event of `spec`: a denial, a block, a refusal of the prompt, a declined
    /// question. `None` if hooks can't block it.
    pub fn block(spec: &EventSpec, reason: String, by: DecidedBy) -> Option<Decision> {
        Some(match spec.decision {
            DecisionModel::Permission => {
                Decision::Permission { decision: PermissionDecision::Deny, reason: Some(reason), by }
            }
            DecisionModel::Block
            | DecisionModel::Task
            | DecisionModel::ContinueOnly
            | DecisionModel::Path => Decision::Block { reason, by },
            DecisionModel::PermissionRequest => {
                Decision::PermissionRequest(RequestDecision::Deny { message: Some(reason), interrupt: false })
            }
            DecisionModel::Elicitation => {
                Decision::Elicitation { action: ElicitationAction::Decline, content: None }
            }
            DecisionModel::None | DecisionModel::Context | DecisionModel::Retry | DecisionModel::Display => {
                return None;
            }
        })
    }
}

/// The form of a decision; hosts word a message differently for the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// A JSON answer, or an in-process handler.
    Answer,
    /// Exit code 2; the message is the JSON's reason or stderr (O3).
    Exit2,
    /// A failure under `onFailure: "block"`, or a callback that fails closed (O10, H9).
    Failure,
}

/// The decision of a PreToolUse hook on a call, weakest first (D1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum PermissionDecision {
    Allow,
    Ask,
    Defer,
    Deny,
}

impl PermissionDecision {
    /// Returns the decision as on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            PermissionDecision::Allow => "allow",
            PermissionDecision::Ask => "ask",
            PermissionDecision::Defer => "defer",
            PermissionDecision::Deny => "deny",
        }
    }
}

/// A hook's answer to a permission prompt (D8).
#[derive(Debug, Clone, PartialEq)]
pub enum RequestDecision {
    /// Yes.
    Allow {
        /// A replacement of the whole input.
        updated_input: Option<Map<String, Value>>,
        /// Rule updates (P13), as given; `becket_rules` reads them.
        updated_permissions: Vec<Value>,
    },
    /// No.
    Deny {
        /// A message for the model.
        message: Option<String>,
        /// Set if the turn stops too.
        interrupt: bool,
    },
}

/// An answer to an elicitation, weakest first (D11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ElicitationAction {
    Accept,
    Cancel,
    Decline,
}

impl ElicitationAction {
    /// Returns the action as on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            ElicitationAction::Accept => "accept",
            ElicitationAction::Cancel => "cancel",
            ElicitationAction::Decline => "decline",
        }
    }
}

/// `continue: false` (O7, D6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stop {
    /// `stopReason`, for the user.
    pub reason: Option<String>,
}

/// Text for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextText {
    /// The text, whole; hosts cap what they show (O8).
    pub text: String,
    /// True for plain stdout, false for `additionalContext`; hosts word the two differently.
    pub plain: bool,
}

/// A message that decides nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The audience.
    pub to: crate::table::Audience,
    /// The text.
    pub text: String,
    /// True for plain stdout, which is capped (O8); false for stderr and reasons, which are kept in full.
    pub plain: bool,
    /// True if it says that a refusal of the handler was not read (O10).
    pub unchecked: bool,
}

impl Notice {
    /// Creates a message that is kept in full.
    pub fn new(to: crate::table::Audience, text: impl Into<String>) -> Self {
        Notice { to, text: text.into(), plain: false, unchecked: false }
    }
}

/// Fields that only some events have; the table defines which.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fields {
    /// PreToolUse: replaces the whole input of the call (D4).
    pub updated_input: Option<Map<String, Value>>,
    /// PreToolUse: less than all rights for the call (E5).
    pub sandbox: Option<SandboxAnswer>,
    /// PostToolUse: replaces the tool's output.
    pub updated_tool_output: Option<Value>,
    /// PostToolUse of an MCP tool: replaces its output.
    pub updated_mcp_tool_output: Option<Value>,
    /// MessageDisplay: shown instead of the text.
    pub display_content: Option<String>,
    /// A title for the session.
    pub session_title: Option<String>,
    /// SessionStart: the first user turn of a session that is not interactive.
    pub initial_user_message: Option<String>,
    /// The dynamic watch list; an empty list clears it.
    pub watch_paths: Option<Vec<PathBuf>>,
    /// PermissionDenied: the model may try again.
    pub retry: bool,
    /// SessionStart: the host reads its skills again.
    pub reload_skills: bool,
    /// UserPromptSubmit: the prompt as typed is hidden.
    pub suppress_original_prompt: bool,
    /// PostToolUse: a note for the permission classifier.
    pub classifier_context: Option<String>,
}

/// The [`Fields`] of a reply, on the heap if it has any: most replies have none, and replies are moved often.
///
/// Reads like [`Fields`]; writing to one allocates.
#[derive(Debug, Clone, Default)]
pub struct ReplyFields(Option<Box<Fields>>);

/// The fields of a reply that has none.
static NO_FIELDS: Fields = Fields {
    updated_input: None,
    sandbox: None,
    updated_tool_output: None,
    updated_mcp_tool_output: None,
    display_content: None,
    session_title: None,
    initial_user_message: None,
    watch_paths: None,
    retry: false,
    reload_skills: false,
    suppress_original_prompt: false,
    classifier_context: None,
};

impl Deref for ReplyFields {
    type Target = Fields;

    fn deref(&self) -> &Fields {
        self.0.as_deref().unwrap_or(&NO_FIELDS)
    }
}

impl DerefMut for ReplyFields {
    fn deref_mut(&mut self) -> &mut Fields {
        self.0.get_or_insert_default()
    }
}

impl PartialEq for ReplyFields {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Fields> for ReplyFields {
    fn from(fields: Fields) -> Self {
        ReplyFields((!fields.is_empty()).then(|| Box::new(fields)))
    }
}

impl From<ReplyFields> for Fields {
    fn from(fields: ReplyFields) -> Self {
        fields.0.map(|fields| *fields).unwrap_or_default()
    }
}

impl Fields {
    /// Returns whether the reply has none of these fields.
    pub fn is_empty(&self) -> bool {
        let Fields {
            updated_input,
            sandbox,
            updated_tool_output,
            updated_mcp_tool_output,
            display_content,
            session_title,
            initial_user_message,
            watch_paths,
            retry,
            reload_skills,
            suppress_original_prompt,
            classifier_context,
        } = self;
        updated_input.is_none()
            && sandbox.is_none()
            && updated_tool_output.is_none()
            && updated_mcp_tool_output.is_none()
            && display_content.is_none()
            && session_title.is_none()
            && initial_user_message.is_none()
            && watch_paths.is_none()
            && !retry
            && !reload_skills
            && !suppress_original_prompt
            && classifier_context.is_none()
    }
}
