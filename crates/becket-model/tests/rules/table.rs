//! Every row of the event table against this project's own copy of the facts, `cases/events.json`.

use crate::common::{cases, event, report};
use becket_model::EventKind;
use becket_model::table::{
    Alphabet, Audience, DecisionModel, EventSpec, Exit2Effect, Family, FieldSpec, FieldType, HandlerKind,
    ModelNotOk, OnFailureEffect, PlainStdout, UNIVERSAL_OUTPUT, on_failure_events,
};
use serde_json::{Value, json};

/// Returns a row in the vocabulary of the data file.
fn facts(spec: &EventSpec) -> Value {
    json!({
        "event": spec.kind.name(),
        "family": family(spec.family),
        "matcher": spec.matcher.map(|matcher| json!({
            "field": matcher.field,
            "alphabet": match matcher.alphabet { Alphabet::Wide => "wide", Alphabet::Narrow => "narrow" },
            "values": matcher.values,
        })),
        "if": spec.condition,
        "permission_mode": spec.carries.permission_mode,
        "effort": spec.carries.effort,
        "input": fields(spec.input),
        "output": fields(spec.output),
        "decision": decision(spec.decision),
        "exit_2": [effect(spec.exit_2.effect), audience(spec.exit_2.audience)],
        "plain_stdout": match spec.plain_stdout {
            PlainStdout::Context => "context",
            PlainStdout::User => "user",
            PlainStdout::Log => "log",
            PlainStdout::Path => "path",
        },
        "honours": honours(spec),
        "handlers": spec.handlers.iter().map(|(kind, limit)| json!([kind.name(), seconds(limit.as_secs_f64())]))
            .collect::<Vec<_>>(),
        "model_not_ok": spec.model_not_ok.map(not_ok),
        "on_failure": match spec.on_failure {
            OnFailureEffect::Nothing => "nothing",
            OnFailureEffect::Block => "block",
        },
        "env_file": spec.env_file,
        "host_waits": spec.host_waits,
    })
}

fn honours(spec: &EventSpec) -> Vec<&'static str> {
    let stop = spec.honours.stop.then_some("continue");
    stop.into_iter().chain(spec.honours.system_message.then_some("systemMessage")).collect()
}

fn seconds(seconds: f64) -> Value {
    if seconds.fract() == 0.0 { json!(seconds as u64) } else { json!(seconds) }
}

fn fields(fields: &[FieldSpec]) -> Vec<Value> {
    fields
        .iter()
        .map(|field| {
            let kind = match field.kind {
                FieldType::String => "string",
                FieldType::StringOrNull => "string|null",
                FieldType::Strings => "string[]",
                FieldType::Number => "number",
                FieldType::Integer => "integer",
                FieldType::Boolean => "boolean",
                FieldType::Object => "object",
                FieldType::Objects => "object[]",
                FieldType::Any => "any",
            };
            let required = if field.required { "required" } else { "optional" };
            match field.values {
                [] => json!([field.name, kind, required]),
                values => json!([field.name, kind, required, values]),
            }
        })
        .collect()
}

fn family(family: Family) -> &'static str {
    match family {
        Family::Session => "session",
        Family::Tool => "tool",
        Family::Permission => "permission",
        Family::Agents => "agents",
        Family::Context => "context",
        Family::Environment => "environment",
        Family::Mcp => "mcp",
    }
}

fn decision(decision: DecisionModel) -> &'static str {
    match decision {
        DecisionModel::None => "none",
        DecisionModel::Context => "context",
        DecisionModel::Block => "block",
        DecisionModel::Permission => "permission",
        DecisionModel::PermissionRequest => "permission_request",
        DecisionModel::Retry => "retry",
        DecisionModel::Task => "task",
        DecisionModel::ContinueOnly => "continue_only",
        DecisionModel::Display => "display",
        DecisionModel::Path => "path",
        DecisionModel::Elicitation => "elicitation",
    }
}

fn effect(effect: Exit2Effect) -> &'static str {
    match effect {
        Exit2Effect::Proceed => "proceed",
        Exit2Effect::Ignored => "ignored",
        Exit2Effect::DenyTool => "deny_tool",
        Exit2Effect::RejectPrompt => "reject_prompt",
        Exit2Effect::BlockExpansion => "block_expansion",
        Exit2Effect::ContinueTurn => "continue_turn",
        Exit2Effect::Feedback => "feedback",
        Exit2Effect::StopLoop => "stop_loop",
        Exit2Effect::Rollback => "rollback",
        Exit2Effect::RefuseCompletion => "refuse_completion",
        Exit2Effect::KeepWorking => "keep_working",
        Exit2Effect::BlockCompaction => "block_compaction",
        Exit2Effect::BlockSwitch => "block_switch",
        Exit2Effect::BlockChange => "block_change",
        Exit2Effect::FailCreation => "fail_creation",
        Exit2Effect::Decline => "decline",
    }
}

fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::None => "none",
        Audience::User => "user",
        Audience::Model => "model",
        Audience::Both => "both",
        Audience::Log => "log",
    }
}

fn not_ok(not_ok: ModelNotOk) -> &'static str {
    match not_ok {
        ModelNotOk::DenyAndEndTurn => "deny_and_end_turn",
        ModelNotOk::EndTurnWithWarning => "end_turn_with_warning",
        ModelNotOk::EndTurnAlways => "end_turn_always",
        ModelNotOk::ToolError => "tool_error",
        ModelNotOk::ContinueTurnWithReason => "continue_turn_with_reason",
        ModelNotOk::StopTeammate => "stop_teammate",
        ModelNotOk::Ignored => "ignored",
    }
}

#[test]
fn every_row_of_the_table_is_as_the_data_says() {
    // rules: M5, M6, P12, H7, H10, H11, H12, O2, O3, O7, O10, N1
    let rows = cases("events.json");
    let failed = rows
        .iter()
        .filter_map(|row| {
            let got = facts(event(row).spec());
            let wrong: Vec<String> = row
                .as_object()
                .unwrap()
                .iter()
                .filter(|(key, value)| got[key.as_str()] != **value)
                .map(|(key, value)| format!("  {key}: want {value}, got {}", got[key.as_str()]))
                .collect();
            assert_eq!(row.as_object().unwrap().len(), got.as_object().unwrap().len());
            (!wrong.is_empty()).then(|| format!("{}\n{}", row["event"], wrong.join("\n")))
        })
        .collect();
    report(failed, rows.len(), 33);
    let names: Vec<&str> = rows.iter().map(|row| row["event"].as_str().unwrap()).collect();
    let known: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
    for name in &known {
        assert!(names.contains(name), "{name} has no facts");
    }
}

#[test]
fn a_kind_has_a_default_limit_exactly_where_it_is_allowed() {
    // rules: H10, H11
    for kind in EventKind::ALL {
        let spec = kind.spec();
        assert_eq!(spec.kind, kind);
        for handler in HandlerKind::ALL {
            let allowed = spec.handlers.iter().any(|(allowed, _)| *allowed == handler);
            assert_eq!(spec.default_timeout(handler).is_some(), allowed, "{kind} {handler}");
        }
        let asks_models = spec.default_timeout(HandlerKind::Prompt).is_some();
        assert_eq!(spec.model_not_ok.is_some(), asks_models, "{kind}");
    }
}

#[test]
fn what_a_matcher_tests_and_an_if_looks_at_is_in_the_input() {
    // rules: M6, P12
    for kind in EventKind::ALL {
        let spec = kind.spec();
        let input: Vec<&str> = spec.all_input().map(|field| field.name).collect();
        if let Some(matcher) = spec.matcher {
            assert!(input.contains(&matcher.field), "{kind}: {}", matcher.field);
        }
        assert_eq!(spec.condition, input.contains(&"tool_input"), "{kind}");
        let narrow = spec.matcher.is_some_and(|matcher| matcher.alphabet == Alphabet::Narrow);
        assert_eq!(narrow, ["FileChanged", "StopFailure"].contains(&kind.name()), "{kind}");
    }
}

#[test]
fn inputs_begin_with_the_common_fields_and_name_each_field_once() {
    // rule: N1
    for kind in EventKind::ALL {
        let names: Vec<&str> = kind.spec().all_input().map(|field| field.name).collect();
        assert_eq!(names[..3], ["session_id", "transcript_path", "cwd"], "{kind}");
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{kind}");
    }
}

#[test]
fn a_closed_failure_counts_on_twelve_events() {
    // rule: O10
    let names: Vec<&str> = on_failure_events().map(EventKind::name).collect();
    let mut expected = [
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "TaskCreated",
        "TaskCompleted",
        "ConfigChange",
        "PreModelSwitch",
        "Elicitation",
        "ElicitationResult",
        "PermissionRequest",
    ];
    let mut sorted = names.clone();
    sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    assert!(UNIVERSAL_OUTPUT.iter().all(|field| !field.required));
}
