//! From the model's call to one that may run, or to the reason why it may not.

use super::approved_call::ApprovedCall;
use super::calls::CallContext;
use super::classify;
use super::decide::{self, Facts, Hook, Next};
use super::hook_log::HookLog;
use super::prompt::{self, Prompt, Proposal, Yes};
use super::report::{CallEnd, DeniedBy};
use becket_engine::{EffectiveInput, Outcome, Settlement};
use becket_model::event::PermissionMode;
use becket_model::{Event, PermissionDecision, Ruling, Verdict};
use becket_rules::PermissionUpdate;
use serde_json::{Map, Value};

/// Checks hooks, rules and mode, and asks a person if needed.
///
/// # Errors
/// Errors with the end of the call if it must not run.
pub(super) async fn pass(at: &CallContext<'_>, log: &mut HookLog) -> Result<ApprovedCall, CallEnd> {
    let event = at.pre_tool_use();
    let outcome = log.fire(&at.calls.engine, &event, at.cancel).await;
    let input = judged(at, &event, &outcome.judged);
    log.input = Some(input.clone());
    if at.cancel.is_cancelled() {
        return Err(CallEnd::Cancelled { started: false });
    }
    let session = at.current_session();
    let at = &CallContext { session: &session, ..*at };
    let settlement = outcome.settlement.as_ref();
    let mode = at.session.permission_mode.as_ref().unwrap_or(&PermissionMode::Default);
    let facts = Facts {
        mode,
        effect: at.tool.effect(at.session, &input),
        hook: hook(&outcome.verdict),
        requires_user: requires_user(at, &input, mode, settlement),
        has_classifier: at.calls.auto.is_some(),
    };
    let next = match decide::decide(settlement, &facts) {
        Next::Classify => classify::ask(at, &input, &facts, log).await?,
        next @ (Next::Run | Next::Ask { .. } | Next::Deny { .. } | Next::Stop { .. } | Next::Defer) => next,
    };
    match next {
        Next::Run => ApprovedCall::last_look(at, input, log),
        Next::Ask { because, hooks_may_answer } => {
            let written = written(at, &outcome);
            let prompt = Prompt { input, written, because, hooks_may_answer };
            let (input, updates) = ask_permission(at, prompt, log).await?;
            log.input = Some(input.clone());
            let approved = ApprovedCall::last_look(at, input, log)?;
            log.updates.extend(updates);
            Ok(approved)
        }
        Next::Deny { by, because } => Err(CallEnd::Denied { by, because }),
        Next::Stop { because } => Err(CallEnd::Stopped { because }),
        Next::Defer => Err(CallEnd::Deferred),
        Next::Classify => Err(unjudged()),
    }
}

/// Asks for a permission, and returns the allowed input, with the updates of an allow that had to be judged again
/// (P13).
async fn ask_permission(
    at: &CallContext<'_>,
    prompt: Prompt,
    log: &mut HookLog,
) -> Result<(Map<String, Value>, Vec<PermissionUpdate>), CallEnd> {
    match prompt::ask(at, prompt, log).await? {
        Yes::OfPerson(input) => Ok((input, Vec::new())),
        Yes::Rewritten { input, updates } => {
            let (input, _) = look_again(at, input, None, log).await?;
            Ok((input, updates))
        }
        Yes::Proposed(Proposal { input, because }) => {
            let (input, _) = look_again(at, input, Some(because), log).await?;
            Ok((input, Vec::new()))
        }
        Yes::OfHooks { input, is_rewritten: false, updates } => Ok((input, updates)),
        Yes::OfHooks { input, is_rewritten: true, updates } => {
            let (input, by) = look_again(at, input, None, log).await?;
            // If a person had to approve after the hooks, only the person's own updates count.
            Ok((input, if by == RewriteApproval::Guards { updates } else { Vec::new() }))
        }
    }
}

/// The origin of the approval of a rewrite.
#[derive(PartialEq, Eq)]
enum RewriteApproval {
    /// The guards alone.
    Guards,
    /// A person, asked because of a guard.
    Person,
}

