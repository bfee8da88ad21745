//! From the model's wish to a call that may run, or to the reason why not.

use super::calls::At;
use super::cleared::Cleared;
use super::heard::Heard;
use super::prompt::{self, Prompt};
use super::report::Ended;
use super::weigh::{self, Facts, Hook, Next};
use becket_engine::{Judged, Outcome, Settlement};
use becket_model::event::PermissionMode;
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, PermissionDecision, Ruling, Verdict};
use serde_json::{Map, Value};

/// Asks hooks, rules, mode and, where it has to be, a person.
///
/// # Errors
/// How the call ended without being run.
pub(super) async fn pass(at: &At<'_>, heard: &mut Heard) -> Result<Cleared, Ended> {
    let event = at.pre_tool_use();
    let outcome = heard.fire(&at.calls.engine, &event, at.cancel).await;
    let input = judged(at, &event, &outcome.judged);
    heard.input = Some(input.clone());
    if at.cancel.is_cancelled() {
        return Err(Ended::Cancelled { started: false });
    }
    let settlement = under_other_name(at, &input, outcome.settlement.as_ref());
    let mode = at.session.permission_mode.as_ref().unwrap_or(&PermissionMode::Default);
    let facts = Facts {
        mode,
        effect: at.tool.effect(at.session, &input),
        hook: hook(&outcome.verdict),
        needs_person: needs_person(at, &input, (mode, settlement.as_ref())),
    };
    match weigh::weigh(settlement.as_ref(), &facts) {
        Next::Run => Cleared::last_look(at, input),
        Next::Ask { because, hooks_may_answer } => {
            let written = written(at, &outcome);
            let prompt = Prompt { input, written, because, hooks_may_answer };
            let input = prompt::ask(at, prompt, heard).await?;
            heard.input = Some(input.clone());
            Cleared::last_look(at, input)
        }
        Next::Deny { by, because } => Err(Ended::Denied { by, because }),
        Next::Stop { because } => Err(Ended::Stopped { because }),
        Next::Defer => Err(Ended::Deferred),
    }
}

/// The input that hooks and rules have judged; made normal here where nobody looked.
pub(super) fn judged(at: &At<'_>, event: &Event, judged: &Judged) -> Map<String, Value> {
    let own = |event: &Event| event.body.tool_call().map(|(_, input)| input.clone()).unwrap_or_default();
    match judged {
        Judged::Input(input) => input.clone(),
        Judged::AsFired => own(event),
        Judged::Nothing => own(&at.calls.engine.normal(event)),
    }
}

/// The settlement, or what rules for the tool's other name say where that is stricter.
fn under_other_name(
    at: &At<'_>,
    input: &Map<String, Value>,
    settlement: Option<&Settlement>,
) -> Option<Settlement> {
    match (restricted(at, input), settlement) {
        (
            Some(denied @ Settlement::Denied { .. }),
            Some(
                Settlement::Allowed { .. }
                | Settlement::Open
                | Settlement::Asked { .. }
                | Settlement::Deferred,
            ),
        ) => Some(denied),
        (Some(asked), Some(Settlement::Allowed { .. } | Settlement::Open)) => Some(asked),
        (_, settlement) => settlement.cloned(),
    }
}

/// What deny and ask rules for the tool's other name say of a call with this input.
pub(super) fn restricted(at: &At<'_>, input: &Map<String, Value>) -> Option<Settlement> {
    let name = at.tool.other_name()?;
    let event = at.event(PreToolUse {
        tool_name: name.to_owned(),
        tool_input: input.clone(),
        tool_use_id: at.call.id.clone(),
        mcp_server: None,
    });
    at.calls.engine.restricts(&event)
}

/// The input as somebody wrote it, a hook or the model: what rules about parameters are compared with (P10).
fn written(at: &At<'_>, outcome: &Outcome) -> Map<String, Value> {
    let rewrite = outcome.verdict.fields.updated_input.as_ref();
    rewrite.map_or_else(|| at.call.input.clone(), |said| said.what.clone())
}

/// Why no hook's allow and no mode answers for a person (D3). What voids an allow but the tool's own word, the engine has
/// looked at when it settled the call.
fn needs_person(
    at: &At<'_>,
    input: &Map<String, Value>,
    (mode, settlement): (&PermissionMode, Option<&Settlement>),
) -> Option<String> {
    if at.tool.needs_person() {
        return Some(format!("`{}` says that a person has to answer its prompts", at.call.name));
    }
    if *mode != PermissionMode::BypassPermissions || settlement != Some(&Settlement::Open) {
        return None;
    }
    let event = at.event(PreToolUse {
        tool_name: at.call.name.clone(),
        tool_input: input.clone(),
        tool_use_id: at.call.id.clone(),
        mcp_server: None,
    });
    at.calls.engine.needs_person(&event)
}

fn hook(verdict: &Verdict) -> Hook {
    match &verdict.ruling {
        Ruling::Permission { decision: PermissionDecision::Allow, .. } => Hook::Allows,
        Ruling::Permission { decision: PermissionDecision::Ask, .. } => Hook::Asks,
        Ruling::Permission { decision: PermissionDecision::Deny, .. } => Hook::Denies,
        Ruling::Permission { decision: PermissionDecision::Defer, .. } | Ruling::None => Hook::Silent,
        Ruling::Block(_)
        | Ruling::RequestAllow { .. }
        | Ruling::RequestDeny { .. }
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => Hook::Denies,
    }
}
