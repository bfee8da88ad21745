//! Claude Code: the protocol itself.

use super::words::{put, put_block};
use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{
    Answer, AnswerForm, AnswerSupport, AskForm, Dialect, Effect, EventRow, McpFiles, McpNames, Proof, Sign,
};
use becket_model::EventKind;
use becket_model::table::DecisionModel;
use serde_json::{Map, Value, json};

/// The field for text that the model reads.
const CONTEXT: &str = "additionalContext";

const CALL: AnswerSupport = AnswerSupport::ALL.ask(AskForm::KeptWithRewrite);

const fn row(kind: EventKind) -> EventRow {
    EventRow::named(kind, if matches!(kind, EventKind::PreToolUse) { CALL } else { AnswerSupport::ALL })
}

/// A row for each event of the protocol.
const EVENTS: [EventRow; 33] = {
    let mut rows = [row(EventKind::Setup); 33];
    let mut index = 0;
    while index < rows.len() {
        rows[index] = row(EventKind::ALL[index]);
        index += 1;
    }
    rows
};

pub(super) static CLAUDE: Dialect = Dialect {
    name: "claude",
    title: "Claude Code",
    version: "2.1.329",
    proof: Proof::Run,
    project_variables: &["CLAUDE_PROJECT_DIR"],
    timeout: HostTimeout::seconds(600),
    signs: &[
        &[
            Sign::Has("prompt_id"),
            Sign::Has("transcript_path"),
            Sign::Lacks("timestamp"),
            Sign::Lacks("turn_id"),
        ],
        &[
            Sign::Has("tool_use_id"),
            Sign::Has("transcript_path"),
            Sign::Lacks("timestamp"),
            Sign::Lacks("turn_id"),
        ],
        &[
            Sign::Event(&["SessionStart", "SessionEnd", "Setup", "InstructionsLoaded"]),
            Sign::Has("transcript_path"),
            Sign::Lacks("permission_mode"),
            Sign::Lacks("timestamp"),
            Sign::Lacks("session_duration_ms"),
            Sign::Lacks("client_type"),
            Sign::Lacks("conversation_id"),
        ],
        &[Sign::Event(&["MessageDisplay"])],
    ],
    fields: &[],
    values: &[],
    events: &EVENTS,
    informative: &[],
    // Its tools are those of the protocol: each has its own name.
    tools: &[],
    mcp: McpNames::Protocol,
    mcp_files: McpFiles::NONE,
    reshape: |_| {},
    write,
    effects: &[
        (AnswerForm::ExitTwo, Effect::Held),
        (AnswerForm::SilentExitTwo, Effect::Silent),
        (AnswerForm::ProtocolDeny, Effect::Held),
        (AnswerForm::ProtocolDenyAndExitTwo, Effect::Held),
        (AnswerForm::ProtocolAsk, Effect::Asks),
        (AnswerForm::ProtocolRequestDeny, Effect::Held),
        (AnswerForm::DecisionBlock, Effect::Held),
    ],
    notes: &[],
};

/// Writes an answer of Becket as one of the protocol, unchanged, with the decisions of other parts than hooks. A
/// refusal is expressed by JSON alone, or by exit code 2 alone if the JSON of an event has no form for it: if both are
/// given, the program ignores or repeats one.
fn write(out: &AnswerParts<'_>) -> Answer {
    let mut json = out.json.clone();
    put(&mut json, "systemMessage", out.message.as_deref());
    if let (Some(kind), Some(context)) = (out.kind, out.context.as_deref())
        && kind.spec().has_output(CONTEXT)
    {
        edit_own(&mut json, kind, |own| put(own, CONTEXT, Some(context)));
    }
    let Some(reason) = out.refusal() else {
        return out.text.map_or_else(|| Answer::json(json), Answer::text);
    };
    let Some(kind) = out.kind else { return Answer::exit_two(reason) };
    let decision = kind.spec().decision;
    if json.is_empty() && decision != DecisionModel::PermissionRequest {
        return Answer::exit_two(reason);
    }
    match decision {
        DecisionModel::PermissionRequest => edit_own(&mut json, kind, |own| {
            let behavior = own.get("decision").and_then(|decision| decision.get("behavior"));
            if behavior.and_then(Value::as_str) != Some("deny") {
                own.insert("decision".to_owned(), json!({"behavior": "deny", "message": reason}));
            }
        }),
        DecisionModel::Permission => edit_own(&mut json, kind, |own| {
            put(own, "permissionDecision", Some("deny"));
            put(own, "permissionDecisionReason", Some(reason));
            own.shift_remove("updatedInput");
        }),
        DecisionModel::Block => put_block(&mut json, out),
        DecisionModel::Task
        | DecisionModel::ContinueOnly
        | DecisionModel::Context
        | DecisionModel::Retry
        | DecisionModel::Display
        | DecisionModel::Path
        | DecisionModel::Elicitation
        | DecisionModel::None => {
            // `continue: false` is more than a refusal.
            if json.get("continue") != Some(&Value::Bool(false)) {
                return Answer::exit_two(reason);
            }
        }
    }
    Answer::json(json)
}

/// Edits `hookSpecificOutput`, which is added if it is missing.
fn edit_own(json: &mut Map<String, Value>, kind: EventKind, edit: impl FnOnce(&mut Map<String, Value>)) {
    let own = json.shift_remove("hookSpecificOutput").and_then(|own| own.as_object().cloned());
    let mut own = own.unwrap_or_else(|| Map::from_iter([("hookEventName".to_owned(), json!(kind.name()))]));
    edit(&mut own);
    json.insert("hookSpecificOutput".to_owned(), Value::Object(own));
}
