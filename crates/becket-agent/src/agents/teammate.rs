//! A teammate: an agent that works in the background, turn by turn, until its session ends, or the user or a hook stops
//! it (`protocol.md` L3).
//!
//! INVARIANT: a waiting teammate costs nothing and sends no request. It leaves the team when it ends, however it ends.

use super::report;
use super::run::Subagent;
use crate::team::Seat;
use crate::turn::{EndReason, TurnEnd, TurnStart};
use crate::worktree::WorktreeOutcome;
use becket_engine::{CancellationToken, catch_panic};
use becket_tools::tasks::{About, BackgroundTask, TaskEnd, TaskId, TaskKind, TaskRun};
use futures_util::future::BoxFuture;

/// A subagent that is a teammate.
pub(super) struct TeammateTask {
    pub(super) subagent: Subagent,
    pub(super) name: String,
    pub(super) description: String,
}

impl BackgroundTask for TeammateTask {
    fn about(&self) -> About {
        let facts = &self.subagent.facts;
        let kind = TaskKind::Teammate { name: self.name.clone(), agent_type: facts.kind.clone() };
        About { id: TaskId::new(facts.id.as_str()).ok(), kind, description: self.description.clone() }
    }

    fn run(self: Box<Self>, run: TaskRun) -> BoxFuture<'static, TaskEnd> {
        Box::pin(async move {
            let mut subagent = self.subagent;
            let Some(seat) = subagent.seat.take() else {
                return TaskEnd::Failed { because: "it has no place in a team".to_owned() };
            };
            let lived = catch_panic(lives(&mut subagent, &seat, &run)).await;
            let (end, mut why) = lived.unwrap_or_else(|said| {
                let because = format!("it panicked: {said}");
                (TaskEnd::Failed { because: because.clone() }, because)
            });
            let facts = subagent.finish().await;
            if let Some(kept) = facts.left.as_ref().and_then(WorktreeOutcome::message) {
                run.output.push(format!("{kept}\n").as_bytes());
                why = format!("{why}; {kept}");
            }
            seat.leaves(&why).await;
            end
        })
    }
}

/// Runs turn by turn to the end; returns the reason for the end, for the lead.
async fn lives(subagent: &mut Subagent, seat: &Seat, run: &TaskRun) -> (TaskEnd, String) {
    let mut start = subagent.begin(&run.cancel).await;
    loop {
        let end = subagent.agent_loop.turn(start, &run.cancel).await;
        let last_text = report::text(&end, &subagent.facts).unwrap_or_else(|failed| failed);
        run.output.push(format!("{last_text}\n").as_bytes());
        if let Some(ended) = over(&end, &last_text, &run.cancel) {
            return ended;
        }
        tokio::select! {
            biased;
            () = run.cancel.cancelled() => return (TaskEnd::Killed, "it was stopped".to_owned()),
            () = seat.idle(&last_text) => {}
        }
        start = TurnStart::AsItIs;
    }
}

/// Returns the end of the task if this was the teammate's last turn.
fn over(end: &TurnEnd, last_text: &str, cancel: &CancellationToken) -> Option<(TaskEnd, String)> {
    if cancel.is_cancelled() {
        return Some((TaskEnd::Killed, "it was stopped".to_owned()));
    }
    match &end.reason {
        // A message may still be sent to it; whether it can answer is decided then.
        EndReason::Completed
        | EndReason::Capped { .. }
        | EndReason::MaxTurns { .. }
        | EndReason::ApiError { .. } => None,
        EndReason::HookStopped { because, .. } => {
            Some((TaskEnd::Done, format!("a hook stopped it: {because}")))
        }
        EndReason::Interrupted => Some((TaskEnd::Killed, "it was interrupted".to_owned())),
        EndReason::PromptRejected { .. }
        | EndReason::Deferred { .. }
        | EndReason::DeferredUnavailable { .. }
        | EndReason::DeniedTooOften { .. }
        | EndReason::NoStructuredOutput { .. }
        | EndReason::BudgetSpent { .. }
        | EndReason::TooLong { .. } => {
            Some((TaskEnd::Failed { because: last_text.to_owned() }, last_text.to_owned()))
        }
    }
}
