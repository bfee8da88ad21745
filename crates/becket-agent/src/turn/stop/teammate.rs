//! The end of a teammate's turn, once Stop has let it end: TaskCompleted for each of its tasks in progress, then
//! TeammateIdle (L3).
//!
//! It completes no task: hooks decide whether the teammate may rest, and only TaskUpdate completes a task.

use super::super::agent_loop::{AgentLoop, Step, Turn};
use super::super::end::EndReason;
use super::super::session_shared::error;
use super::decide::StopOutput;
use crate::team::{ListedTask, Team};
use becket_engine::CancellationToken;
use becket_model::EventBody;
use becket_model::event::agents::{TaskCompleted, TeammateIdle};

impl AgentLoop {
    /// Runs the hooks of all tasks; a stop of one wins over blocks, and blocks of all are reported.
    pub(super) async fn teammate_stops(
        &mut self,
        turn: &mut Turn,
        mate: &str,
        cancel: &CancellationToken,
    ) -> Step {
        let Some(team) = self.shared.team.clone() else { return Step::End(EndReason::Completed) };
        let team_name = team.name(&self.facts.session()).map(str::to_owned);
        let tasks = self.in_progress(&team, mate, cancel).await;
        let completed = tasks.into_iter().map(|task| {
            EventBody::from(
                TaskCompleted::new(task.id, task.subject, true)
                    .task_description(task.description)
                    .teammate_name(mate.to_owned())
                    .team_name(team_name.clone()),
            )
        });
        let idle = TeammateIdle::new(mate.to_owned()).team_name(team_name.clone());
        let bodies: Vec<EventBody> = completed.chain([idle.into()]).collect();
        let mut combined = StopOutput::default();
        for body in bodies {
            if let Some((hook, outcome)) = self.fire_at_end(body, cancel).await {
                let output = StopOutput::of(&hook, &outcome.verdict);
                self.tell_of_stop(&hook, &outcome, output.prevented.as_ref());
                combined = combined.and(output);
            }
            if cancel.is_cancelled() {
                return Step::End(EndReason::Interrupted);
            }
        }
        self.go_on_or_end(turn, combined)
    }

    /// Returns the tasks that the teammate works on; a read error is reported, and does not block the turn (L6).
    async fn in_progress(&self, team: &Team, mate: &str, cancel: &CancellationToken) -> Vec<ListedTask> {
        match team.in_progress(mate, &self.facts.session(), cancel).await {
            Ok(tasks) => tasks,
            Err(lost) => {
                self.updates.notice(error(format!(
                    "it was not checked whether `{mate}` is done with its tasks: {lost}"
                )));
                Vec::new()
            }
        }
    }
}
