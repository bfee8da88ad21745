//! The result of a run.

use std::time::Duration;

use bytes::Bytes;

/// A run that is over for the host: how it ended and what it printed.
#[derive(Debug, Clone)]
pub struct FinishedRun {
    /// The reason why the process ended.
    pub end: End,
    /// The captured stdout.
    pub stdout: CapturedOutput,
    /// The captured stderr.
    pub stderr: CapturedOutput,
    /// The time from the call to the release of the host, including pauses.
    pub elapsed: Duration,
    /// True if the process had ended, but another one still had stdout or stderr open when the grace was over. That
    /// process was left alone (`protocol.md` H4).
    pub pipes_held: bool,
}

/// The reason why a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The process exited on its own, with this code.
    Exited(i32),
    /// The process was ended by a signal that this crate did not send.
    Signaled(i32),
    /// The process was still running at the deadline; its group is being ended by the reaper. Its output decides
    /// nothing.
    TimedOut,
    /// The token was cancelled first; the process group, if it had started, is being ended by the reaper.
    Cancelled,
    /// The process has ended, but its exit status was taken elsewhere: the host ignores `SIGCHLD` or waits for every
    /// child. This is a failure, never an exit 0.
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
    /// The total number of bytes read, including those that were dropped.
    pub total: u64,
}

impl CapturedOutput {
    /// Returns whether the stream was longer than its cap.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// File descriptor 1.
    Stdout,
    /// File descriptor 2.
    Stderr,
}

/// Bytes of a stream as they arrive. The chunks of a stream, joined, are its [`CapturedOutput::bytes`], or, with
/// [`crate::SinkLimit::Unlimited`], the whole stream.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// The stream that the bytes belong to.
    pub stream: Stream,
    /// The bytes, at least one.
    pub bytes: &'a [u8],
}
