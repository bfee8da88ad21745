//! A teammate: an agent that works in the background, turn by turn, until its session ends, or the user or a hook stops
//! it (`protocol.md` L3).
//!
//! INVARIANT: a waiting teammate costs nothing and sends no request. Its place in the team goes with it, whatever ended
//! it.

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
            let facts = subagent.ends().await;
            if let Some(kept) = facts.left.as_ref().and_then(WorktreeOutcome::told) {
                run.output.push(format!("{kept}\n").as_bytes());
                why = format!("{why}; {kept}");
            }
            seat.leaves(&why).await;
            end
        })
    }
}

/// Turn by turn, to its end; in words why it has ended, for the lead.
async fn lives(subagent: &mut Subagent, seat: &Seat, run: &TaskRun) -> (TaskEnd, String) {
    let mut start = subagent.begin(&run.cancel).await;
    loop {
        let end = subagent.agent_loop.turn(start, &run.cancel).await;
        let said = report::text(&end, &subagent.facts).unwrap_or_else(|failed| failed);
        run.output.push(format!("{said}\n").as_bytes());
        if let Some(ended) = over(&end, &said, &run.cancel) {
            return ended;
        }
        tokio::select! {
            biased;
            () = run.cancel.cancelled() => return (TaskEnd::Killed, "it was stopped".to_owned()),
            () = seat.idle(&said) => {}
        }
        start = TurnStart::AsItIs;
    }
}

/// Returns the end of the task if this was the teammate's last turn.
fn over(end: &TurnEnd, said: &str, cancel: &CancellationToken) -> Option<(TaskEnd, String)> {
    if cancel.is_cancelled() {
        return Some((TaskEnd::Killed, "it was stopped".to_owned()));
    }
    match &end.reason {
        // It may be sent a message: whether that can be answered is seen then.
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
        | EndReason::TooLong { .. } => Some((TaskEnd::Failed { because: said.to_owned() }, said.to_owned())),
    }
}
