//! Runs what was planned, all at the same time, and owns it until it is over.

use crate::callback;
use crate::engine::Inner;
use crate::handler::{Action, Background, Handler};
use crate::mcp_tool;
use crate::nesting::EventMark;
use crate::outcome::{Run, Status};
use crate::plan::PlannedRun;
use crate::ran::Ran;
use crate::run_command;
use crate::run_event::{RunEvent, What};
use crate::snapshot::Snapshot;
use becket_model::fold::Entry;
use becket_model::interpret::{self, Taken};
use becket_model::wire::input;
use becket_model::{Event, Failure, OnFailure, Place};
use becket_process::CancellationToken;
use bytes::Bytes;
use futures_util::future::join_all;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// One event on its way through its handlers.
pub(crate) struct Firing<'a> {
    pub(crate) number: u64,
    pub(crate) event: &'a Event,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) inner: &'a Inner,
    pub(crate) snapshot: &'a Snapshot,
    /// What all handlers of the event share, on SessionEnd (H11).
    pub(crate) budget: Option<Duration>,
    /// Whether the event is fired again for a rewritten input (D9).
    pub(crate) second_look: bool,
    /// False where nothing but callbacks marked internal matches (H13).
    pub(crate) is_told: bool,
    pub(crate) serialized: OnceLock<Bytes>,
    pub(crate) shared: OnceLock<Arc<Event>>,
    /// The event's mark, once it is needed (H14).
    pub(crate) mark: OnceLock<EventMark>,
}

