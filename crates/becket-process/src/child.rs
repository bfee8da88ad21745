//! A started process with its three pipes. If it is dropped, it ends the process group and has it reaped.
//!
//! INVARIANT: `leader` is present until the process was reaped or handed to the reaper, exactly one of the two.

use std::sync::Arc;
use std::time::Duration;

use crate::command::Command;
use crate::drain::{Drain, Sink};
use crate::error::SpawnError;
use crate::feed::Feed;
use crate::finished_run::{End, Stream};
use crate::limits::Limits;
use crate::reaper::Reaper;
use crate::steering::RunState;
use crate::sys::{self, Input, Leader, SpawnedChild, Termination};

/// A process that is running, or has ended and is not reaped yet.
#[derive(Debug)]
pub(crate) struct Child {
    leader: Option<Leader>,
    pub(crate) stdin: Feed,
    pub(crate) stdout: Drain,
    pub(crate) stderr: Drain,
    /// The pipe to its stdin, once there is nothing more to write.
    fed: Option<Input>,
    reaper: Reaper,
}

impl Child {
    /// If `more` is set, it supplies further bytes for stdin after the command's own.
    pub(crate) fn spawn(
        command: &Command,
        limits: &Limits,
        reaper: &Reaper,
        more: Option<Arc<RunState>>,
    ) -> Result<Self, SpawnError> {
        let keep_stdin = more.as_ref().is_some_and(|more| more.may_write());
        Ok(Self::of(sys::spawn(command, keep_stdin)?, limits, reaper, more))
    }

    /// Returns the child of a process that has been started ahead.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_standby(
        standby: sys::Standby,
        limits: &Limits,
        reaper: &Reaper,
        more: Option<Arc<RunState>>,
    ) -> Result<Self, SpawnError> {
        let keep_stdin = more.as_ref().is_some_and(|more| more.may_write());
        Ok(Self::of(standby.into_spawned(keep_stdin)?, limits, reaper, more))
    }

    fn of(spawned: SpawnedChild, limits: &Limits, reaper: &Reaper, more: Option<Arc<RunState>>) -> Self {
        Self {
            leader: Some(spawned.leader),
            stdin: Feed::new(spawned.stdin, spawned.unwritten, more),
            stdout: Drain::new(Stream::Stdout, spawned.stdout, limits.stdout_cap, limits.sink),
            stderr: Drain::new(Stream::Stderr, spawned.stderr, limits.stderr_cap, limits.sink),
            fed: None,
            reaper: reaper.clone(),
        }
    }

    /// Stops writing to stdin.
    pub(crate) fn stop_feeding(&mut self) {
        self.fed = self.stdin.stop();
    }

    /// Resolves when the process has ended. Cancel-safe.
    pub(crate) async fn exited(&self) {
        match &self.leader {
            Some(leader) => leader.exited().await,
            None => std::future::pending().await,
        }
    }

    /// Resolves when a pipe can be pumped; never, once all are closed. Polls the three fairly. Cancel-safe.
    pub(crate) async fn pipes_ready(&self) {
        tokio::select! {
            () = self.stdin.ready() => (),
            () = self.stdout.ready() => (),
            () = self.stderr.ready() => (),
        }
    }

    /// Moves whatever data can be moved without waiting.
    pub(crate) fn pump(&mut self, sink: &mut Sink<'_>) {
        self.stdin.pump();
        self.stdout.pump(sink);
        self.stderr.pump(sink);
    }

    /// Returns whether some process can still write to stdout or stderr.
    pub(crate) fn outputs_open(&self) -> bool {
        self.stdout.is_open() || self.stderr.is_open()
    }

    /// Takes the exit status of a process that has ended. The processes it left behind are left alone, or ended by the
    /// reaper with `grace` between SIGTERM and SIGKILL, depending on its [`crate::Descendants`].
    pub(crate) fn reap(&mut self, grace: Duration) -> End {
        self.stdin.close();
        if let Some(end) = self.leader.as_ref().and_then(Leader::end_with_all) {
            if let Some(leader) = self.leader.take() {
                self.reaper.end(Termination::new(leader, None, [None, None]), grace);
            }
            return end;
        }
        match self.leader.take() {
            Some(leader) => leader.reap(),
            None => End::Lost,
        }
    }

    /// Has the reaper end the group, with `grace` between SIGTERM and SIGKILL.
    pub(crate) fn end(&mut self, grace: Duration) {
        if let Some(ending) = self.give_up() {
            self.reaper.end(ending, grace);
        }
    }

    fn give_up(&mut self) -> Option<Termination> {
        let leader = self.leader.take()?;
        let stdin = self.stdin.stop().or_else(|| self.fed.take());
        // The pipes go along: a process that writes a last message into a closed pipe would be killed by SIGPIPE.
        Some(Termination::new(leader, stdin, [self.stdout.take_output(), self.stderr.take_output()]))
    }
}

/// Ends the run if its future is dropped or its sink panics: its result is no longer needed, so there is no grace.
impl Drop for Child {
    fn drop(&mut self) {
        if let Some(ending) = self.give_up() {
            self.reaper.kill(ending);
        }
    }
}
