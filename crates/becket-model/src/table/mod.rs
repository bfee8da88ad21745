//! THE event table: what each of the 33 events may do, in one place.
//!
//! Nothing else in Becket asks "is this event …?": planning, interpreting, folding, checking and the
//! documentation all read a row of this table. It is a total function of [`EventKind`]: an event without a row
//! does not compile.

mod agents;
mod context;
mod environment;
mod lifecycle;
mod mcp;
mod permission;
mod tool;
mod words;

pub use words::*;

use crate::EventKind;
use std::time::Duration;

/// One row: everything that is particular to an event.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EventSpec {
    /// The event.
    pub kind: EventKind,
    /// The family it belongs to.
    pub family: Family,
    /// The moment at which it fires, in one sentence.
    pub summary: &'static str,
    /// The value that matchers are tested against; `None` if a matcher is ignored (M6).
    pub matcher: Option<MatcherSpec>,
    /// Set if a handler's `if` is evaluated (P12); elsewhere a handler with `if` never runs.
    pub condition: bool,
    /// The optional common fields in its input (N1).
    pub carries: Carries,
    /// Its own input fields, in wire order.
    pub input: &'static [FieldSpec],
    /// The fields of its `hookSpecificOutput`.
    pub output: &'static [FieldSpec],
    /// The decisions of its hooks.
    pub decision: DecisionModel,
    /// The effect of exit code 2 (O3).
    pub exit_2: Exit2,
    /// The effect of plain text on exit 0 (O2).
    pub plain_stdout: PlainStdout,
    /// The universal output fields that count (O7).
    pub honours: Honours,
    /// The handler kinds it allows (H10), each with its default time limit (H11).
    pub handlers: &'static [(HandlerKind, Duration)],
    /// The effect of a model's `ok: false` (H7); `None` if no model may be asked.
    pub model_not_ok: Option<ModelNotOk>,
    /// The effect of `onFailure: "block"` on a failed handler (O10).
    pub on_failure: OnFailureEffect,
    /// Set if its commands get an environment file (H12).
    pub env_file: bool,
    /// Set if the host waits for its handlers (L3).
    pub host_waits: bool,
    /// Further notes for a hook author.
    pub notes: &'static [&'static str],
}

impl EventSpec {
    /// Returns the default time limit of a handler kind, or `None` if the event does not allow that kind (H10, H11).
    pub fn default_timeout(&self, kind: HandlerKind) -> Option<Duration> {
        self.handlers.iter().find(|(allowed, _)| *allowed == kind).map(|(_, limit)| *limit)
    }

    /// Returns whether the event has a field of this name in its `hookSpecificOutput`.
    pub fn has_output(&self, name: &str) -> bool {
        self.output.iter().any(|field| field.name == name)
    }

    /// Returns whether neither the output nor the exit code of its hooks has any effect (O4): no decision, no fields,
    /// and exit 2 does nothing.
    pub(crate) const fn discards_output(&self) -> bool {
        matches!(self.decision, DecisionModel::None) && matches!(self.exit_2.effect, Exit2Effect::Ignored)
    }

    /// Returns the input fields in wire order, common ones first, as this event carries them (N1).
    pub fn all_input(&self) -> impl Iterator<Item = &'static FieldSpec> + use<> {
        let carries = self.carries;
        let own = self.input;
        COMMON_INPUT
            .iter()
            .filter(move |field| match field.name {
                "permission_mode" => carries.permission_mode,
                "effort" => carries.effort,
                name => !own.iter().any(|mine| mine.name == name),
            })
            .chain(own)
    }
}

impl EventKind {
    /// Returns the event's row of the table.
    pub const fn spec(self) -> &'static EventSpec {
        match self {
            EventKind::Setup => &lifecycle::SETUP,
            EventKind::SessionStart => &lifecycle::SESSION_START,
            EventKind::SessionEnd => &lifecycle::SESSION_END,
            EventKind::UserPromptSubmit => &lifecycle::USER_PROMPT_SUBMIT,
            EventKind::UserPromptExpansion => &lifecycle::USER_PROMPT_EXPANSION,
            EventKind::Stop => &lifecycle::STOP,
            EventKind::StopFailure => &lifecycle::STOP_FAILURE,
            EventKind::PreToolUse => &tool::PRE_TOOL_USE,
            EventKind::PostToolUse => &tool::POST_TOOL_USE,
            EventKind::PostToolUseFailure => &tool::POST_TOOL_USE_FAILURE,
            EventKind::PostToolBatch => &tool::POST_TOOL_BATCH,
            EventKind::PermissionRequest => &permission::PERMISSION_REQUEST,
            EventKind::PermissionDenied => &permission::PERMISSION_DENIED,
            EventKind::Notification => &permission::NOTIFICATION,
            EventKind::SubagentStart => &agents::SUBAGENT_START,
            EventKind::SubagentStop => &agents::SUBAGENT_STOP,
            EventKind::TaskCreated => &agents::TASK_CREATED,
            EventKind::TaskCompleted => &agents::TASK_COMPLETED,
            EventKind::TeammateIdle => &agents::TEAMMATE_IDLE,
            EventKind::InstructionsLoaded => &context::INSTRUCTIONS_LOADED,
            EventKind::PreCompact => &context::PRE_COMPACT,
            EventKind::PostCompact => &context::POST_COMPACT,
            EventKind::MessageDisplay => &context::MESSAGE_DISPLAY,
            EventKind::PreModelSwitch => &context::PRE_MODEL_SWITCH,
            EventKind::PostModelSwitch => &context::POST_MODEL_SWITCH,
            EventKind::ConfigChange => &environment::CONFIG_CHANGE,
            EventKind::CwdChanged => &environment::CWD_CHANGED,
            EventKind::DirectoryAdded => &environment::DIRECTORY_ADDED,
            EventKind::FileChanged => &environment::FILE_CHANGED,
            EventKind::WorktreeCreate => &environment::WORKTREE_CREATE,
            EventKind::WorktreeRemove => &environment::WORKTREE_REMOVE,
            EventKind::Elicitation => &mcp::ELICITATION,
            EventKind::ElicitationResult => &mcp::ELICITATION_RESULT,
        }
    }
}

