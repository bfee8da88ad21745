//! The context that the handlers of one event share.

mod engine_state;

pub(crate) use engine_state::{EngineParts, EngineState, has_rules};

use crate::config::handler::{Background, Handler};
use crate::config::nesting::EventMark;
use crate::handlers::interceptor::{InterceptedRun, RunInterceptor};
use crate::plan::PlannedRun;
use crate::plan::snapshot::Snapshot;
use crate::report::outcome::{Outcome, Run};
use crate::report::run_event::{RunEvent, RunEventKind};
use becket_model::fold::Entry;
use becket_model::wire::input;
use becket_model::{Enforcement, Event, Failure, HandlerOrigin, OnFailure};
use becket_process::CancellationToken;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Fires an event inside another one, for the tool calls of an `agent` handler (H8). Passed in, since handlers do not
/// know the engine that runs them.
pub(crate) type FireNested =
    for<'b> fn(&'b EngineState, &'b Snapshot, &'b Event, &'b CancellationToken) -> BoxFuture<'b, Outcome>;

/// The context of one event for its handlers.
pub(crate) struct HandlerContext<'a> {
    pub(crate) number: u64,
    pub(crate) event: &'a Event,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) engine: &'a EngineState,
    pub(crate) snapshot: &'a Snapshot,
    /// The time budget that all handlers of the event share, on SessionEnd (H11).
    pub(crate) budget: Option<Duration>,
    /// Set if the event is fired again for a rewritten input (D9).
    pub(crate) second_look: bool,
    /// False if only callbacks that are marked as internal match (H13).
    pub(crate) is_told: bool,
    pub(crate) serialized: OnceLock<Bytes>,
    pub(crate) shared: OnceLock<Arc<Event>>,
    /// The event's mark, once it is needed (H14).
    pub(crate) mark: OnceLock<EventMark>,
    pub(crate) fire_nested: FireNested,
}

impl<'a> HandlerContext<'a> {
    /// Returns the context of the same firing on a rewritten input (D9).
    pub(crate) fn with_event(&self, rewritten: &'a Event) -> HandlerContext<'a> {
        let (serialized, shared, mark) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        HandlerContext { event: rewritten, second_look: true, serialized, shared, mark, ..*self }
    }

    /// Returns the effect of a handler's failure: its own, but a managed `failClosed` also closes those that the host
    /// has registered (O10).
    pub(crate) fn on_failure(&self, handler: &Handler) -> OnFailure {
        let is_closed = self.snapshot.config.policy.fail_closed && handler.background == Background::No;
        if is_closed { OnFailure::Block } else { handler.place.on_failure }
    }

    /// Returns whether the event waits for the handler even if it announces that it continues in the background (A2):
    /// otherwise the event would continue unchecked.
    pub(crate) fn must_answer(&self, handler: &Handler) -> bool {
        self.waits_for_async()
            || handler.background == Background::No
                && (self.on_failure(handler).closes(self.event.kind().spec())
                    || handler.rollout.written() != Enforcement::Enforce)
    }

    /// Returns whether the host can't continue in the background.
    pub(crate) fn waits_for_async(&self) -> bool {
        self.engine.request.waits_for_async
    }

    /// Returns a handler's part in the verdict.
    pub(crate) fn entry(&self, run: &Run) -> Entry {
        let place = self.place(&run.handler, run.failure.as_ref(), Enforcement::Enforce);
        match &run.withheld {
            Some(withheld) => withheld.entry(place),
            None => Entry { place, reply: run.reply.clone(), failure: run.failure.clone() },
        }
    }

    /// Returns the origin of a handler with the effect of its failure and of its answers in this event.
    pub(crate) fn place(
        &self,
        handler: &Handler,
        failure: Option<&Failure>,
        enforcement: Enforcement,
    ) -> HandlerOrigin {
        let on_failure = match failure {
            Some(Failure::NotContained { .. }) => OnFailure::Block,
            Some(_) | None => self.on_failure(handler),
        };
        HandlerOrigin { on_failure, enforcement, ..handler.place.clone() }
    }

    /// Returns the limit of a handler: its own, within the event's budget if there is one.
    pub(crate) fn limit_of(&self, handler: &Handler) -> Duration {
        match self.budget {
            Some(budget) if handler.timeout.configured => handler.timeout.limit.min(budget),
            Some(budget) => budget,
            None => handler.timeout.limit,
        }
    }

    /// Returns the input and a newline; serialised at the first call and shared by all (N2).
    pub(crate) fn stdin(&self) -> Bytes {
        let bytes = self.serialized.get_or_init(|| {
            self.engine.serialized.fetch_add(1, Ordering::Relaxed);
            let mut bytes = input::to_bytes(self.event);
            bytes.push(b'\n');
            bytes.into()
        });
        bytes.clone()
    }

    /// Returns the answer of the host's interceptor about a run of the handler, if there is an interceptor.
    pub(crate) fn intercepted<T>(
        &self,
        handler: &Handler,
        answer: impl FnOnce(&dyn RunInterceptor, InterceptedRun<'_>) -> Option<T>,
    ) -> Option<T> {
        let interceptor = self.engine.host.interceptor.as_deref()?;
        answer(interceptor, InterceptedRun { handler, event: self.event, input: &self.stdin() })
    }

    /// Returns the event's mark (H14), computed at the first call.
    fn mark(&self) -> EventMark {
        *self.mark.get_or_init(|| EventMark::of(&self.snapshot.places.profile.name, self.event))
    }

    /// Returns the mark for a command of the event, so that it can't fire the same event again (H14).
    pub(crate) fn mark_for(&self, handler: &Handler) -> String {
        self.engine.enclosing().variable(self.mark(), &handler.location)
    }

    /// Returns the marks for a request of the event.
    pub(crate) fn marks(&self) -> String {
        self.engine.enclosing().header(self.mark())
    }

    /// Returns the failure that prevents all handlers of the event from running in this process (H14), or `None` if
    /// they may.
    pub(crate) fn refusal(&self, runs: &[PlannedRun]) -> Option<Failure> {
        let enclosing = (!runs.is_empty()).then(|| self.engine.enclosing())?;
        if enclosing.is_empty() {
            return None;
        }
        let refusal = enclosing.refusal(self.mark())?;
        let near = runs.iter().map(|run| &run.handler).find(|handler| handler.location.line > 0);
        let message = enclosing.explain(refusal, self.event.kind(), near.map(|handler| &handler.location));
        Some(Failure::Nested { message })
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

    /// Returns the handler's environment file, created on first use (H12).
    pub(crate) fn env_file(&self, handler: &Handler) -> Result<Option<PathBuf>, Failure> {
        if !self.event.kind().spec().env_file {
            return Ok(None);
        }
        self.engine
            .files
            .env_file(&self.event.session.id, handler.event, &handler.place)
            .map(Some)
            .map_err(|error| Failure::CannotStart { message: error.to_string() })
    }

    /// Returns the event in a form that threads and tasks share; copied at the first call.
    pub(crate) fn shared_event(&self) -> Arc<Event> {
        self.shared.get_or_init(|| Arc::new(self.event.clone())).clone()
    }

    /// Emits a run event; `what` is called only if there is a listener (H13).
    pub(crate) fn emit(&self, what: impl FnOnce() -> RunEventKind) {
        if self.is_told && self.engine.listeners.any() {
            self.engine.listeners.emit(&RunEvent { firing: self.number, what: what() });
        }
    }
}
