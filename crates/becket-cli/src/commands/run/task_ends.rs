//! Background tasks that end while the session is idle: each end starts a turn (A4).
//!
//! INVARIANT: an end starts no second turn if the first one was interrupted or failed before it could report it to the
//! model.

use super::driver::Driver;
use super::limits;
use super::session::Session;
use crate::error::CliError;
use crate::report::run::SessionEvent;
use becket_agent::turn::EndReason;
use becket_agent::update::{Notice, Origin, Update, UpdateKind};
use becket_engine::{CancellationToken, Wake};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The prompt that is shown for such a turn.
const ENDS: &str = "(a background task has ended)";

/// Resolves once the end of a task may start a turn; never if none may.
pub(super) async fn has_ended(session: &Session, may_hear: bool) {
    match may_hear {
        true => session.tools.tasks().wakes().await,
        false => std::future::pending().await,
    }
}

/// The next step of a session that receives no more prompts.
enum Next {
    /// A task has ended.
    Task,
    /// A hook in the background wakes the model.
    Wake(Wake),
    /// Nothing is running any more.
    Over,
    /// The time limit is reached.
    Late,
}

impl Driver<'_> {
    /// Runs a turn about the tasks that have ended. Returns true if the next end may start another one.
    pub(super) async fn task_turn(&mut self, turn: &CancellationToken) -> bool {
        self.opened(ENDS.to_owned());
        let end = self.session.agent.hear_tasks(turn).await;
        self.ended(&end);
        !self.session.tools.tasks().has_wake()
            && matches!(end.reason, EndReason::Completed | EndReason::Capped { .. })
    }

    /// Waits for the tasks of a session that receives no more prompts, as long as a run with one prompt does, and runs
    /// a turn for each end.
    ///
    /// # Errors
    /// Errors if the variable for the limit is not a number.
    pub(super) async fn with_tasks(&mut self) -> Result<(), CliError> {
        let wait = limits::of(self.at)?.background_wait;
        let until = Instant::now().checked_add(wait);
        while !wait.is_zero() && !self.at.cancel.is_cancelled() {
            let goes_on = match self.next_end(until).await {
                Next::Task => self.task_turn(self.at.cancel).await,
                Next::Wake(wake) => {
                    self.run_rewake_turn(wake.reminder, self.at.cancel).await;
                    true
                }
                Next::Over => false,
                Next::Late => {
                    self.warn_of_late_tasks(wait);
                    false
                }
            };
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    async fn next_end(&self, until: Option<Instant>) -> Next {
        let tasks = self.session.tools.tasks();
        let wakes = self.session.agent.engine().host().wakes();
        let late = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.at.cancel.cancelled() => Next::Over,
            Some(wake) = wakes.next() => Next::Wake(wake),
            () = tasks.settles() => if tasks.has_wake() { Next::Task } else { Next::Over },
            () = late => Next::Late,
        }
    }

    fn warn_of_late_tasks(&self, wait: Duration) {
        let running = self.session.tools.tasks().running();
        let plural = if running == 1 { "task" } else { "tasks" };
        let text = format!(
            "{running} background {plural} still ran after {} s, and ended with the run",
            wait.as_secs_f64()
        );
        let what = UpdateKind::Notice(Notice::warning(text));
        self.printer.show(SessionEvent::Update(Box::new(Update { of: Origin::Main, what })));
    }
}
