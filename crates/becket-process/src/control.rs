//! A handle that controls one run from outside: more stdin, a paused limit, a new limit.
//!
//! Never blocks: every call returns at once, from any thread, including from the sink of the run itself.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::steering::{Limit, RunState};

/// Controls one run from outside. Clones control the same run; every method may be called from any thread and from the
/// sink.
///
/// One of them is passed to [`crate::Runner::run_with`], which consumes it. Clones control the first run that one of
/// them is passed to; a later run behaves as if it had no control. Calls before the run starts apply from its start;
/// calls after the process has ended do nothing.
///
/// ```
/// use becket_process::{CancellationToken, Command, Control, Limits, Program, Runner};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let command = Command::new(Program::shell("echo sure?; read answer; echo you said $answer"), "/");
/// let control = Control::with_open_stdin();
/// let own = control.clone();
/// let mut sink = move |chunk: becket_process::Chunk<'_>| {
///     if chunk.bytes.starts_with(b"sure?") {
///         let thinking = own.pause();
///         assert!(own.write("yes\n"));
///         drop(thinking);
///     }
/// };
/// let (limits, token) = (Limits::default(), CancellationToken::new());
/// let finished = Runner::new().run_with(&command, &limits, &token, control, &mut sink).await?;
/// assert_eq!(finished.stdout.bytes, "sure?\nyou said yes\n");
/// # Ok::<(), becket_process::SpawnError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Control(Arc<Holder>);

/// The state shared by all clones of a control. It is dropped with the last of them.
struct Holder(Arc<RunState>);

impl Control {
    /// Creates a control of a run whose stdin is closed after [`crate::Command::stdin`], as without a control.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two are equal, so there is no default one")]
    pub fn new() -> Self {
        Self(Arc::new(Holder(Arc::new(RunState::new(false)))))
    }

    /// Creates a control of a run whose stdin stays open after [`crate::Command::stdin`]: until
    /// [`Control::close_stdin`], until the process ends or closes it, or until every control of the run was dropped.
    /// The control passed to the run does not count, but one that the sink owns does: a process that waits for an
    /// answer that can no longer come sees the end of its input.
    #[must_use]
    pub fn with_open_stdin() -> Self {
        Self(Arc::new(Holder(Arc::new(RunState::new(true)))))
    }

    /// Queues bytes for stdin, after [`crate::Command::stdin`] and everything queued before; the run writes them as
    /// the process reads. Returns false and drops the bytes if stdin is closed or the run has ended.
    ///
    /// The queue has no bound: a caller whose process may not read has to limit what it writes. True does not mean that
    /// the process will read the bytes.
    pub fn write(&self, bytes: impl Into<Bytes>) -> bool {
        self.shared().write(bytes.into())
    }

    /// Closes stdin once everything queued has been written. Calling it twice has no further effect.
    pub fn close_stdin(&self) {
        self.shared().close_stdin();
    }

    /// Pauses the limit from now on, as long as the returned guard, or another pause of this run, lives; then the
    /// limit continues with the time that was left. An exit, the token and a dropped run still end a paused run.
    #[must_use = "the limit continues as soon as this is dropped"]
    pub fn pause(&self) -> Pause {
        self.shared().steer(|clock| clock.pause(Instant::now()));
        Pause(Arc::clone(self.shared()))
    }

    /// Replaces the remainder of the limit: the run may take that long from now on, or, if it is paused, from the
    /// moment it continues. A limit past the end of time means no limit.
    pub fn limit_from_now(&self, limit: Duration) {
        self.shared().limit_from_now(Instant::now(), limit);
    }

    /// Consumes the control; returns the limit and stdin of the run it was passed to.
    pub(crate) fn attach(self, now: Instant, limit: Option<Duration>) -> Limit {
        Limit::steered(Arc::clone(self.shared()), now, limit)
    }

    fn shared(&self) -> &Arc<RunState> {
        &self.0.0
    }
}

/// Closes stdin once the last control is dropped: nothing can write any more.
impl Drop for Holder {
    fn drop(&mut self) {
        self.0.close_stdin();
    }
}

/// Leaves the queue out: it may be secret.
impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}

/// A guard that pauses the limit of a run. Does not keep stdin open; has no effect once the run has ended.
pub struct Pause(Arc<RunState>);

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.steer(|clock| clock.resume(Instant::now()));
    }
}

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pause").finish_non_exhaustive()
    }
}
