//! Takes over runs that no event waits for, and owns them until they have ended.
//!
//! INVARIANT: dropping the last clone of a [`Background`] ends all runs that it adopted, and so does the end of the
//! runtime in which they were adopted; a run that ends without an answer has a result as well.

use super::book::{Book, Grip};
use super::ledger::{Admission, Entry, Ledger};
use super::state_file::StateDir;
use super::turn::{self, Turn};
use super::{BackgroundDelivery, BackgroundEnd, BackgroundHook, Wake, Wakes};
use crate::config::handler::Handler;
use crate::host::private_files::PrivateFiles;
use crate::report::background_id::BackgroundId;
use crate::report::run_event::{RunEvent, RunEventKind};
use crate::report::stream::Listeners;
use becket_model::SessionId;
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// The background hooks of an engine. Cheap to clone; keeps no engine alive, and what it adopts must not own it.
#[derive(Debug, Clone)]
pub(crate) struct Background {
    shared: Arc<RegistryState>,
    _owner: Arc<Owner>,
}

/// State that the tasks share. It does not own the tasks, or they would keep each other alive.
#[derive(Debug)]
pub(super) struct RegistryState {
    pub(super) book: Arc<Book>,
    pub(super) listeners: Arc<Listeners>,
    pub(super) files: Arc<PrivateFiles>,
    pub(super) states: Option<StateDir>,
    /// Cancelled when the owner is dropped: every task ends at its next await.
    pub(super) gone: CancellationToken,
}

/// Ends everything when the last clone is dropped.
#[derive(Debug)]
struct Owner(Arc<RegistryState>);

/// A run to take over.
#[derive(Debug)]
pub(crate) struct Adoption {
    /// The session whose event started it.
    pub(crate) session: SessionId,
    /// The number of the firing that it belongs to, as in its run events.
    pub(crate) firing: u64,
    /// The handler; its event is the one that it was started for.
    pub(crate) handler: Arc<Handler>,
    /// The time limit of the run, from its start. For reports only: the work itself enforces it.
    pub(crate) limit: Duration,
    /// Set if exit 2 wakes the host (A4).
    pub(crate) rewake: bool,
    /// The token that cancels the work; not the event's own token, which ends with the event.
    pub(crate) cancel: CancellationToken,
    /// Set if it is already running (A2): then it does not wait for room, and its start has been reported.
    pub(crate) already_running: bool,
}

impl Background {
    /// Creates an empty registry. With a `session_dir`, other processes can see there what is pending.
    pub(crate) fn new(
        listeners: Arc<Listeners>,
        files: Arc<PrivateFiles>,
        session_dir: Option<PathBuf>,
    ) -> Self {
        let shared = Arc::new(RegistryState {
            book: Arc::new(Book::new()),
            listeners,
            files,
            states: session_dir.map(|dir| StateDir::new(&dir)),
            gone: CancellationToken::new(),
        });
        Background { shared: shared.clone(), _owner: Arc::new(Owner(shared)) }
    }

    /// Takes over a run. `work` is called when the session has room for it, and the future that it returns is polled on
    /// a task of its own until it resolves; before the call nothing of it may run or count down. On cancellation it has
    /// a grace to resolve, and is dropped if it does not. It reports neither start nor end: the registry does.
    ///
    /// # Panics
    /// Panics outside a tokio runtime that drives time.
    pub(crate) fn adopt(
        &self,
        adopted: Adoption,
        work: impl FnOnce() -> BoxFuture<'static, BackgroundEnd> + Send + 'static,
    ) -> BackgroundId {
        let id = BackgroundId::next();
        let (start, started) = oneshot::channel();
        let grip = Grip { cancel: adopted.cancel.clone(), start: None };
        let mut entry = Entry::new(adopted.session.clone(), adopted.handler.clone(), grip);
        (entry.limit, entry.rewake) = (adopted.limit, adopted.rewake);
        let admission = {
            let mut ledger = self.shared.book.open();
            let admission = ledger.adopt(id, entry, adopted.already_running);
            match (admission, ledger.grip(id)) {
                (Admission::Waits, Some(grip)) => grip.start = Some(start),
                (Admission::Runs, _) => drop(start.send(())),
                (Admission::Waits, None) | (Admission::Refused, _) => drop(start),
            }
            admission
        };
        let (firing, handler) = (adopted.firing, adopted.handler.clone());
        let turn = Turn::new(self.shared.clone(), id, adopted, admission);
        self.shared.emit(firing, || RunEventKind::Backgrounded { id, handler });
        tokio::spawn(turn::run(turn, started, work));
        id
    }

