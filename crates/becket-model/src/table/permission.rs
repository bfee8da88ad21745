//! Permissions and notifications: their rows of the event table.

use super::{
    Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldSpec, FieldType, Honours,
    ModelNotOk, OnFailureEffect, WITH_MODELS, opt, req, wide,
};
use crate::EventKind;

/// The defaults of the rows below.
const BASE: EventSpec = EventSpec { family: Family::Permission, ..super::BASE };

/// The fields of an answer to a permission prompt.
const REQUEST_DECISION: &[FieldSpec] = &[
    req("behavior", FieldType::String, "`allow` or `deny`").one_of(&["allow", "deny"]),
    opt("updatedInput", FieldType::Object, "with allow: replaces the whole input of the call"),
    opt("updatedPermissions", FieldType::Objects, "with allow: rule updates"),
    opt("message", FieldType::String, "with deny: the reason, for the model"),
    opt("interrupt", FieldType::Boolean, "with deny: the turn stops too"),
];

pub(super) const PERMISSION_REQUEST: EventSpec = EventSpec {
    kind: EventKind::PermissionRequest,
    summary: "A tool call needs a permission.",
    matcher: wide("tool_name", &[]),
    condition: true,
    carries: Carries { permission_mode: true, effort: true },
    input: &[
        req("tool_name", FieldType::String, "The tool, under its current name."),
        req("tool_input", FieldType::Object, "The call's arguments."),
        opt("permission_suggestions", FieldType::Objects, "Rule updates that the host would offer the user."),
    ],
    output: &[opt("decision", FieldType::Object, "the answer: allow or deny").holding(REQUEST_DECISION)],
    decision: DecisionModel::PermissionRequest,
    exit_2: Exit2 { effect: Exit2Effect::Ignored, audience: Audience::None },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::Ignored),
    on_failure: OnFailureEffect::Block,
    ..BASE
};

pub(super) const PERMISSION_DENIED: EventSpec = EventSpec {
    kind: EventKind::PermissionDenied,
    summary: "The automatic mode has refused a tool call.",
    matcher: wide("tool_name", &[]),
    condition: true,
    carries: Carries { permission_mode: true, effort: true },
    input: &[
        req("tool_name", FieldType::String, "The tool, under its current name."),
        req("tool_input", FieldType::Object, "The call's arguments."),
        req("tool_use_id", FieldType::String, "The id of the call."),
        opt(
            "mcp_server",
            FieldType::Object,
            "The MCP server of the tool, if it has one: `name` and `source`.",
        ),
        req("reason", FieldType::String, "The reason for the refusal."),
    ],
    output: &[opt("retry", FieldType::Boolean, "let the model try again")],
    decision: DecisionModel::Retry,
    exit_2: Exit2 { effect: Exit2Effect::Ignored, audience: Audience::None },
    honours: Honours { stop: false, system_message: false },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::Ignored),
    notes: &["`retry` is ignored if the classifier gave no verdict"],
    ..BASE
};

pub(super) const NOTIFICATION: EventSpec = EventSpec {
    kind: EventKind::Notification,
    summary: "The host notifies the user.",
    matcher: wide(
        "notification_type",
        &[
            "permission_prompt",
            "idle_prompt",
            "auth_success",
            "elicitation_dialog",
            "elicitation_url_dialog",
            "elicitation_complete",
            "elicitation_response",
            "agent_needs_input",
            "agent_completed",
        ],
    ),
    input: &[
        req("message", FieldType::String, "The text shown to the user."),
        opt("title", FieldType::String, "The title above the message."),
        req("notification_type", FieldType::String, "The kind of notification."),
    ],
    exit_2: Exit2 { effect: Exit2Effect::Ignored, audience: Audience::None },
    honours: Honours { stop: false, system_message: false },
    host_waits: false,
    notes: &["permission prompts and elicitations after 6 s without a key, idle after 60 s"],
    ..BASE
};
