//! Runs the planned handlers, all at the same time, and owns them until they have ended.

use crate::config::handler::{Action, Handler};
use crate::handlers::context::HandlerContext;
#[cfg(feature = "http")]
use crate::handlers::http;
#[cfg(feature = "models")]
use crate::handlers::{agent, prompt};
use crate::handlers::{callback, command, mcp};
use crate::plan::PlannedRun;
use crate::report::handler_result::HandlerResult;
use crate::report::outcome::{Run, Status};
use crate::report::run_event::RunEventKind;
use crate::report::withheld_answer::WithheldAnswer;
use becket_model::fold::{Entry, is_observed};
use becket_model::interpret::{self, Interpretation};
use becket_model::{Enforcement, Event, Failure};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl HandlerContext<'_> {
    /// Runs all of them; returns as many answers as runs, in their order.
    ///
    /// If every handler is an inline callback, nothing is awaited, and nothing except the answers is allocated (H9).
    pub(crate) async fn run_all(&self, runs: &[PlannedRun]) -> Vec<Arc<Run>> {
        match runs {
            _ if runs.iter().all(|run| run.handler.action.is_inline()) => self.run_inline(runs),
            [only] => vec![self.run_one(&only.handler).await],
            several => Box::pin(join_all(several.iter().map(|run| self.run_one(&run.handler)))).await,
        }
    }

    /// Runs inline callbacks, one after the other; the end of one is the start of the next, so the clock is read once
    /// each.
    fn run_inline(&self, runs: &[PlannedRun]) -> Vec<Arc<Run>> {
        let mut started = Instant::now();
        let one = |PlannedRun { handler, .. }: &PlannedRun| {
            self.emit(|| RunEventKind::Started { handler: handler.clone() });
            let (taken, ended) = callback::call_inline(self, handler, started);
            let elapsed = ended.duration_since(std::mem::replace(&mut started, ended));
            self.called(handler, taken, elapsed)
        };
        runs.iter().map(one).collect()
    }

    async fn run_one(&self, handler: &Arc<Handler>) -> Arc<Run> {
        if let Action::Callback(_) = &handler.action {
            return self.run_callback(handler).await;
        }
        // Boxed: the future of a process or a request is large, and most events have small ones too.
        Box::pin(self.run_outside(handler)).await
    }

    async fn run_callback(&self, handler: &Arc<Handler>) -> Arc<Run> {
        self.emit(|| RunEventKind::Started { handler: handler.clone() });
        let started = Instant::now();
        let taken = callback::run(self, handler).await;
        self.called(handler, taken, started.elapsed())
    }

    /// Finishes the run of a callback. One that returns nothing is the common case, and takes the shortest path.
    fn called(&self, handler: &Arc<Handler>, taken: Option<Interpretation>, elapsed: Duration) -> Arc<Run> {
        let Some(taken) = taken else {
            let silent =
                Arc::new(Run { second_look: self.second_look, ..Run::silent(handler.clone(), elapsed) });
            self.emit(|| RunEventKind::Finished { run: silent.clone() });
            return silent;
        };
        self.finished(handler, HandlerResult::without_process(taken), elapsed)
    }

    /// Runs a handler that leaves the process: a command, a request, a model.
    async fn run_outside(&self, handler: &Arc<Handler>) -> Arc<Run> {
        self.emit(|| RunEventKind::Started { handler: handler.clone() });
        let started = Instant::now();
        if let Some(end) = self.intercepted(handler, |interceptor, run| interceptor.replace(run)) {
            return self.finished(handler, command::replaced(self, handler, end), started.elapsed());
        }
        let ran = match &handler.action {
            Action::Command(command) => command::run(self, handler, command).await,
            #[cfg(feature = "http")]
            Action::Http(http) => http::run(self, handler, http).await,
            #[cfg(not(feature = "http"))]
            Action::Http(_) => HandlerResult::missing_feature("http"),
            Action::McpTool(tool) => mcp::run(self, handler, tool).await,
            #[cfg(feature = "models")]
            Action::Prompt(prompt) => prompt::run(self, handler, prompt).await,
            #[cfg(feature = "models")]
            Action::Agent(prompt) => agent::run(self, handler, prompt).await,
            #[cfg(not(feature = "models"))]
            Action::Prompt(_) | Action::Agent(_) => HandlerResult::missing_feature("models"),
            Action::Callback(_) => {
                HandlerResult::without_process(callback::run(self, handler).await.unwrap_or_default())
            }
        };
        self.finished(handler, ran, started.elapsed())
    }

    fn finished(&self, handler: &Arc<Handler>, ran: HandlerResult, elapsed: Duration) -> Arc<Run> {
        let run = Arc::new(self.judge(handler, ran, elapsed));
        self.emit(|| RunEventKind::Finished { run: run.clone() });
        run
    }

    fn judge(&self, handler: &Arc<Handler>, ran: HandlerResult, elapsed: Duration) -> Run {
        let taken = ran.interpretation;
        let mut run = Run {
            handler: handler.clone(),
            status: Status::Success,
            reply: taken.reply,
            failure: taken.failure,
            withheld: None,
            warnings: taken.warnings,
            exit: ran.exit,
            stdout: ran.stdout,
            stderr: ran.stderr,
            input: match handler.action {
                Action::Callback(_) => None,
                Action::Command(_)
                | Action::Http(_)
                | Action::McpTool(_)
                | Action::Prompt(_)
                | Action::Agent(_) => self.serialized.get().cloned(),
            },
            printed: ran.printed,
            elapsed,
            background: ran.background,
            questions: ran.questions,
            second_look: self.second_look,
            usage: ran.usage,
        };
        run.status = status(self.event, &run);
        self.withhold(&mut run);
        run
    }

    /// Moves the answer of an observed handler out of the run, so that it does not count (G5).
    fn withhold(&self, run: &mut Run) {
        if run.handler.rollout.written() == Enforcement::Enforce {
            return;
        }
        let enforcement = run.handler.rollout.at(self.engine.environment.now());
        let place = self.place(&run.handler, run.failure.as_ref(), enforcement);
        let spec = self.event.kind().spec();
        if !is_observed(spec, &place, run.failure.as_ref()) {
            return;
        }
        if run.status == Status::Blocked {
            run.status = Status::Success;
        }
        let entry = Entry { place, reply: std::mem::take(&mut run.reply), failure: run.failure.take() };
        run.withheld = Some(Box::new(WithheldAnswer::new(entry, self.engine.fold_options(), spec)));
    }

    /// Runs nothing: each handler fails with `failure`.
    pub(crate) fn refuse_all(&self, runs: &[PlannedRun], failure: &Failure) -> Vec<Arc<Run>> {
        let refused = |run: &PlannedRun| {
            let taken = interpret::failed(failure.clone());
            self.finished(&run.handler, HandlerResult::without_process(taken), Duration::ZERO)
        };
        runs.iter().map(refused).collect()
    }
}

fn status(event: &Event, run: &Run) -> Status {
    match &run.failure {
        Some(Failure::TimedOut { .. } | Failure::Cancelled) => Status::Cancelled,
        Some(_) => Status::Error,
        None if becket_model::fold::blocks_alone(event.kind().spec(), &run.handler.place, &run.reply) => {
            Status::Blocked
        }
        None => Status::Success,
    }
}

#[cfg(all(test, not(any(feature = "http", feature = "models"))))]
mod tests;
