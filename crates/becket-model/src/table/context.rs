//! Rows of the event table about the context: instructions, compaction, display, models.

use super::{
    Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldSpec, FieldType,
    HandlerKind, Honours, OnFailureEffect, PlainStdout, opt, req, wide,
};
use crate::EventKind;
use std::time::Duration;

/// The defaults of the rows below.
const BASE: EventSpec = EventSpec { family: Family::Context, ..super::BASE };

/// The input about a change of the model.
const MODEL_SWITCH: &[FieldSpec] = &[
    req("from_model", FieldType::String, "The previous model."),
    req("to_model", FieldType::String, "The new model."),
    req("requested_model", FieldType::String, "The name that the user requested."),
    req("source", FieldType::String, "The origin of the request to switch."),
    opt("context_tokens", FieldType::Integer, "The number of tokens in the context."),
    opt("prompt_cache_warm", FieldType::Boolean, "Set if the provider still caches the prompt."),
    opt("cache_ttl", FieldType::String, "The lifetime of a cache entry."),
    opt(
        "estimated_cache_write_usd",
        FieldType::Number,
        "The cost of writing the cache again, in US dollars.",
    ),
    opt("pricing", FieldType::String, "The origin of the price."),
];

pub(super) const INSTRUCTIONS_LOADED: EventSpec = EventSpec {
    kind: EventKind::InstructionsLoaded,
    summary: "A file with instructions has entered the context.",
    matcher: wide(
        "load_reason",
        &["session_start", "nested_traversal", "path_glob_match", "include", "compact"],
    ),
    carries: Carries { permission_mode: false, effort: true },
    input: &[
        req("file_path", FieldType::String, "The file."),
        req("memory_type", FieldType::String, "`User`, `Project`, `Local` or `Managed`.")
            .one_of(&["User", "Project", "Local", "Managed"]),
        req("load_reason", FieldType::String, "The reason why it was loaded."),
        opt("globs", FieldType::Strings, "The path patterns that caused it to be loaded."),
        opt("trigger_file_path", FieldType::String, "The file whose access caused it to be loaded."),
        opt("parent_file_path", FieldType::String, "The file that includes it."),
    ],
    exit_2: Exit2 { effect: Exit2Effect::Ignored, audience: Audience::None },
    honours: Honours { stop: false, system_message: false },
    host_waits: false,
    ..BASE
};

pub(super) const PRE_COMPACT: EventSpec = EventSpec {
    kind: EventKind::PreCompact,
    summary: "The conversation is about to be compacted.",
    matcher: wide("trigger", &["manual", "auto"]),
    input: &[
        req("trigger", FieldType::String, "The cause of the compaction: `manual` or `auto`."),
        req(
            "custom_instructions",
            FieldType::StringOrNull,
            "The user's instructions for the summary; null if there are none.",
        ),
    ],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::BlockCompaction, audience: Audience::User },
    plain_stdout: PlainStdout::User,
    honours: Honours { stop: false, system_message: false },
    notes: &[
        "blocked when automatic: the turn continues uncompacted, or ends with the context-limit error that caused it",
    ],
    ..BASE
};

pub(super) const POST_COMPACT: EventSpec = EventSpec {
    kind: EventKind::PostCompact,
    summary: "The conversation has been compacted.",
    matcher: wide("trigger", &["manual", "auto"]),
    input: &[
        req("trigger", FieldType::String, "The cause of the compaction: `manual` or `auto`."),
        req("compact_summary", FieldType::String, "The summary as the model wrote it."),
    ],
    plain_stdout: PlainStdout::User,
    honours: Honours { stop: false, system_message: false },
    ..BASE
};

pub(super) const MESSAGE_DISPLAY: EventSpec = EventSpec {
    kind: EventKind::MessageDisplay,
    summary: "The model's text is about to be shown.",
    input: &[
        req("turn_id", FieldType::String, "The id of the turn."),
        req("message_id", FieldType::String, "The id of the message."),
        req("index", FieldType::Integer, "The number of the batch in its message, from 0."),
        req("final", FieldType::Boolean, "Set if this is the last batch."),
        req("delta", FieldType::String, "The text of this batch."),
    ],
    output: &[opt("displayContent", FieldType::String, "shown instead of the text")],
    decision: DecisionModel::Display,
    exit_2: Exit2 { effect: Exit2Effect::Ignored, audience: Audience::None },
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(10)),
        (HandlerKind::Http, Duration::from_secs(10)),
        (HandlerKind::McpTool, Duration::from_secs(10)),
    ],
    notes: &[
        "interactive: once per batch of complete lines; otherwise once per message",
        "on failure the original is shown",
    ],
    ..BASE
};

pub(super) const PRE_MODEL_SWITCH: EventSpec = EventSpec {
    kind: EventKind::PreModelSwitch,
    summary: "The user requests another model.",
    matcher: wide("to_model", &[]),
    input: MODEL_SWITCH,
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::BlockSwitch, audience: Audience::User },
    on_failure: OnFailureEffect::Block,
    ..BASE
};

pub(super) const POST_MODEL_SWITCH: EventSpec = EventSpec {
    kind: EventKind::PostModelSwitch,
    summary: "Another model is in use.",
    matcher: wide("to_model", &[]),
    input: MODEL_SWITCH,
    ..BASE
};
