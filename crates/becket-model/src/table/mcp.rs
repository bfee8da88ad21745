//! Questions of MCP servers: their rows of the event table.

use super::{
    Alphabet, Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldType,
    HandlerKind, Honours, MatcherSpec, OnFailureEffect, PlainStdout, opt, req,
};
use crate::EventKind;
use std::time::Duration;

pub(super) const ELICITATION: EventSpec = EventSpec {
    kind: EventKind::Elicitation,
    family: Family::Mcp,
    summary: "An MCP server asks the user something.",
    matcher: Some(MatcherSpec { field: "mcp_server_name", alphabet: Alphabet::Wide, values: &[] }),
    condition: false,
    carries: Carries { permission_mode: true, effort: false },
    input: &[
        req("mcp_server_name", FieldType::String, "The MCP server that asks."),
        req("message", FieldType::String, "The text shown to the user."),
        opt("mode", FieldType::String, "`form` or `url`.").one_of(&["form", "url"]),
        opt("url", FieldType::String, "The page that the user is sent to (mode `url`)."),
        opt("elicitation_id", FieldType::String, "The id of the question."),
        opt("requested_schema", FieldType::Object, "The shape of the answer (mode `form`)."),
    ],
    output: &[
        opt("action", FieldType::String, "`accept`, `decline` or `cancel`")
            .one_of(&["accept", "decline", "cancel"]),
        opt("content", FieldType::Object, "the answer, by field"),
    ],
    decision: DecisionModel::Elicitation,
    exit_2: Exit2 { effect: Exit2Effect::Decline, told: Audience::None },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Block,
    env_file: false,
    host_waits: true,
    notes: &["on exit 2 `hookSpecificOutput` is ignored"],
};

pub(super) const ELICITATION_RESULT: EventSpec = EventSpec {
    kind: EventKind::ElicitationResult,
    family: Family::Mcp,
    summary: "The user has answered an MCP server's question.",
    matcher: Some(MatcherSpec { field: "mcp_server_name", alphabet: Alphabet::Wide, values: &[] }),
    condition: false,
    carries: Carries { permission_mode: true, effort: false },
    input: &[
        req("mcp_server_name", FieldType::String, "The MCP server that asks."),
        req("action", FieldType::String, "`accept`, `decline` or `cancel`."),
        opt("mode", FieldType::String, "`form` or `url`."),
        opt("elicitation_id", FieldType::String, "The id of the question."),
        opt("content", FieldType::Object, "The answer, by field."),
    ],
    output: &[
        opt("action", FieldType::String, "`accept`, `decline` or `cancel`")
            .one_of(&["accept", "decline", "cancel"]),
        opt("content", FieldType::Object, "the answer, by field"),
    ],
    decision: DecisionModel::Elicitation,
    exit_2: Exit2 { effect: Exit2Effect::Decline, told: Audience::None },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Block,
    env_file: false,
    host_waits: true,
    notes: &["on exit 2 `hookSpecificOutput` is ignored"],
};