    /// Returns the pending hooks of one session, or of all.
    pub(crate) fn pending(&self, session: Option<&SessionId>) -> Vec<BackgroundHook> {
        self.shared.book.open().pending(session)
    }

    /// Takes the uncollected results of a session.
    pub(crate) fn collect(&self, session: &SessionId) -> Vec<BackgroundDelivery> {
        self.shared.book.open().collect(session)
    }

    /// Returns the queue of wakes.
    pub(crate) fn wakes(&self) -> Wakes {
        Wakes::new(self.shared.book.clone())
    }

    /// Waits until no `asyncRewake` hook of the session is pending, and takes all its wakes (A4).
    pub(crate) async fn rewakes(&self, session: &SessionId) -> Vec<Wake> {
        let hold = WakeHold::new(&self.shared.book, session);
        let is_over = |book: &Book| !book.open().entries_of(session).any(|entry| entry.rewake);
        self.shared.book.until(|book| is_over(book).then_some(())).await;
        let wakes = self.shared.book.open().take_wakes_of(session);
        drop(hold);
        wakes
    }

    /// Waits until no hook of the session is pending.
    pub(crate) async fn over(&self, session: &SessionId) {
        let is_over = |book: &Book| book.open().entries_of(session).next().is_none();
        self.shared.book.until(|book| is_over(book).then_some(())).await;
    }

    /// Cancels all hooks of the session, including those adopted meanwhile, waits for them, and takes their results.
    pub(crate) async fn end(&self, session: &SessionId) -> Vec<BackgroundDelivery> {
        let cancel_all = |book: &Book| {
            let tokens = tokens(&book.open(), session);
            tokens.iter().for_each(CancellationToken::cancel);
            tokens.is_empty().then_some(())
        };
        self.shared.book.until(cancel_all).await;
        self.collect(session)
    }

    /// Cancels the session's pending hooks without waiting for them, and drops all results that are owed to it.
    pub(crate) fn forget(&self, session: &SessionId) {
        let tokens = {
            let mut ledger = self.shared.book.open();
            ledger.forget(session);
            tokens(&ledger, session)
        };
        tokens.iter().for_each(CancellationToken::cancel);
    }
}

/// Returns the tokens that end the pending hooks of a session. Cancel them only after the ledger is unlocked: a
/// listener on a token may be foreign code.
fn tokens(ledger: &Ledger<Grip>, session: &SessionId) -> Vec<CancellationToken> {
    ledger.entries_of(session).map(|entry| entry.grip.cancel.clone()).collect()
}

impl RegistryState {
    /// Emits a run event; `what` is called only if there is a listener (H13).
    pub(super) fn emit(&self, firing: u64, what: impl FnOnce() -> RunEventKind) {
        if self.listeners.any() {
            self.listeners.emit(&RunEvent { firing, what: what() });
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.book.open().close();
        self.0.gone.cancel();
        self.0.book.ring();
    }
}

/// Withholds the wakes of a session from all other callers while its owner waits for them.
struct WakeHold<'a> {
    book: &'a Book,
    session: &'a SessionId,
}

impl<'a> WakeHold<'a> {
    fn new(book: &'a Book, session: &'a SessionId) -> Self {
        book.open().hold(session);
        WakeHold { book, session }
    }
}

impl Drop for WakeHold<'_> {
    fn drop(&mut self) {
        self.book.open().release(self.session);
        self.book.ring();
    }
}

#[cfg(test)]
mod tests;
