//! State shared by a run and its controls: the limit, and the queue of stdin.
//!
//! INVARIANT: the lock is only held for a few steps, never across an await, a write or a call of the sink: calls from
//! the sink can't deadlock with the run. Every change leaves a permit for the run, so none is missed.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::clock::Clock;

/// The state through which a run and its controls communicate.
pub(crate) struct RunState {
    state: Mutex<State>,
    /// Notifies the run, which is the only waiter.
    changed: Notify,
}

struct State {
    clock: Clock,
    /// True once a control has set the limit: the start of the run then leaves it unchanged.
    limited: bool,
    /// True once a run was started with this state.
    taken: bool,
    stdin: Stdin,
}

/// The input that follows the command's own.
enum Stdin {
    /// Queued bytes; more may follow.
    Open(VecDeque<Bytes>),
    /// Queued bytes; nothing follows them.
    Closing(VecDeque<Bytes>),
    /// No bytes: stdin was closed, or the process is gone.
    Closed,
}

/// The next input to write.
pub(crate) enum Next {
    /// At least one byte.
    Bytes(Bytes),
    /// Nothing now; the run is notified when there is more.
    Later,
    /// Nothing, now or later.
    Never,
}

impl RunState {
    pub(crate) fn new(open: bool) -> Self {
        let stdin = if open { Stdin::Open(VecDeque::new()) } else { Stdin::Closing(VecDeque::new()) };
        let state = State { clock: Clock::new(), limited: false, taken: false, stdin };
        Self { state: Mutex::new(state), changed: Notify::new() }
    }

    pub(crate) fn write(&self, bytes: Bytes) -> bool {
        let mut state = self.lock();
        let Stdin::Open(queue) = &mut state.stdin else { return false };
        if !bytes.is_empty() {
            queue.push_back(bytes);
            drop(state);
            self.changed.notify_one();
        }
        true
    }

    pub(crate) fn close_stdin(&self) {
        let mut state = self.lock();
        if let Stdin::Open(queue) = &mut state.stdin {
            state.stdin = Stdin::Closing(std::mem::take(queue));
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Changes the limit.
    pub(crate) fn steer(&self, change: impl FnOnce(&mut Clock)) {
        change(&mut self.lock().clock);
        self.changed.notify_one();
    }

    pub(crate) fn limit_from_now(&self, now: Instant, limit: Duration) {
        let mut state = self.lock();
        state.clock.limit(now, Some(limit));
        state.limited = true;
        drop(state);
        self.changed.notify_one();
    }

    /// Returns whether anything may follow the input of the command.
    pub(crate) fn may_write(&self) -> bool {
        match &self.lock().stdin {
            Stdin::Open(_) => true,
            Stdin::Closing(queue) => !queue.is_empty(),
            Stdin::Closed => false,
        }
    }

    /// Takes the next input to write.
    pub(crate) fn next(&self) -> Next {
        match &mut self.lock().stdin {
            Stdin::Open(queue) => queue.pop_front().map_or(Next::Later, Next::Bytes),
            Stdin::Closing(queue) => queue.pop_front().map_or(Next::Never, Next::Bytes),
            Stdin::Closed => Next::Never,
        }
    }

    /// Drops the queue and accepts nothing more: the reader is gone.
    pub(crate) fn end_stdin(&self) {
        let before = std::mem::replace(&mut self.lock().stdin, Stdin::Closed);
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leaves the queue out: it may be secret.
impl fmt::Debug for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunState").finish_non_exhaustive()
    }
}

/// The limit of a run, as the run sees it.
#[derive(Debug)]
pub(crate) enum Limit {
    /// The limit was set at the start. `None` also if the sum is past the end of time.
    Fixed(Option<Instant>),
    /// The limit is controlled from outside.
    Steered(RunControl),
}

/// The run's side of its controls. Once dropped, it accepts nothing more for stdin.
#[derive(Debug)]
pub(crate) struct RunControl(Arc<RunState>);

impl Drop for RunControl {
    fn drop(&mut self) {
        self.0.end_stdin();
    }
}

impl Limit {
    pub(crate) fn fixed(now: Instant, limit: Option<Duration>) -> Self {
        Self::Fixed(limit.and_then(|limit| now.checked_add(limit)))
    }

    /// Returns a fixed limit as well if these controls steer another run.
    pub(crate) fn steered(shared: Arc<RunState>, now: Instant, limit: Option<Duration>) -> Self {
        let mut state = shared.lock();
        if std::mem::replace(&mut state.taken, true) {
            return Self::fixed(now, limit);
        }
        if !state.limited {
            state.clock.limit(now, limit);
        }
        drop(state);
        Self::Steered(RunControl(shared))
    }

    /// Returns the source of more bytes for stdin.
    pub(crate) fn more_stdin(&self) -> Option<Arc<RunState>> {
        match self {
            Self::Fixed(_) => None,
            Self::Steered(RunControl(shared)) => Some(Arc::clone(shared)),
        }
    }

    /// Returns when the run has to end if no control changes that.
    pub(crate) fn due(&self) -> Option<Instant> {
        match self {
            Self::Fixed(due) => *due,
            Self::Steered(RunControl(shared)) => shared.lock().clock.due(),
        }
    }

    /// Returns when a run whose result is not awaited has to end: a pause does not count.
    pub(crate) fn due_regardless(&self, now: Instant) -> Option<Instant> {
        match self {
            Self::Fixed(due) => *due,
            Self::Steered(RunControl(shared)) => shared.lock().clock.due_regardless(now),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.due().is_some_and(|due| Instant::now() >= due)
    }

    /// Resolves when a control has been used since this last resolved; never for a run without controls. Cancel-safe.
    pub(crate) async fn changed(&self) {
        match self {
            Self::Fixed(_) => std::future::pending().await,
            Self::Steered(RunControl(shared)) => shared.changed.notified().await,
        }
    }
}
