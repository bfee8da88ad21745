//! The result of a run.

use std::time::Duration;

use bytes::Bytes;

/// A run that is over for the host: how it ended and what it printed.
#[derive(Debug, Clone)]
pub struct FinishedRun {
    /// The way in which the process ended.
    pub end: End,
    /// The output on stdout.
    pub stdout: CapturedOutput,
    /// The output on stderr.
    pub stderr: CapturedOutput,
    /// Time from the call to the release of the host, pauses and all.
    pub elapsed: Duration,
    /// The process had ended, but another one still held stdout or stderr when the grace was over. It was left alone
    /// (`protocol.md` H4).
    pub pipes_held: bool,
}

/// The way in which a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited on its own, with this code.
    Exited(i32),
    /// A signal that this crate did not send ended it.
    Signaled(i32),
    /// It was still running at the deadline; its group is being ended by the reaper. Its output decides nothing.
    TimedOut,
    /// The token was cancelled first; its group, if it had started, is being ended by the reaper.
    Cancelled,
    /// It has ended, but its exit status was taken elsewhere: the host ignores `SIGCHLD` or waits for every child. That
    /// is a failure, never an exit 0.
    Lost,
}

impl End {
    /// Returns whether the process exited with 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Exited(0)
    }
}

/// The captured part of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    /// The first bytes, up to the cap.
    pub bytes: Bytes,
    /// The number of bytes read in all, including those that were dropped.
    pub total: u64,
}

impl CapturedOutput {
    /// Returns whether the stream was longer than its cap.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// The stream of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// File descriptor 1.
    Stdout,
    /// File descriptor 2.
    Stderr,
}

/// Bytes as they arrive. The chunks of a stream, joined, are its [`CapturedOutput::bytes`], or, with [`crate::SinkLimit::Unlimited`],
/// the whole stream.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// The stream.
    pub stream: Stream,
    /// At least one byte.
    pub bytes: &'a [u8],
}
