//! Background tasks at the end of a run with one prompt, which can't be woken later: the run waits for them, and
//! continues with their results (A4).
//!
//! A session driven by a program or a person is woken by its host instead: see [`becket_tools::tasks::Tasks::wakes`]
//! and [`crate::Agent::hear_tasks`].

use super::super::agent_loop::{AgentLoop, Turn};
use super::StopCount;
use crate::update::{Notice, Origin};
use becket_engine::CancellationToken;
use tokio::time::{Instant, timeout_at};

impl AgentLoop {
    /// Returns whether the model may still see the result of a task in this turn.
    pub(super) fn may_hear_of_tasks(&self) -> bool {
        let Some(tasks) = self.shared.tasks.as_ref().filter(|_| self.waits_for_tasks()) else { return false };
        tasks.has_news() || tasks.running() > 0
    }

    fn waits_for_tasks(&self) -> bool {
        let options = self.shared.options;
        options.one_shot && self.origin == Origin::Main && !options.background_wait.is_zero()
    }

    /// Waits until a background task has ended. Returns whether there is anything for the model to continue with.
    pub(super) async fn waited_for_tasks(&self, turn: &mut Turn, cancel: &CancellationToken) -> bool {
        let options = self.shared.options;
        let Some(tasks) = &self.shared.tasks else { return false };
        if !self.waits_for_tasks() {
            return false;
        }
        // A deadline in the far future means none.
        let until = *turn
            .waits_until
            .get_or_insert_with(|| Instant::now().checked_add(options.background_wait).unwrap_or_else(far));
        loop {
            if tasks.has_news() {
                // The turn that starts now is judged by Stop hooks like any other.
                turn.stops = StopCount::default();
                return true;
            }
            let running = tasks.running();
            if running == 0 {
                return false;
            }
            let ended = tokio::select! {
                biased;
                () = cancel.cancelled() => return false,
                ended = timeout_at(until, tasks.has_changed()) => ended,
            };
            if ended.is_err() {
                let plural = if running == 1 { "task" } else { "tasks" };
                self.updates.notice(Notice::warning(format!(
                    "{running} background {plural} still ran after {} s, and ended with the run",
                    options.background_wait.as_secs_f64()
                )));
                return false;
            }
        }
    }
}

fn far() -> Instant {
    Instant::now() + std::time::Duration::from_secs(86_400 * 365)
}
