//! Asks the classifier of mode `auto` about an undecided call, and reports a denial to hooks (`protocol.md` P14).

use super::calls::CallContext;
use super::decide::{self, Facts, Next};
use super::hook_log::HookLog;
use super::report::{CallEnd, DeniedBy};
use crate::permission::{AutoMode, ClassifierDecision, ToClassify};
use becket_model::event::permission::PermissionDenied;
use serde_json::{Map, Value};

/// Returns the next step after the classifier's decision.
///
/// # Errors
/// Errors with the end of the call if it was denied or cancelled.
pub(super) async fn ask(
    at: &CallContext<'_>,
    input: &Map<String, Value>,
    facts: &Facts<'_>,
    log: &mut HookLog,
) -> Result<Next, CallEnd> {
    let ruling = match &at.calls.auto {
        Some(auto) => auto.ask(about(at, input), at.cancel).await,
        None => ClassifierDecision::Failed("this host has none".to_owned()),
    };
    if at.cancel.is_cancelled() {
        return Err(CallEnd::Cancelled { started: false });
    }
    if let ClassifierDecision::Failed(why) = &ruling {
        log.warnings
            .push(format!("the classifier of the mode `auto` did not judge `{}`: {why}", at.call.name));
    }
    match decide::classified(&ruling, facts) {
        Next::Deny { by: DeniedBy::Classifier, because } => Err(denied(at, input, because, log).await),
        next @ (Next::Run
        | Next::Ask { .. }
        | Next::Deny { .. }
        | Next::Stop { .. }
        | Next::Defer
        | Next::Classify) => Ok(next),
    }
}

fn about(at: &CallContext<'_>, input: &Map<String, Value>) -> ToClassify {
    ToClassify {
        tool: at.call.name.clone(),
        input: input.clone(),
        cwd: at.session.cwd.clone(),
        directories: at.calls.engine.host().directories(),
        prompts: Vec::new(),
        notes: Vec::new(),
    }
}

/// Fires PermissionDenied: a hook may tell the model that it may try again.
async fn denied(
    at: &CallContext<'_>,
    input: &Map<String, Value>,
    reason: String,
    log: &mut HookLog,
) -> CallEnd {
    let event = at.event(
        PermissionDenied::new(at.call.name.clone(), input.clone(), at.call.id.clone(), reason.clone())
            .mcp_server(at.mcp_server()),
    );
    let outcome = log.fire(&at.calls.engine, &event, at.cancel).await;
    let nobody_watches = at.calls.person.is_none();
    log.denied_too_often = at.calls.auto.as_ref().and_then(AutoMode::denied).filter(|_| nobody_watches);
    let mut because = format!("the classifier of the mode `auto` holds this call back: {reason}");
    if outcome.verdict.fields.retry {
        because.push_str("\n\nA PermissionDenied hook says that you may try this call again.");
    }
    CallEnd::Denied { by: DeniedBy::Classifier, because }
}
