//! A background subagent, which is a task of its session like any other.

use super::report;
use super::run::Subagent;
use crate::turn::EndReason;
use becket_tools::tasks::{About, BackgroundTask, TaskEnd, TaskId, TaskKind, TaskRun};
use futures_util::future::BoxFuture;

/// A subagent that runs in the background.
pub(super) struct AgentTask {
    pub(super) subagent: Subagent,
    pub(super) description: String,
}

impl BackgroundTask for AgentTask {
    fn about(&self) -> About {
        let facts = &self.subagent.facts;
        About {
            id: TaskId::new(facts.id.as_str()).ok(),
            kind: TaskKind::Agent { agent_type: facts.kind.clone() },
            description: self.description.clone(),
        }
    }

    fn run(self: Box<Self>, run: TaskRun) -> BoxFuture<'static, TaskEnd> {
        Box::pin(async move {
            let (end, facts) = self.subagent.run(&run.cancel).await;
            match report::text(&end, &facts) {
                Ok(text) => {
                    run.output.push(text.as_bytes());
                    TaskEnd::Done
                }
                Err(_) if run.cancel.is_cancelled() || end.reason == EndReason::Interrupted => {
                    TaskEnd::Killed
                }
                Err(because) => {
                    run.output.push(because.as_bytes());
                    TaskEnd::Failed { because }
                }
            }
        })
    }
}
