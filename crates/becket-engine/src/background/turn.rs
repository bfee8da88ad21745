//! The task of one background hook: waits for room, works, and reports.
//!
//! INVARIANT: a [`Turn`] reports exactly once, when it is dropped: with the result of its work, or else as cancelled.
//! This also applies to a panic, a runtime that is shut down and an engine that is dropped.

use super::ledger::Admission;
use super::registry::{Adoption, RegistryState};
use super::state_file::StateFile;
use super::verdict::{self, BackgroundResult};
use super::{BackgroundDelivery, BackgroundEnd, PendingState, Wake};
use crate::config::handler::Once;
use crate::host::panic::catch_panic;
use crate::report::background_id::BackgroundId;
use crate::report::long_text;
use crate::report::outcome::Run;
use crate::report::run_event::RunEventKind;
use becket_model::Failure;
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The time that cancelled work may take to resolve before it is dropped. A process resolves at once (H4).
const GRACE: Duration = Duration::from_secs(2);

/// One adopted run, from its adoption to its report.
pub(super) struct Turn {
    shared: Arc<RegistryState>,
    id: BackgroundId,
    adopted: Adoption,
    admission: Admission,
    state: Option<StateFile>,
    warnings: Vec<String>,
    report: Option<(BackgroundDelivery, Option<Wake>)>,
}

impl Turn {
    pub(super) fn new(
        shared: Arc<RegistryState>,
        id: BackgroundId,
        adopted: Adoption,
        admission: Admission,
    ) -> Self {
        let mut turn =
            Turn { shared, id, adopted, admission, state: None, warnings: Vec::new(), report: None };
        match admission {
            Admission::Runs => turn.show(PendingState::Running),
            Admission::Waits => turn.show(PendingState::Waiting),
            Admission::Refused => {}
        }
        turn
    }

    /// Shows the hook in this state to other processes.
    fn show(&mut self, state: PendingState) {
        let Some(states) = &self.shared.states else { return };
        match states.write(self.id, &self.adopted, state) {
            Ok(new) => {
                self.state = Some(match self.state.take() {
                    Some(old) => old.replaced_by(new),
                    None => new,
                });
            }
            Err(why) => {
                let warning = format!("other processes can't see this hook: {why}");
                self.warnings.retain(|earlier| *earlier != warning);
                self.warnings.push(warning);
            }
        }
    }

    async fn work(
        &mut self,
        started: oneshot::Receiver<()>,
        work: impl FnOnce() -> BoxFuture<'static, BackgroundEnd>,
    ) -> BackgroundEnd {
        let cancel = self.adopted.cancel.clone();
        let cancelled = || BackgroundEnd::failed(Failure::Cancelled, Duration::ZERO);
        if self.admission == Admission::Refused {
            return cancelled();
        }
        if !self.adopted.already_running {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return cancelled(),
                started = started => if started.is_err() { return cancelled() },
            }
            self.started();
        }
        let since = Instant::now();
        tokio::select! {
            biased;
            ended = catch_work_panic(work) => ended.unwrap_or_else(|panic| BackgroundEnd::failed(panic, since.elapsed())),
            () = grace_over(&cancel) => BackgroundEnd::failed(Failure::Cancelled, since.elapsed()),
        }
    }

    fn started(&mut self) {
        if self.admission == Admission::Waits && self.state.is_some() {
            self.show(PendingState::Running);
        }
        let handler = self.adopted.handler.clone();
        self.shared.emit(self.adopted.firing, || RunEventKind::Started { handler });
    }

    /// Makes the report, and informs the listeners.
    fn conclude(&mut self, mut ended: BackgroundEnd) {
        ended.warnings.append(&mut self.warnings);
        let judged = verdict::judge(self.adopted.handler.clone(), self.adopted.rewake, ended);
        self.report = Some(self.report_of(&judged));
        if let (Some(Once(done)), None) = (&judged.run.handler.once, &judged.run.failure) {
            done.store(true, Ordering::Release);
        }
        let (id, run) = (self.id, Arc::new(judged.run));
        self.shared.emit(self.adopted.firing, || RunEventKind::BackgroundFinished { id, run });
    }

    fn report_of(
        &self,
        BackgroundResult { run, reminder }: &BackgroundResult,
    ) -> (BackgroundDelivery, Option<Wake>) {
        let (files, session) = (&self.shared.files, &self.adopted.session);
        // Nothing of a forgotten session is kept, not even files.
        let is_owed = self.shared.book.open().is_owed(self.id);
        let mut warnings = run.warnings.clone();
        let mut short = |text: &String| {
            let mut text = text.clone();
            if is_owed {
                warnings.extend(long_text::shorten_text(&mut text, None, files, session));
            }
            text
        };
        let texts = run.reply.context.iter().map(|context| &context.text).chain(&run.reply.system_message);
        let contexts = texts.map(&mut short).collect();
        let wake = reminder.as_ref().map(|reminder| Wake {
            id: self.id,
            session: session.clone(),
            event: run.handler.event,
            label: run.handler.place.label.clone(),
            source: run.handler.place.source.clone(),
            reminder: if reminder.plain { short(&reminder.text) } else { reminder.text.clone() },
            missed: 0,
        });
        (self.delivered(run, contexts, warnings), wake)
    }

    fn delivered(&self, run: &Run, contexts: Vec<String>, warnings: Vec<String>) -> BackgroundDelivery {
        BackgroundDelivery {
            id: self.id,
            session: self.adopted.session.clone(),
            event: run.handler.event,
            label: run.handler.place.label.clone(),
            source: run.handler.place.source.clone(),
            contexts,
            warnings,
            outcome: run.status,
            failure: run.failure.clone(),
            exit: run.exit,
            elapsed: run.elapsed,
            missed: 0,
        }
    }

    /// Returns the report of a task that was dropped before its work was done.
    fn cut_short(&mut self) -> (BackgroundDelivery, Option<Wake>) {
        let ended = BackgroundEnd {
            warnings: std::mem::take(&mut self.warnings),
            ..BackgroundEnd::failed(Failure::Cancelled, Duration::ZERO)
        };
        self.report_of(&verdict::judge(self.adopted.handler.clone(), false, ended))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (result, wake) = match self.report.take() {
            Some(report) => report,
            None => self.cut_short(),
        };
        // Removed before the hook counts as ended, so that a caller that waits for the end finds no file of it.
        drop(self.state.take());
        let mut ledger = self.shared.book.open();
        let next = ledger.finish(self.id, result, wake);
        let starts: Vec<_> = next.into_iter().filter_map(|id| ledger.grip(id)?.start.take()).collect();
        drop(ledger);
        for start in starts {
            // A hook whose task has just ended reports on its own, and frees its place.
            let _ = start.send(());
        }
        self.shared.book.ring();
    }
}

/// Runs a turn from its start to its end.
pub(super) async fn run(
    mut turn: Turn,
    started: oneshot::Receiver<()>,
    work: impl FnOnce() -> BoxFuture<'static, BackgroundEnd>,
) {
    let engine_gone = turn.shared.gone.clone();
    let ended = tokio::select! {
        biased;
        () = engine_gone.cancelled() => return,
        ended = turn.work(started, work) => ended,
    };
    turn.conclude(ended);
}

/// Calls the work and polls it; a panic of either is a failure of this hook alone.
async fn catch_work_panic(
    work: impl FnOnce() -> BoxFuture<'static, BackgroundEnd>,
) -> Result<BackgroundEnd, Failure> {
    let lost = |message| Failure::Lost { message: format!("its task panicked: {message}") };
    catch_panic(async { work().await }).await.map_err(lost)
}

async fn grace_over(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}
