//! The session itself: setup, start, prompts, stop, end: their rows of the event table.

use super::{
    Alphabet, Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldType,
    HandlerKind, Honours, MatcherSpec, ModelNotOk, OnFailureEffect, PlainStdout, WITH_MODELS, opt, req, wide,
};
use crate::EventKind;
use std::time::Duration;

/// The defaults of the rows below.
const BASE: EventSpec = EventSpec { family: Family::Session, ..super::BASE };

pub(super) const SETUP: EventSpec = EventSpec {
    kind: EventKind::Setup,
    summary: "The host prepares the project once, on its init or maintenance flag.",
    matcher: wide("trigger", &["init", "maintenance"]),
    input: &[req("trigger", FieldType::String, "The cause: `init` or `maintenance`.")],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Context,
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    env_file: true,
    ..BASE
};

pub(super) const SESSION_START: EventSpec = EventSpec {
    kind: EventKind::SessionStart,
    summary: "A session starts: new, resumed, cleared, compacted or forked.",
    matcher: wide("source", &["startup", "resume", "clear", "compact", "fork"]),
    input: &[
        req("source", FieldType::String, "The cause of the start."),
        opt("model", FieldType::String, "The model in use."),
        opt("session_title", FieldType::String, "The title shown for the session."),
        opt(
            "seconds_since_last_response",
            FieldType::Number,
            "The number of seconds since the model last answered (resume and fork).",
        ),
        opt("context_tokens", FieldType::Integer, "The number of tokens in the context."),
        opt(
            "prompt_cache_likely_expired",
            FieldType::Boolean,
            "Set if the provider has probably dropped its prompt cache.",
        ),
        opt(
            "estimated_cache_write_usd",
            FieldType::Number,
            "The cost of writing the cache again, in US dollars.",
        ),
    ],
    output: &[
        opt("additionalContext", FieldType::String, "text for the model"),
        opt(
            "initialUserMessage",
            FieldType::String,
            "the first user turn of a session that is not interactive",
        ),
        opt("sessionTitle", FieldType::String, "a title for the session"),
        opt(
            "watchPaths",
            FieldType::Strings,
            "absolute paths to watch; replaces the dynamic list, `[]` clears it",
        ),
        opt("reloadSkills", FieldType::Boolean, "reload the skills"),
    ],
    decision: DecisionModel::Context,
    plain_stdout: PlainStdout::Context,
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    env_file: true,
    ..BASE
};

pub(super) const SESSION_END: EventSpec = EventSpec {
    kind: EventKind::SessionEnd,
    summary: "A session is over.",
    matcher: wide("reason", &["clear", "resume", "logout", "prompt_input_exit", "other"]),
    input: &[req("reason", FieldType::String, "The reason why it has ended.")],
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_millis(1500)),
        (HandlerKind::Http, Duration::from_millis(1500)),
        (HandlerKind::McpTool, Duration::from_millis(1500)),
    ],
    notes: &[
        "all handlers share one budget: 1.5 s, or the largest `timeout` in a settings file (plugins do not count), 60 s at most; `CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS` sets it",
    ],
    ..BASE
};

pub(super) const USER_PROMPT_SUBMIT: EventSpec = EventSpec {
    kind: EventKind::UserPromptSubmit,
    summary: "The user sends a prompt; the model has not seen it yet.",
    carries: Carries { permission_mode: true, effort: false },
    input: &[req("prompt", FieldType::String, "The user's text.")],
    output: &[
        opt("additionalContext", FieldType::String, "text for the model"),
        opt("sessionTitle", FieldType::String, "a title for the session"),
        opt("suppressOriginalPrompt", FieldType::Boolean, "hide the prompt as typed"),
    ],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::RejectPrompt, audience: Audience::User },
    plain_stdout: PlainStdout::Context,
    honours: Honours { stop: true, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(30)),
        (HandlerKind::Http, Duration::from_secs(30)),
        (HandlerKind::McpTool, Duration::from_secs(30)),
        (HandlerKind::Prompt, Duration::from_secs(30)),
        (HandlerKind::Agent, Duration::from_secs(60)),
    ],
    model_not_ok: Some(ModelNotOk::EndTurnAlways),
    on_failure: OnFailureEffect::Block,
    notes: &[
        "a rejected prompt leaves the context; the reason is for the user",
        "`continue: false` keeps the prompt and starts no turn",
        "a callback that fails or runs out of time rejects the prompt",
    ],
    ..BASE
};

pub(super) const USER_PROMPT_EXPANSION: EventSpec = EventSpec {
    kind: EventKind::UserPromptExpansion,
    summary: "A command that the user typed becomes a prompt.",
    matcher: wide("command_name", &[]),
    carries: Carries { permission_mode: true, effort: false },
    input: &[
        req("expansion_type", FieldType::String, "`slash_command` or `mcp_prompt`.")
            .one_of(&["slash_command", "mcp_prompt"]),
        req("command_name", FieldType::String, "The command, without its slash."),
        req("command_args", FieldType::String, "The text after the command, as typed."),
        opt("command_source", FieldType::String, "The place where the command is defined."),
        req("prompt", FieldType::String, "The user's text."),
    ],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::BlockExpansion, audience: Audience::User },
    plain_stdout: PlainStdout::Context,
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::EndTurnAlways),
    on_failure: OnFailureEffect::Block,
    ..BASE
};

pub(super) const STOP: EventSpec = EventSpec {
    kind: EventKind::Stop,
    summary: "The main agent has answered and calls no more tools.",
    carries: Carries { permission_mode: true, effort: true },
    input: &[
        req(
            "stop_hook_active",
            FieldType::Boolean,
            "True while the turn continues because an earlier stop hook blocked.",
        ),
        opt("last_assistant_message", FieldType::String, "The final text of the model."),
        opt("background_tasks", FieldType::Objects, "The running background tasks, one object each."),
        opt("session_crons", FieldType::Objects, "The scheduled jobs of the session, one object each."),
    ],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::ContinueTurn, audience: Audience::Model },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::ContinueTurnWithReason),
    notes: &[
        "the ninth continuation in a row is overridden (cap: `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`, 0 for none); a tool call in between restarts the count",
        "never fired when the user interrupts, nor on an API error: that is StopFailure",
    ],
    ..BASE
};

pub(super) const STOP_FAILURE: EventSpec = EventSpec {
    kind: EventKind::StopFailure,
    summary: "An API error ended the turn.",
    matcher: Some(MatcherSpec {
        field: "error",
        alphabet: Alphabet::Narrow,
        values: &[
            "rate_limit",
            "overloaded",
            "authentication_failed",
            "oauth_org_not_allowed",
            "billing_error",
            "invalid_request",
            "model_not_found",
            "server_error",
            "max_output_tokens",
            "unknown",
        ],
    }),
    carries: Carries { permission_mode: false, effort: true },
    input: &[
        req("error", FieldType::String, "The error."),
        opt("error_details", FieldType::String, "Details of the error, if there are any."),
        opt("last_assistant_message", FieldType::String, "The final text of the model."),
    ],
    exit_2: Exit2 { effect: Exit2Effect::Ignored, audience: Audience::None },
    honours: Honours { stop: false, system_message: false },
    host_waits: false,
    ..BASE
};
