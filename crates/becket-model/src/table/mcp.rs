//! Questions of MCP servers: their rows of the event table.

use super::{
    Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldSpec, FieldType, Honours,
    OnFailureEffect, opt, req, wide,
};
use crate::EventKind;

/// The defaults of the rows below.
const BASE: EventSpec = EventSpec { family: Family::Mcp, ..super::BASE };

/// The answer to a question of a server.
const ANSWER: &[FieldSpec] = &[
    opt("action", FieldType::String, "`accept`, `decline` or `cancel`")
        .one_of(&["accept", "decline", "cancel"]),
    opt("content", FieldType::Object, "the answer, by field"),
];

pub(super) const ELICITATION: EventSpec = EventSpec {
    kind: EventKind::Elicitation,
    summary: "An MCP server asks the user a question.",
    matcher: wide("mcp_server_name", &[]),
    carries: Carries { permission_mode: true, effort: false },
    input: &[
        req("mcp_server_name", FieldType::String, "The MCP server that asks."),
        req("message", FieldType::String, "The text shown to the user."),
        opt("mode", FieldType::String, "`form` or `url`.").one_of(&["form", "url"]),
        opt("url", FieldType::String, "The page that the user is sent to (mode `url`)."),
        opt("elicitation_id", FieldType::String, "The id of the question."),
        opt("requested_schema", FieldType::Object, "The schema of the answer (mode `form`)."),
    ],
    output: ANSWER,
    decision: DecisionModel::Elicitation,
    exit_2: Exit2 { effect: Exit2Effect::Decline, audience: Audience::None },
    honours: Honours { stop: false, system_message: false },
    on_failure: OnFailureEffect::Block,
    notes: &["on exit 2 `hookSpecificOutput` is ignored"],
    ..BASE
};

pub(super) const ELICITATION_RESULT: EventSpec = EventSpec {
    kind: EventKind::ElicitationResult,
    summary: "The user has answered an MCP server's question.",
    matcher: wide("mcp_server_name", &[]),
    carries: Carries { permission_mode: true, effort: false },
    input: &[
        req("mcp_server_name", FieldType::String, "The MCP server that asks."),
        req("action", FieldType::String, "`accept`, `decline` or `cancel`."),
        opt("mode", FieldType::String, "`form` or `url`."),
        opt("elicitation_id", FieldType::String, "The id of the question."),
        opt("content", FieldType::Object, "The answer, by field."),
    ],
    output: ANSWER,
    decision: DecisionModel::Elicitation,
    exit_2: Exit2 { effect: Exit2Effect::Decline, audience: Audience::None },
    honours: Honours { stop: false, system_message: false },
    on_failure: OnFailureEffect::Block,
    notes: &["on exit 2 `hookSpecificOutput` is ignored"],
    ..BASE
};
