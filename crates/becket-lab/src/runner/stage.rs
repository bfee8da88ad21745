//! The interceptor of a case: records every run, replays recorded ones, and breaks one handler.

use super::record::{CaseError, RecordedRun};
use crate::breakage::Breakage;
use crate::handler_key::HandlerKey;
use becket_engine::handler::Action;
use becket_engine::{InterceptedRun, RunEnd, RunInterceptor};
use becket_model::Failure;
use bytes::Bytes;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The interceptor for the runs of one attempt.
pub(super) struct Stage {
    replayed: Option<Arc<Vec<RecordedRun>>>,
    breakage: Option<Breakage>,
    given: OnceLock<Vec<(HandlerKey, RunEnd)>>,
    runs: Mutex<Vec<RecordedRun>>,
    refused: Mutex<Option<CaseError>>,
}

impl Stage {
    pub(super) fn new(replayed: Option<Arc<Vec<RecordedRun>>>, breakage: Option<Breakage>) -> Self {
        Stage {
            replayed,
            breakage,
            given: OnceLock::new(),
            runs: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// Sets the answers of handlers that are not run.
    pub(super) fn give(&self, replies: Vec<(HandlerKey, RunEnd)>) {
        let _first = self.given.set(replies);
    }

    /// Returns the error of a handler that could not be run, once.
    pub(super) fn refused(&self) -> Option<CaseError> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn into_runs(self: Arc<Self>) -> Vec<RecordedRun> {
        std::mem::take(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps the unbroken end of a run, and returns the one that counts.
    fn keep(&self, run: InterceptedRun<'_>, end: RunEnd) -> RunEnd {
        let handler = HandlerKey::of(run.handler);
        let recorded = RecordedRun { handler, input: run.input.clone(), end: end.clone() };
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
        match &self.breakage {
            Some(breakage) if breakage.breaks(run.handler) => breakage.broken(end),
            Some(_) | None => end,
        }
    }

    fn recorded(&self, run: InterceptedRun<'_>) -> Option<RunEnd> {
        let key = HandlerKey::of(run.handler);
        let runs = self.replayed.as_ref()?.iter();
        let mut same = runs.filter(|recorded| recorded.handler == key && recorded.input == *run.input);
        same.next().map(|recorded| recorded.end.clone())
    }

    /// Returns the end of a handler that would use the network: the given one, or a failure.
    fn outside(&self, run: InterceptedRun<'_>) -> RunEnd {
        let key = HandlerKey::of(run.handler);
        let given = self.given.get().map_or(&[][..], Vec::as_slice);
        if let Some((_, end)) = given.iter().find(|(handler, _)| *handler == key) {
            return self.keep(run, end.clone());
        }
        let label = run.handler.place.label.to_string();
        let error = CaseError::NeedsNetwork { kind: run.handler.action.name(), label };
        let message = error.to_string();
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        RunEnd::Failed(Failure::CannotStart { message })
    }
}

impl RunInterceptor for Stage {
    fn replace(&self, run: InterceptedRun<'_>) -> Option<RunEnd> {
        let breakage = self.breakage.as_ref().filter(|breakage| breakage.breaks(run.handler));
        if let Some(end) = breakage.and_then(Breakage::replacement) {
            return Some(end);
        }
        if !matches!(run.handler.action, Action::Command(_)) {
            return Some(self.outside(run));
        }
        if breakage.is_some_and(Breakage::needs_process) {
            return None;
        }
        self.recorded(run).map(|end| self.keep(run, end))
    }

    fn stdin(&self, run: InterceptedRun<'_>) -> Option<Bytes> {
        let breakage = self.breakage.as_ref().filter(|breakage| breakage.breaks(run.handler))?;
        breakage.empties_stdin().then(Bytes::new)
    }

    fn ended(&self, run: InterceptedRun<'_>, end: RunEnd) -> RunEnd {
        self.keep(run, end)
    }
}
