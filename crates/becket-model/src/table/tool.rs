//! Tool calls: their rows of the event table.

use super::{
    Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldSpec, FieldType, Honours,
    ModelNotOk, OnFailureEffect, WITH_MODELS, opt, req, wide,
};
use crate::EventKind;

/// The defaults of the rows below.
const BASE: EventSpec = EventSpec { family: Family::Tool, ..super::BASE };

/// The fields of `sandbox` in an answer. Their values are read by `interpret/sandbox.rs`.
const SANDBOX: &[FieldSpec] = &[
    opt("filesystem", FieldType::Object, "files; relative paths start in `cwd`").holding(&[
        opt("allowWrite", FieldType::Strings, "paths that can be written, beyond the working directories"),
        opt("denyRead", FieldType::Strings, "paths that can be neither read nor written"),
        opt("denyWrite", FieldType::Strings, "paths that can't be written"),
    ]),
    opt("network", FieldType::Object, "the network; nothing unless it is opened here").holding(&[
        opt("allowedDomains", FieldType::Strings, "hosts that can be reached; `*` opens the network"),
        opt("deniedDomains", FieldType::Strings, "hosts that can't be reached, even if they are allowed"),
        opt("allowLocalBinding", FieldType::Boolean, "a private loopback network for the call"),
        opt("allowAllUnixSockets", FieldType::Boolean, "sockets of this machine can be opened"),
    ]),
];

pub(super) const PRE_TOOL_USE: EventSpec = EventSpec {
    kind: EventKind::PreToolUse,
    summary: "A tool call is about to run.",
    matcher: wide("tool_name", &[]),
    condition: true,
    carries: Carries { permission_mode: true, effort: true },
    input: &[
        req("tool_name", FieldType::String, "The tool, under its current name."),
        req("tool_input", FieldType::Object, "The call's arguments."),
        req("tool_use_id", FieldType::String, "The id of the call."),
        opt("mcp_server", FieldType::Object, "The MCP server of the tool, if it has one: `name` and `source`."),
        opt(
            "executed",
            FieldType::Object,
            "A program that the call is about to run: `file`, `argv`, `cwd`, `chain`.",
        ),
    ],
    output: &[
        opt("permissionDecision", FieldType::String, "`allow`, `deny`, `ask` or `defer`")
            .one_of(&["allow", "deny", "ask", "defer"]),
        opt("permissionDecisionReason", FieldType::String, "the reason; for the model on deny, otherwise for the user"),
        opt("updatedInput", FieldType::Object, "replaces the whole input of the call"),
        opt(
            "sandbox",
            FieldType::Object,
            "less than all rights for the call, as the setting `sandbox` grants them; refuses a call whose host can't \
             enforce them",
        )
        .holding(SANDBOX)
        .restricting(),
        opt("additionalContext", FieldType::String, "text for the model"),
    ],
    decision: DecisionModel::Permission,
    exit_2: Exit2 { effect: Exit2Effect::DenyTool, audience: Audience::Model },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::DenyAndEndTurn),
    on_failure: OnFailureEffect::Block,
    notes: &[
        "strictest first: deny, defer, ask, allow",
        "the older top-level `decision` approve or block reads as allow or deny",
        "deny and ask rules apply regardless of hooks",
        "a callback that fails or runs out of time denies the call",
        "several `sandbox` grant only what all of them grant; one that can't be read refuses the call",
    ],
    ..BASE
};

pub(super) const POST_TOOL_USE: EventSpec = EventSpec {
    kind: EventKind::PostToolUse,
    summary: "A tool call has succeeded.",
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
        req("tool_response", FieldType::Any, "The answer of the tool."),
        opt("duration_ms", FieldType::Integer, "The duration of the call, in milliseconds."),
    ],
    output: &[
        opt("additionalContext", FieldType::String, "text for the model"),
        opt("updatedToolOutput", FieldType::Any, "replaces the tool's output; must have its shape"),
        opt("updatedMCPToolOutput", FieldType::Any, "replaces the output of an MCP tool"),
        opt(
            "classifierContext",
            FieldType::String,
            "a note for the permission classifier, 2,000 characters a call",
        ),
    ],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::Feedback, audience: Audience::Model },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::EndTurnWithWarning),
    on_failure: OnFailureEffect::Block,
    ..BASE
};

pub(super) const POST_TOOL_USE_FAILURE: EventSpec = EventSpec {
    kind: EventKind::PostToolUseFailure,
    summary: "A tool call has started and failed.",
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
        req("error", FieldType::String, "The error."),
        opt("is_interrupt", FieldType::Boolean, "Set if the user interrupted it."),
        opt("duration_ms", FieldType::Integer, "The duration of the call, in milliseconds."),
    ],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::Feedback, audience: Audience::Model },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::ToolError),
    notes: &[
        "not fired for a call that was refused before it started, nor for one that the user cancels",
        "Bash errors begin with the line `Exit code N`",
    ],
    ..BASE
};

pub(super) const POST_TOOL_BATCH: EventSpec = EventSpec {
    kind: EventKind::PostToolBatch,
    summary: "All calls of one model answer are done; the next request has not been sent.",
    carries: Carries { permission_mode: true, effort: true },
    input: &[req(
        "tool_calls",
        FieldType::Objects,
        "The calls of the batch: `tool_name`, `tool_input`, `tool_use_id`, `tool_response` each.",
    )],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::StopLoop, audience: Audience::Both },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::EndTurnAlways),
    on_failure: OnFailureEffect::Block,
    ..BASE
};
