//! A call that may run, and the only way to run one.
//!
//! INVARIANT: [`ApprovedCall::last_look`] is called only by `gate`, after a settlement or a person has allowed the
//! call; [`ApprovedCall::run`] is the only place where a tool is run, with the input that was approved.

use super::calls::CallContext;
use super::decide;
use super::hook_log::HookLog;
use super::report::{CallEnd, DeniedBy};
use becket_engine::{Effect, RunningCall, ToolFailure, ToolOutput, catch_panic};
use becket_model::Rights;
use becket_model::event::PermissionMode;
use serde_json::{Map, Value};
use std::pin::pin;
use std::time::Duration;

/// The time for a tool to end after its call was cancelled; then it is dropped.
const WIND_DOWN: Duration = Duration::from_secs(2);

/// A call that may run, with the input that was judged.
pub(super) struct ApprovedCall {
    input: Map<String, Value>,
    /// The rights that each hook leaves to the call, with paths as they are written (E5).
    rights: Vec<Rights>,
}

/// The result of a tool that was started.
pub(super) enum ToolResult {
    Answered(ToolOutput),
    Failed(ToolFailure),
    Cancelled,
}

impl ApprovedCall {
    /// Makes the last checks on an allowed call: a rewrite must fit the tool (D9), an edit must fit the mode, its tool
    /// must enforce the rights that hooks leave to it, and its caller must still be waiting.
    pub(super) fn last_look(
        at: &CallContext<'_>,
        input: Map<String, Value>,
        log: &HookLog,
    ) -> Result<Self, CallEnd> {
        if let Err(wrong) = at.tool.check(&input) {
            let because = format!(
                "a hook or the host rewrote the input of this call into one that the tool does not take: {wrong}. The \
                 call as you made it was not at fault"
            );
            return Err(CallEnd::Denied { by: DeniedBy::Rewrite, because });
        }
        let session = at.current_session();
        let mode = session.permission_mode.as_ref().unwrap_or(&PermissionMode::Default);
        if let Some(because) = decide::forbidden(mode, at.tool.effect(at.session, &input)) {
            return Err(CallEnd::Denied { by: DeniedBy::Mode, because });
        }
        let rights = rights(at, log).map_err(|because| CallEnd::Denied { by: DeniedBy::Hook, because })?;
        if at.cancel.is_cancelled() {
            return Err(CallEnd::Cancelled { started: false });
        }
        if let Some(because) = at.abort.reason() {
            return Err(CallEnd::Stopped { because });
        }
        Ok(Self { input, rights })
    }

    /// Runs the tool, and returns the input that it ran with.
    pub(super) async fn run(self, at: &CallContext<'_>) -> (Map<String, Value>, ToolResult) {
        let cancel = at.cancel.child_token();
        let _told_when_dropped = cancel.clone().drop_guard();
        let limit = at.calls.limit;
        let (id, input, own) = (&at.call.id, &self.input, &at.call.input);
        let caller = at.nested;
        if let Err(failure) = self.keep_file(at) {
            return (self.input, ToolResult::Failed(failure));
        }
        let (session, rights, cancel) = (at.session, &self.rights, &cancel);
        let running = RunningCall { session, id, input, own, rights, cancel, limit, caller };
        let ran = {
            // In an async block because the call can panic before there is a future.
            let mut work = pin!(catch_panic(async { at.tool.run(running).await }));
            tokio::select! {
                biased;
                answer = work.as_mut() => match ended(answer) {
                    // The tool failed because it was cancelled.
                    ToolResult::Failed(_) if at.cancel.is_cancelled() => ToolResult::Cancelled,
                    ran @ (ToolResult::Answered(_) | ToolResult::Failed(_) | ToolResult::Cancelled) => ran,
                },
                () = cancel.cancelled() => {
                    // A result is too late now.
                    let _ = tokio::time::timeout(WIND_DOWN, work).await;
                    ToolResult::Cancelled
                }
            }
        };
        (self.input, ran)
    }
}

/// Returns the rights that hooks leave to the call; errors with the reason if the call must be refused (E5).
fn rights(at: &CallContext<'_>, log: &HookLog) -> Result<Vec<Rights>, String> {
    let rights = at.calls.engine.host().call_rights(&log.sandbox, &at.session.cwd)?;
    match log.sandbox.first().filter(|_| !at.tool.enforces_rights()) {
        Some(answer) => Err(answer.refusal(&format!("can't be enforced for `{}` here", at.call.name))),
        None => Ok(rights),
    }
}

impl ApprovedCall {
    /// Copies the file that the call edits, if the session keeps checkpoints. A file that can't be copied is not edited.
    fn keep_file(&self, at: &CallContext<'_>) -> Result<(), ToolFailure> {
        let Some(checkpoints) = &at.calls.checkpoints else { return Ok(()) };
        let edits = match at.tool.effect(at.session, &self.input) {
            Effect::Edits | Effect::EditsElsewhere | Effect::EditsProtected | Effect::ActsAndEdits => true,
            Effect::Reads | Effect::Acts => false,
        };
        let Some(path) = at.tool.touches(&self.input).filter(|_| edits) else { return Ok(()) };
        let path = at.session.cwd.join(path);
        checkpoints.before_edit(&path).map_err(|source| {
            ToolFailure::new(format!(
                "can't keep a copy of `{}` for a rewind, so it was not edited: {source}",
                path.display()
            ))
        })
    }
}

fn ended(answer: Result<Result<ToolOutput, ToolFailure>, String>) -> ToolResult {
    match answer {
        Ok(Ok(output)) => ToolResult::Answered(output),
        Ok(Err(failure)) => ToolResult::Failed(failure),
        Err(said) => ToolResult::Failed(ToolFailure::new(format!("the tool panicked: {said}"))),
    }
}
