//! Claude Code: the protocol itself.

use crate::answer::AnswerParts;
use crate::dialect::HostTimeout;
use crate::{Answer, AnswerForm, AnswerSupport, AskForm, Dialect, Effect, EventRow, McpNames, Proof, Sign};
use becket_model::EventKind;
use serde_json::{Value, json};

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

/// An answer of Becket is one of the protocol as it is. A block of Stop goes by JSON alone: beside exit code 2 the model
/// would read its reason twice.
fn write(out: &AnswerParts<'_>) -> Answer {
    let mut json = out.json.clone();
    let Some(reason) = out.refusal() else {
        return out.text.map_or_else(|| Answer::json(json), Answer::text);
    };
    let own = json.get_mut("hookSpecificOutput").and_then(Value::as_object_mut);
    if let Some(own) =
        own.filter(|own| own.get("permissionDecision").is_some_and(|decision| decision != "deny"))
    {
        own.insert("permissionDecision".to_owned(), json!("deny"));
        own.insert("permissionDecisionReason".to_owned(), json!(reason));
        own.shift_remove("updatedInput");
    }
    let by_json = !json.is_empty()
        && match out.kind {
            Some(EventKind::Stop | EventKind::SubagentStop) => true,
            Some(kind) => !kind.spec().exit_2.effect.blocks(),
            None => false,
        };
    match by_json {
        true => Answer::json(json),
        false => Answer { exit: 2, stderr: format!("{reason}\n"), ..Answer::json(json) },
    }
}