/// Returns the end of a call that would need the classifier a second time.
fn unjudged() -> CallEnd {
    CallEnd::Denied { by: DeniedBy::Nobody, because: "nobody has judged this call".to_owned() }
}

/// Judges an input that a PermissionRequest hook or a person has written and allowed, which no guard has seen: the
/// hooks of PreToolUse judge it (D9), and questions that only a person may answer go to the person (D3). The same
/// applies to a rewrite that a hook only proposes, with its reason (G3).
async fn look_again(
    at: &CallContext<'_>,
    input: Map<String, Value>,
    asks: Option<String>,
    log: &mut HookLog,
) -> Result<(Map<String, Value>, RewriteApproval), CallEnd> {
    let event = at.pre_tool_use_of(&input);
    let outcome = log.look_again(&at.calls.engine, &event, at.cancel).await;
    if at.cancel.is_cancelled() {
        return Err(CallEnd::Cancelled { started: false });
    }
    let input = judged(at, &event, &outcome.judged);
    log.input = Some(input.clone());
    let because = match decide::after_rewrite(outcome.settlement, hook(&outcome.verdict)) {
        Next::Run => match asks {
            Some(because) => because,
            None => return Ok((input, RewriteApproval::Guards)),
        },
        Next::Ask { because, .. } => because,
        Next::Deny { by, because } => return Err(CallEnd::Denied { by, because }),
        Next::Stop { because } => return Err(CallEnd::Stopped { because }),
        Next::Defer => return Err(CallEnd::Deferred),
        Next::Classify => return Err(unjudged()),
    };
    let prompt = Prompt { written: input.clone(), input, because, hooks_may_answer: false };
    match prompt::ask(at, prompt, log).await? {
        Yes::OfPerson(input) | Yes::OfHooks { input, .. } => Ok((input, RewriteApproval::Person)),
        // This input was not judged either; a source that changes it every time would cause an endless loop.
        Yes::Rewritten { .. } | Yes::Proposed(_) => {
            let because = "the input of this call was changed a second time".to_owned();
            Err(CallEnd::Denied { by: DeniedBy::Person, because })
        }
    }
}

/// Returns the input that hooks and rules have judged; normalized here if none of them saw it.
pub(super) fn judged(at: &CallContext<'_>, event: &Event, judged: &EffectiveInput) -> Map<String, Value> {
    let own = |event: &Event| event.body.tool_call().map(|(_, input)| input.clone()).unwrap_or_default();
    match judged {
        EffectiveInput::Input(input) => input.clone(),
        EffectiveInput::AsFired => own(event),
        EffectiveInput::Nothing => own(&at.calls.engine.host().normalize(event)),
    }
}

/// Returns the input as its author wrote it, a hook or the model: rules about parameters are compared with that (P10).
fn written(at: &CallContext<'_>, outcome: &Outcome) -> Map<String, Value> {
    let rewrite = outcome.verdict.fields.updated_input.as_ref();
    rewrite.map_or_else(|| at.call.input.clone(), |said| said.what.clone())
}

/// Returns the reason why no hook's allow and no mode may answer for a person (D3). When it settled the call, the
/// engine checked everything that voids an allow, except the tool's own requirement.
fn requires_user(
    at: &CallContext<'_>,
    input: &Map<String, Value>,
    mode: &PermissionMode,
    settlement: Option<&Settlement>,
) -> Option<String> {
    if at.tool.requires_user() {
        return Some(format!("`{}` says that a person has to answer its prompts", at.call.name));
    }
    let answers = match mode {
        PermissionMode::BypassPermissions | PermissionMode::Auto => true,
        PermissionMode::Default
        | PermissionMode::Plan
        | PermissionMode::AcceptEdits
        | PermissionMode::DontAsk
        | PermissionMode::Other(_) => false,
    };
    if !answers || settlement != Some(&Settlement::Undecided) {
        return None;
    }
    at.calls.engine.host().requires_user(&at.pre_tool_use_of(input))
}

pub(super) fn hook(verdict: &Verdict) -> Hook {
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
