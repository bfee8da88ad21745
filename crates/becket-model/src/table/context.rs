//! Rows of the event table about the context: instructions, compaction, display, models.

use super::{
    Alphabet, Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldType,
    HandlerKind, Honours, MatcherSpec, OnFailureEffect, PlainStdout, opt, req,
};
use crate::EventKind;
use std::time::Duration;

pub(super) const INSTRUCTIONS_LOADED: EventSpec = EventSpec {
    kind: EventKind::InstructionsLoaded,
    family: Family::Context,
    summary: "A file with instructions has entered the context.",
    matcher: Some(MatcherSpec {
        field: "load_reason",
        alphabet: Alphabet::Wide,
        values: &["session_start", "nested_traversal", "path_glob_match", "include", "compact"],
    }),
    condition: false,
    carries: Carries { permission_mode: false, effort: true },
    input: &[
        req("file_path", FieldType::String, "The file."),
        req("memory_type", FieldType::String, "`User`, `Project`, `Local` or `Managed`.")
            .one_of(&["User", "Project", "Local", "Managed"]),
        req("load_reason", FieldType::String, "The reason for which it was loaded."),
        opt("globs", FieldType::Strings, "The path patterns that let it in."),
        opt("trigger_file_path", FieldType::String, "The file whose access loaded it."),
        opt("parent_file_path", FieldType::String, "The file that includes it."),
    ],
    output: &[],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Ignored, told: Audience::None },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: false,
    notes: &[],
};

pub(super) const PRE_COMPACT: EventSpec = EventSpec {
    kind: EventKind::PreCompact,
    family: Family::Context,
    summary: "The conversation is about to be compacted.",
    matcher: Some(MatcherSpec { field: "trigger", alphabet: Alphabet::Wide, values: &["manual", "auto"] }),
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("trigger", FieldType::String, "The cause of the compaction: `manual` or `auto`."),
        req(
            "custom_instructions",
            FieldType::StringOrNull,
            "The user's words for the summary; null if there are none.",
        ),
    ],
    output: &[],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::BlockCompaction, told: Audience::User },
    plain_stdout: PlainStdout::User,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[
        "blocked when automatic: the turn goes on uncompacted, or ends with the context-limit error that asked for it",
    ],
};

pub(super) const POST_COMPACT: EventSpec = EventSpec {
    kind: EventKind::PostCompact,
    family: Family::Context,
    summary: "The conversation has been compacted.",
    matcher: Some(MatcherSpec { field: "trigger", alphabet: Alphabet::Wide, values: &["manual", "auto"] }),
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("trigger", FieldType::String, "The cause of the compaction: `manual` or `auto`."),
        req("compact_summary", FieldType::String, "The summary as the model wrote it."),
    ],
    output: &[],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Proceed, told: Audience::User },
    plain_stdout: PlainStdout::User,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[],
};

pub(super) const MESSAGE_DISPLAY: EventSpec = EventSpec {
    kind: EventKind::MessageDisplay,
    family: Family::Context,
    summary: "The model's text is about to be shown.",
    matcher: None,
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("turn_id", FieldType::String, "The turn."),
        req("message_id", FieldType::String, "The message."),
        req("index", FieldType::Integer, "Number of the batch in its message, from 0."),
        req("final", FieldType::Boolean, "Set if this is the last batch."),
        req("delta", FieldType::String, "The text of this batch."),
    ],
    output: &[opt("displayContent", FieldType::String, "shown in place of the text")],
    decision: DecisionModel::Display,
    exit_2: Exit2 { effect: Exit2Effect::Ignored, told: Audience::None },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(10)),
        (HandlerKind::Http, Duration::from_secs(10)),
        (HandlerKind::McpTool, Duration::from_secs(10)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[
        "interactive: once per batch of whole lines; else once per message",
        "on failure the original is shown",
    ],
};

pub(super) const PRE_MODEL_SWITCH: EventSpec = EventSpec {
    kind: EventKind::PreModelSwitch,
    family: Family::Context,
    summary: "The user wants another model.",
    matcher: Some(MatcherSpec { field: "to_model", alphabet: Alphabet::Wide, values: &[] }),
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("from_model", FieldType::String, "The model before."),
        req("to_model", FieldType::String, "The model after."),
        req("requested_model", FieldType::String, "The name as the user gave it."),
        req("source", FieldType::String, "The origin of the request to switch."),
        opt("context_tokens", FieldType::Integer, "Tokens in the context."),
        opt("prompt_cache_warm", FieldType::Boolean, "Set if the provider still caches the prompt."),
        opt("cache_ttl", FieldType::String, "The lifetime of a cache entry."),
        opt(
            "estimated_cache_write_usd",
            FieldType::Number,
            "The cost of writing the cache again, in US dollars.",
        ),
        opt("pricing", FieldType::String, "The origin of the price."),
    ],
    output: &[],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::BlockSwitch, told: Audience::User },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Block,
    env_file: false,
    host_waits: true,
    notes: &[],
};

pub(super) const POST_MODEL_SWITCH: EventSpec = EventSpec {
    kind: EventKind::PostModelSwitch,
    family: Family::Context,
    summary: "Another model is in use.",
    matcher: Some(MatcherSpec { field: "to_model", alphabet: Alphabet::Wide, values: &[] }),
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("from_model", FieldType::String, "The model before."),
        req("to_model", FieldType::String, "The model after."),
        req("requested_model", FieldType::String, "The name as the user gave it."),
        req("source", FieldType::String, "The origin of the request to switch."),
        opt("context_tokens", FieldType::Integer, "Tokens in the context."),
        opt("prompt_cache_warm", FieldType::Boolean, "Set if the provider still caches the prompt."),
        opt("cache_ttl", FieldType::String, "The lifetime of a cache entry."),
        opt(
            "estimated_cache_write_usd",
            FieldType::Number,
            "The cost of writing the cache again, in US dollars.",
        ),
        opt("pricing", FieldType::String, "The origin of the price."),
    ],
    output: &[],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Proceed, told: Audience::User },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[],
};
