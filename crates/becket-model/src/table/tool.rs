//! Tool calls: their rows of the event table.

use super::{
    Alphabet, Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldType,
    HandlerKind, Honours, MatcherSpec, ModelNotOk, OnFailureEffect, PlainStdout, opt, req,
};
use crate::EventKind;
use std::time::Duration;

pub(super) const PRE_TOOL_USE: EventSpec = EventSpec {
    kind: EventKind::PreToolUse,
    family: Family::Tool,
    summary: "A tool call is about to run.",
    matcher: Some(MatcherSpec { field: "tool_name", alphabet: Alphabet::Wide, values: &[] }),
    condition: true,
    carries: Carries { permission_mode: true, effort: true },
    input: &[
        req("tool_name", FieldType::String, "The tool, under its current name."),
        req("tool_input", FieldType::Object, "The call's arguments."),
        req("tool_use_id", FieldType::String, "The id of the call."),
        opt("mcp_server", FieldType::Object, "For a tool of an MCP server: its `name` and `source`."),
    ],
    output: &[
        opt("permissionDecision", FieldType::String, "`allow`, `deny`, `ask` or `defer`")
            .one_of(&["allow", "deny", "ask", "defer"]),
        opt("permissionDecisionReason", FieldType::String, "why; for the model on deny, else for the user"),
        opt("updatedInput", FieldType::Object, "replaces the whole input of the call"),
        opt("additionalContext", FieldType::String, "text for the model"),
    ],
    decision: DecisionModel::Permission,
    exit_2: Exit2 { effect: Exit2Effect::DenyTool, told: Audience::Model },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: true, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
        (HandlerKind::Prompt, Duration::from_secs(30)),
        (HandlerKind::Agent, Duration::from_secs(60)),
    ],
    model_not_ok: Some(ModelNotOk::DenyAndEndTurn),
    on_failure: OnFailureEffect::Block,
    env_file: false,
    host_waits: true,
    notes: &[
        "strictest first: deny, defer, ask, allow",
        "the older top-level `decision` approve or block reads as allow or deny",
        "deny and ask rules are applied whatever a hook says",
        "a callback that fails or runs out of time denies the call",
    ],
};

pub(super) const POST_TOOL_USE: EventSpec = EventSpec {
    kind: EventKind::PostToolUse,
    family: Family::Tool,
    summary: "A tool call has succeeded.",
    matcher: Some(MatcherSpec { field: "tool_name", alphabet: Alphabet::Wide, values: &[] }),
    condition: true,
    carries: Carries { permission_mode: true, effort: true },
    input: &[
        req("tool_name", FieldType::String, "The tool, under its current name."),
        req("tool_input", FieldType::Object, "The call's arguments."),
        req("tool_use_id", FieldType::String, "The id of the call."),
        opt("mcp_server", FieldType::Object, "For a tool of an MCP server: its `name` and `source`."),
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
    exit_2: Exit2 { effect: Exit2Effect::Feedback, told: Audience::Model },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: true, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
        (HandlerKind::Prompt, Duration::from_secs(30)),
        (HandlerKind::Agent, Duration::from_secs(60)),
    ],
    model_not_ok: Some(ModelNotOk::EndTurnWithWarning),
    on_failure: OnFailureEffect::Block,
    env_file: false,
    host_waits: true,
    notes: &[],
};

pub(super) const POST_TOOL_USE_FAILURE: EventSpec = EventSpec {
    kind: EventKind::PostToolUseFailure,
    family: Family::Tool,
    summary: "A tool call has started and failed.",
    matcher: Some(MatcherSpec { field: "tool_name", alphabet: Alphabet::Wide, values: &[] }),
    condition: true,
    carries: Carries { permission_mode: true, effort: true },
    input: &[
        req("tool_name", FieldType::String, "The tool, under its current name."),
        req("tool_input", FieldType::Object, "The call's arguments."),
        req("tool_use_id", FieldType::String, "The id of the call."),
        opt("mcp_server", FieldType::Object, "For a tool of an MCP server: its `name` and `source`."),
        req("error", FieldType::String, "The error."),
        opt("is_interrupt", FieldType::Boolean, "Set if the user interrupted it."),
        opt("duration_ms", FieldType::Integer, "The duration of the call, in milliseconds."),
    ],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::Feedback, told: Audience::Model },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: true, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
        (HandlerKind::Prompt, Duration::from_secs(30)),
        (HandlerKind::Agent, Duration::from_secs(60)),
    ],
    model_not_ok: Some(ModelNotOk::ToolError),
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[
        "not fired for a call that was refused before it started, nor for one that the user cancels",
        "Bash errors begin with the line `Exit code N`",
    ],
};

pub(super) const POST_TOOL_BATCH: EventSpec = EventSpec {
    kind: EventKind::PostToolBatch,
    family: Family::Tool,
    summary: "All calls of one model answer are done; the next request has not gone out.",
    matcher: None,
    condition: false,
    carries: Carries { permission_mode: true, effort: true },
    input: &[req(
        "tool_calls",
        FieldType::Objects,
        "The calls of the batch: `tool_name`, `tool_input`, `tool_use_id`, `tool_response` each.",
    )],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::StopLoop, told: Audience::Both },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: true, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
        (HandlerKind::Prompt, Duration::from_secs(30)),
        (HandlerKind::Agent, Duration::from_secs(60)),
    ],
    model_not_ok: Some(ModelNotOk::EndTurnAlways),
    on_failure: OnFailureEffect::Block,
    env_file: false,
    host_waits: true,
    notes: &[],
};
