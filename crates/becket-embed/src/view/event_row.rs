//! A row of the event table, as `events` shows it.

use becket_model::EventKind;
use becket_model::table::{
    Audience, DecisionModel, EventSpec, Exit2Effect, FieldSpec, MatcherSpec, PlainStdout,
};
use becket_rules::tools;
use schemars::JsonSchema;
use serde::Serialize;

/// One event.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EventRow {
    /// Its name.
    pub event: &'static str,
    /// The moment at which it fires.
    pub when: &'static str,
    /// The input field that matchers are tested against.
    pub matcher: Option<&'static str>,
    /// The values that are known to occur there.
    pub matcher_values: Vec<&'static str>,
    /// True if a handler's `if` is evaluated.
    pub condition: bool,
    /// The fields that a hook reads on stdin.
    pub input: Vec<FieldRow>,
    /// The fields that it may put into `hookSpecificOutput`.
    pub output: Vec<FieldRow>,
    /// The decisions that it may make.
    pub decides: &'static str,
    /// The fields that form a decision.
    pub decision: Vec<FieldRow>,
    /// The effect of exit code 2.
    pub exit_2: String,
    /// The use of plain text on stdout.
    pub plain_stdout: &'static str,
    /// True if `continue: false` stops the host.
    pub stops: bool,
    /// True if `systemMessage` is shown.
    pub system_message: bool,
    /// The handler kinds that it allows.
    pub handlers: Vec<KindRow>,
    /// Further notes.
    pub notes: Vec<&'static str>,
}

/// One field.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FieldRow {
    /// Its name.
    pub name: &'static str,
    /// Its JSON type.
    pub r#type: &'static str,
    /// True if it is always present.
    pub required: bool,
    /// Its description.
    pub doc: &'static str,
}

/// A handler kind.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct KindRow {
    /// The `type` in a settings file.
    pub kind: &'static str,
    /// Its default time limit in seconds.
    pub default_timeout_s: f64,
}

impl From<EventKind> for EventRow {
    fn from(kind: EventKind) -> Self {
        let spec = kind.spec();
        EventRow {
            event: kind.name(),
            when: spec.summary,
            matcher: spec.matcher.map(|matcher| matcher.field),
            matcher_values: spec.matcher.map(values).unwrap_or_default(),
            condition: spec.condition,
            input: spec.all_input().map(FieldRow::from).collect(),
            output: spec.output.iter().map(FieldRow::from).collect(),
            decides: decides(spec.decision),
            decision: decision(spec.decision),
            exit_2: exit_2(spec),
            plain_stdout: plain_stdout(spec.plain_stdout),
            stops: spec.honours.stop,
            system_message: spec.honours.system_message,
            handlers: spec
                .handlers
                .iter()
                .map(|(kind, limit)| KindRow { kind: kind.name(), default_timeout_s: limit.as_secs_f64() })
                .collect(),
            notes: spec.notes.to_vec(),
        }
    }
}

impl From<&FieldSpec> for FieldRow {
    fn from(field: &FieldSpec) -> Self {
        FieldRow { name: field.name, r#type: field.kind.as_str(), required: field.required, doc: field.doc }
    }
}

/// Returns the values that a matcher may name; for tools, the known ones.
fn values(matcher: MatcherSpec) -> Vec<&'static str> {
    match matcher.field {
        "tool_name" => tools::known().to_vec(),
        _ => matcher.values.to_vec(),
    }
}

/// Returns the fields of a decision that the table of outputs does not list.
fn decision(model: DecisionModel) -> Vec<FieldRow> {
    let row = |(name, r#type, required, doc)| FieldRow { name, r#type, required, doc };
    let fields: &[(&'static str, &'static str, bool, &'static str)] = match model {
        DecisionModel::PermissionRequest => &[
            ("hookSpecificOutput.decision.behavior", "string", true, "`allow` or `deny`"),
            ("hookSpecificOutput.decision.message", "string", false, "beside `deny`: why; the model reads it"),
            ("hookSpecificOutput.decision.interrupt", "boolean", false, "beside `deny`: true ends the turn"),
            ("hookSpecificOutput.decision.updatedInput", "object", false, "beside `allow`: runs instead"),
            ("hookSpecificOutput.decision.updatedPermissions", "objects", false, "beside `allow`: rules from now on"),
        ],
        DecisionModel::Block | DecisionModel::Task => &[
            ("decision", "string", true, "`block`; leave it out to let it pass"),
            ("reason", "string", false, "why"),
        ],
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Retry
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Path
        // Their fields are rows of the output.
        | DecisionModel::Permission
        | DecisionModel::Elicitation => &[],
    };
    fields.iter().copied().map(row).collect()
}

const fn decides(model: DecisionModel) -> &'static str {
    match model {
        DecisionModel::None => "nothing",
        DecisionModel::Context => "nothing; it may give the model context",
        DecisionModel::Block => "block, by `decision: \"block\"` or exit 2",
        DecisionModel::Permission => "allow, deny, ask or defer, by `permissionDecision`; deny by exit 2",
        DecisionModel::PermissionRequest => "allow or deny, by `decision.behavior`",
        DecisionModel::Retry => "whether the model may try again, by `retry`",
        DecisionModel::Task => "block, by `decision: \"block\"` or exit 2; `continue: false` has no effect",
        DecisionModel::ContinueOnly => "block, by exit 2; `continue: false` stops the teammate",
        DecisionModel::Display => "what is shown, by `displayContent`",
        DecisionModel::Path => "where the worktree is, by the path that it prints",
        DecisionModel::Elicitation => "accept, decline or cancel, by `action`; decline by exit 2",
    }
}

fn exit_2(spec: &EventSpec) -> String {
    let effect = match spec.exit_2.effect {
        Exit2Effect::Proceed => "holds nothing back",
        Exit2Effect::Ignored => "has no effect",
        Exit2Effect::DenyTool => "denies the tool call",
        Exit2Effect::RejectPrompt => "rejects the prompt",
        Exit2Effect::BlockExpansion => "keeps the command from being expanded",
        Exit2Effect::ContinueTurn => "makes the turn go on",
        Exit2Effect::Feedback => "tells the model; what happened stays",
        Exit2Effect::StopLoop => "ends the loop before the next request",
        Exit2Effect::Rollback => "keeps the task from being created",
        Exit2Effect::RefuseCompletion => "keeps the task open",
        Exit2Effect::KeepWorking => "makes the teammate go on",
        Exit2Effect::BlockCompaction => "keeps the conversation as it is",
        Exit2Effect::BlockSwitch => "keeps the model",
        Exit2Effect::BlockChange => "keeps the settings",
        Exit2Effect::FailCreation => "fails the worktree",
        Exit2Effect::Decline => "declines the question",
    };
    match spec.exit_2.audience {
        Audience::None => effect.to_owned(),
        Audience::User => format!("{effect}; the user reads stderr"),
        Audience::Model => format!("{effect}; the model reads stderr"),
        Audience::Both => format!("{effect}; the user and the model read stderr"),
        Audience::Log => format!("{effect}; stderr is logged"),
    }
}

const fn plain_stdout(plain: PlainStdout) -> &'static str {
    match plain {
        PlainStdout::Context => "becomes context for the model",
        PlainStdout::User => "is shown to the user",
        PlainStdout::Log => "is only logged",
        PlainStdout::Path => "is read as a path",
    }
}