/// The defaults of a row: its hooks receive the event and decide nothing.
const BASE: EventSpec = EventSpec {
    kind: EventKind::Setup,
    family: Family::Session,
    summary: "",
    matcher: None,
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[],
    output: &[],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Proceed, audience: Audience::User },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: true },
    handlers: &[
        (HandlerKind::Command, MINUTES_10),
        (HandlerKind::Http, MINUTES_10),
        (HandlerKind::McpTool, MINUTES_10),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[],
};

/// The handlers of an event that models may judge, too.
const WITH_MODELS: &[(HandlerKind, Duration)] = &[
    (HandlerKind::Command, MINUTES_10),
    (HandlerKind::Http, MINUTES_10),
    (HandlerKind::McpTool, MINUTES_10),
    (HandlerKind::Prompt, Duration::from_secs(30)),
    (HandlerKind::Agent, Duration::from_secs(60)),
];

/// The usual time limit of a handler.
const MINUTES_10: Duration = Duration::from_secs(600);

/// Returns a matcher against a field, with the wide alphabet.
const fn wide(field: &'static str, values: &'static [&'static str]) -> Option<MatcherSpec> {
    Some(MatcherSpec { field, alphabet: Alphabet::Wide, values })
}

const fn req(name: &'static str, kind: FieldType, doc: &'static str) -> FieldSpec {
    FieldSpec { name, kind, required: true, doc, values: &[], fields: &[], restricts: false }
}

const fn opt(name: &'static str, kind: FieldType, doc: &'static str) -> FieldSpec {
    FieldSpec { name, kind, required: false, doc, values: &[], fields: &[], restricts: false }
}

const EFFORT: &[FieldSpec] = &[req("level", FieldType::String, "The effort of the model.")
    .one_of(&["low", "medium", "high", "xhigh", "max"])];

/// The fields that every input may begin with, in wire order (N1).
pub const COMMON_INPUT: &[FieldSpec] = &[
    req("session_id", FieldType::String, "The id of the session."),
    req("transcript_path", FieldType::String, "The file in which the conversation is stored, as JSON lines."),
    req("cwd", FieldType::String, "The session's working directory."),
    opt("prompt_id", FieldType::String, "The id of the current prompt; absent before the first."),
    opt(
        "permission_mode",
        FieldType::String,
        "The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions.",
    )
    .one_of(&["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"]),
    opt("agent_id", FieldType::String, "The id of the subagent, inside one."),
    opt("agent_type", FieldType::String, "The agent's name, inside a subagent or a named main agent."),
    opt(
        "effort",
        FieldType::Object,
        "The effort of the model: `{level}` is low, medium, high, xhigh or max.",
    )
    .holding(EFFORT),
    req("hook_event_name", FieldType::String, "The event's name."),
];

/// The output fields that every event's hooks may print next to `hookSpecificOutput` (O7).
pub const UNIVERSAL_OUTPUT: &[FieldSpec] = &[
    opt("continue", FieldType::Boolean, "false stops the host after this event; default true"),
    opt("stopReason", FieldType::String, "shown to the user with `continue: false`"),
    opt("suppressOutput", FieldType::Boolean, "accepted, without effect"),
    opt("systemMessage", FieldType::String, "shown to the user"),
    opt("terminalSequence", FieldType::String, "OSC 0/1/2/9/99/777 or BEL, written to an interactive screen"),
    opt("decision", FieldType::String, "`block` (or `approve`), if the event can block")
        .one_of(&["block", "approve"]),
    opt("reason", FieldType::String, "the reason for the block"),
    opt("hookSpecificOutput", FieldType::Object, "the event's own fields, with `hookEventName`"),
    opt("async", FieldType::Boolean, "true on the first line sends the hook to the background"),
    opt("asyncTimeout", FieldType::Number, "limit of such a background run in seconds; default 15"),
];
