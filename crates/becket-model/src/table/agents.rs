//! Subagents, tasks and teammates: their rows of the event table.

use super::{
    Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldSpec, FieldType, Honours,
    ModelNotOk, OnFailureEffect, WITH_MODELS, opt, req, wide,
};
use crate::EventKind;

/// The defaults of the rows below.
const BASE: EventSpec = EventSpec { family: Family::Agents, ..super::BASE };

/// The input about a task.
const TASK: &[FieldSpec] = &[
    req("task_id", FieldType::String, "The task's id."),
    req("task_subject", FieldType::String, "The subject of the task, in one line."),
    opt("task_description", FieldType::String, "The description of the task."),
    opt("teammate_name", FieldType::String, "The teammate's name."),
    opt("team_name", FieldType::String, "The team's name."),
];

pub(super) const SUBAGENT_START: EventSpec = EventSpec {
    kind: EventKind::SubagentStart,
    summary: "A subagent starts.",
    matcher: wide("agent_type", &[]),
    input: &[
        req("agent_id", FieldType::String, "The subagent's id."),
        req("agent_type", FieldType::String, "The subagent's name."),
    ],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Context,
    ..BASE
};

pub(super) const SUBAGENT_STOP: EventSpec = EventSpec {
    kind: EventKind::SubagentStop,
    summary: "A subagent has answered.",
    matcher: wide("agent_type", &[]),
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
        req("agent_id", FieldType::String, "The subagent's id."),
        req("agent_type", FieldType::String, "The subagent's name."),
        req("agent_transcript_path", FieldType::String, "The subagent's own transcript."),
    ],
    output: &[opt("additionalContext", FieldType::String, "text for the model")],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::ContinueTurn, audience: Audience::Model },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::ContinueTurnWithReason),
    ..BASE
};

pub(super) const TASK_CREATED: EventSpec = EventSpec {
    kind: EventKind::TaskCreated,
    summary: "A task is about to be created.",
    carries: Carries { permission_mode: true, effort: false },
    input: TASK,
    decision: DecisionModel::Task,
    exit_2: Exit2 { effect: Exit2Effect::Rollback, audience: Audience::Model },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::ToolError),
    on_failure: OnFailureEffect::Block,
    ..BASE
};

pub(super) const TASK_COMPLETED: EventSpec = EventSpec {
    kind: EventKind::TaskCompleted,
    summary: "A task is about to be marked as done.",
    carries: Carries { permission_mode: true, effort: false },
    input: TASK,
    decision: DecisionModel::ContinueOnly,
    exit_2: Exit2 { effect: Exit2Effect::RefuseCompletion, audience: Audience::Model },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::ToolError),
    on_failure: OnFailureEffect::Block,
    notes: &["`continue: false` stops the teammate and shows `stopReason`"],
    ..BASE
};

pub(super) const TEAMMATE_IDLE: EventSpec = EventSpec {
    kind: EventKind::TeammateIdle,
    summary: "A teammate has nothing more to do.",
    carries: Carries { permission_mode: true, effort: false },
    input: &[
        req("teammate_name", FieldType::String, "The teammate's name."),
        opt("team_name", FieldType::String, "The team's name."),
    ],
    decision: DecisionModel::ContinueOnly,
    exit_2: Exit2 { effect: Exit2Effect::KeepWorking, audience: Audience::Model },
    honours: Honours { stop: true, system_message: true },
    handlers: WITH_MODELS,
    model_not_ok: Some(ModelNotOk::StopTeammate),
    ..BASE
};