impl<'a> Firing<'a> {
    /// The same firing on a rewritten input (D9).
    pub(crate) fn again(&self, rewritten: &'a Event) -> Firing<'a> {
        let (serialized, shared, mark) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Firing { event: rewritten, second_look: true, serialized, shared, mark, ..*self }
    }

    /// Runs all of them; as many answers as runs, in their order.
    ///
    /// Where every handler is an inline callback, nothing is waited for, and nothing but the answers is allocated (H9).
    pub(crate) async fn run_all(&self, runs: &[PlannedRun]) -> Vec<Arc<Run>> {
        match runs {
            _ if runs.iter().all(|run| run.handler.action.is_inline()) => self.run_inline(runs),
            [only] => vec![self.run_one(&only.handler).await],
            several => Box::pin(join_all(several.iter().map(|run| self.run_one(&run.handler)))).await,
        }
    }

    /// Inline callbacks, one after the other; the end of one is the start of the next, so the clock is read once each.
    fn run_inline(&self, runs: &[PlannedRun]) -> Vec<Arc<Run>> {
        let mut started = Instant::now();
        let one = |PlannedRun { handler, .. }: &PlannedRun| {
            self.emit(|| What::Started { handler: handler.clone() });
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
        // Boxed: the future of a process or a request is large, and most events have small ones beside it.
        Box::pin(self.run_outside(handler)).await
    }

    async fn run_callback(&self, handler: &Arc<Handler>) -> Arc<Run> {
        self.emit(|| What::Started { handler: handler.clone() });
        let started = Instant::now();
        let taken = callback::run(self, handler).await;
        self.called(handler, taken, started.elapsed())
    }

    /// A callback has answered. One that says nothing is the common case, and goes the shortest way.
    fn called(&self, handler: &Arc<Handler>, taken: Option<Taken>, elapsed: Duration) -> Arc<Run> {
        let Some(taken) = taken else {
            let silent =
                Arc::new(Run { second_look: self.second_look, ..Run::silent(handler.clone(), elapsed) });
            self.emit(|| What::Finished { run: silent.clone() });
            return silent;
        };
        self.finished(handler, Ran::without_process(taken), elapsed)
    }

    /// A handler that leaves the process: a command, a request, a model.
    async fn run_outside(&self, handler: &Arc<Handler>) -> Arc<Run> {
        self.emit(|| What::Started { handler: handler.clone() });
        let started = Instant::now();
        let ran = match &handler.action {
            Action::Command(command) => run_command::run(self, handler, command).await,
            Action::Http(http) => crate::http::run(self, handler, http).await,
            Action::McpTool(tool) => mcp_tool::run(self, handler, tool).await,
            Action::Prompt(prompt) => crate::prompt::run(self, handler, prompt).await,
            Action::Agent(prompt) => crate::agent::run(self, handler, prompt).await,
            Action::Callback(_) => {
                Ran::without_process(callback::run(self, handler).await.unwrap_or_default())
            }
        };
        self.finished(handler, ran, started.elapsed())
    }

    fn finished(&self, handler: &Arc<Handler>, ran: Ran, elapsed: Duration) -> Arc<Run> {
        let run = Arc::new(self.judge(handler, ran, elapsed));
        self.emit(|| What::Finished { run: run.clone() });
        run
    }

    fn judge(&self, handler: &Arc<Handler>, ran: Ran, elapsed: Duration) -> Run {
        let taken = ran.taken;
        let mut run = Run {
            handler: handler.clone(),
            status: Status::Success,
            reply: taken.reply,
            failure: taken.failure,
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
        run
    }

    /// The meaning of a handler's failure: its own, but a managed `failClosed` closes those that the host has registered, too
    /// (O10).
    pub(crate) fn on_failure(&self, handler: &Handler) -> OnFailure {
        let is_closed = self.snapshot.config.policy.fail_closed && handler.background == Background::No;
        if is_closed { OnFailure::Block } else { handler.place.on_failure }
    }

    /// Whether the event waits for the handler even if it announces that it goes on in the background (A2): an event that it
    /// leaves goes on unchecked.
    pub(crate) fn must_answer(&self, handler: &Handler) -> bool {
        self.waits_for_async()
            || handler.background == Background::No
                && self.on_failure(handler).closes(self.event.kind().spec())
    }

    /// Returns whether the host can't go on in the background.
    pub(crate) fn waits_for_async(&self) -> bool {
        self.inner.request.waits_for_async
    }

    /// A handler's part in the verdict.
    pub(crate) fn entry(&self, run: &Run) -> Entry {
        let place = Place { on_failure: self.on_failure(&run.handler), ..run.handler.place.clone() };
        Entry { place, reply: run.reply.clone(), failure: run.failure.clone() }
    }

    /// The limit of a handler: its own, inside the event's budget where there is one.
    pub(crate) fn limit_of(&self, handler: &Handler) -> Duration {
        match self.budget {
            Some(budget) if handler.timeout.configured => handler.timeout.limit.min(budget),
            Some(budget) => budget,
            None => handler.timeout.limit,
        }
    }

    /// The input and a newline; serialised at the first call and shared by all (N2).
    pub(crate) fn stdin(&self) -> Bytes {
        let bytes = self.serialized.get_or_init(|| {
            self.inner.serialized.fetch_add(1, Ordering::Relaxed);
            let mut bytes = input::to_bytes(self.event);
            bytes.push(b'\n');
            bytes.into()
        });
        bytes.clone()
    }

    /// The event's mark (H14); worked out at the first call.
    fn mark(&self) -> EventMark {
        *self.mark.get_or_init(|| EventMark::of(&self.snapshot.places.profile.name, self.event))
    }

    /// What a command of the event carries, so that it can't fire the same event again (H14).
    pub(crate) fn mark_for(&self, handler: &Handler) -> String {
        self.inner.enclosing.variable(self.mark(), &handler.location)
    }

    /// What a request of the event carries.
    pub(crate) fn marks(&self) -> String {
        self.inner.enclosing.header(self.mark())
    }

    /// Why no handler of the event may run in this process (H14), or `None` if they may.
    pub(crate) fn refusal(&self, runs: &[PlannedRun]) -> Option<Failure> {
        let enclosing = &self.inner.enclosing;
        if enclosing.is_empty() || runs.is_empty() {
            return None;
        }
        let refusal = enclosing.refusal(self.mark())?;
        let near = runs.iter().map(|run| &run.handler).find(|handler| handler.location.line > 0);
        let message = enclosing.explain(refusal, self.event.kind(), near.map(|handler| &handler.location));
        Some(Failure::Nested { message })
    }

    /// Runs nothing: each handler has failed with `failure`.
    pub(crate) fn refuse_all(&self, runs: &[PlannedRun], failure: &Failure) -> Vec<Arc<Run>> {
        let refused = |run: &PlannedRun| {
            let taken = interpret::failed(failure.clone());
            self.finished(&run.handler, Ran::without_process(taken), Duration::ZERO)
        };
        runs.iter().map(refused).collect()
    }

    /// Waits for an answer until the limit, the event's cancellation, or the answer itself.
    pub(crate) async fn within<T>(
        &self,
        limit: Duration,
        answer: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            answer = tokio::time::timeout(limit, answer) => answer.map_err(|_| Failure::TimedOut { limit }),
            () = self.cancel.cancelled() => Err(Failure::Cancelled),
        }
    }

    /// The handler's environment file, made on first use (H12).
    pub(crate) fn env_file(&self, handler: &Handler) -> Result<Option<PathBuf>, Failure> {
        if !self.event.kind().spec().env_file {
            return Ok(None);
        }
        self.inner
            .files
            .env_file(&self.event.session.id, handler)
            .map(Some)
            .map_err(|error| Failure::CannotStart { message: error.to_string() })
    }

    /// The event as threads and tasks share it; copied at the first call.
    pub(crate) fn shared_event(&self) -> Arc<Event> {
        self.shared.get_or_init(|| Arc::new(self.event.clone())).clone()
    }

    /// Tells the listeners; `what` is built only if there is one (H13).
    pub(crate) fn emit(&self, what: impl FnOnce() -> What) {
        if self.is_told && self.inner.listeners.any() {
            self.inner.listeners.tell(&RunEvent { firing: self.number, what: what() });
        }
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
