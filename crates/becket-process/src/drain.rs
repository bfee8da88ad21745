//! Reads one stream to its end: keeps the first bytes, counts all of them.
//!
//! INVARIANT: the captured bytes never exceed the cap; reading never stops because of it (law 3).

use std::cell::Cell;
use std::io;

use crate::finished_run::{CapturedOutput, Chunk, Stream};
use crate::limits::{ByteCap, SinkLimit};
use crate::sys::Output;

/// The buffer size: the capacity of one pipe.
const BUFFER: usize = 1 << 16;
/// The initial buffer size: most output is short, and each page of a new buffer costs as much as a read.
const SMALL_BUFFER: usize = 1 << 12;
/// The most that is read at once, so that a flood can't delay the check of the deadline or the other stream.
const TURN: usize = 1 << 18;

thread_local! {
    // One buffer per thread, not per run: a fresh 64 KiB for each run was the largest cost in measurements.
    // Taken out while in use, so that a sink may start a run of its own.
    static SCRATCH: Cell<Option<Box<[u8]>>> = const { Cell::new(None) };
}

fn empty(size: usize) -> Box<[u8]> {
    vec![0; size].into_boxed_slice()
}

/// The consumer of a run's output while it runs.
pub(crate) type Sink<'a> = dyn FnMut(Chunk<'_>) + Send + 'a;

/// One stream of a process.
#[derive(Debug)]
pub(crate) struct Drain {
    stream: Stream,
    output: Option<Output>,
    cap: ByteCap,
    sink_limit: SinkLimit,
    kept: Vec<u8>,
    total: u64,
}

impl Drain {
    pub(crate) fn new(stream: Stream, output: Output, cap: ByteCap, sink_limit: SinkLimit) -> Self {
        Self { stream, output: Some(output), cap, sink_limit, kept: Vec::new(), total: 0 }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.output.is_some()
    }

    /// Resolves when a read may make progress. Cancel-safe.
    pub(crate) async fn ready(&self) {
        match &self.output {
            Some(output) => output.ready().await,
            None => std::future::pending().await,
        }
    }

    /// Reads until the pipe is empty or closed, or the turn's share is used up.
    pub(crate) fn pump(&mut self, sink: &mut Sink<'_>) {
        let mut buffer = SCRATCH.take().unwrap_or_else(|| empty(SMALL_BUFFER));
        let mut budget = TURN;
        while budget > 0 {
            let Some(output) = &self.output else { break };
            match output.try_read(&mut buffer) {
                Ok(0) => self.output = None,
                Ok(read) => {
                    self.keep(&buffer[..read], sink);
                    budget = budget.saturating_sub(read);
                    if read == buffer.len() && read < BUFFER {
                        buffer = empty(BUFFER);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.output = None,
            }
        }
        SCRATCH.set(Some(buffer));
    }

    /// Gives the pipe, open or not, to another drain.
    pub(crate) fn take_output(&mut self) -> Option<Output> {
        self.output.take()
    }

    /// Takes the captured output.
    pub(crate) fn take_captured(&mut self) -> CapturedOutput {
        let mut kept = std::mem::take(&mut self.kept);
        // A vector that grew by doubling may be twice its content; a session keeps the output of its runs for a long
        // time.
        kept.shrink_to_fit();
        CapturedOutput { bytes: kept.into(), total: self.total }
    }

    fn keep(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        self.total += bytes.len() as u64;
        let room = self.cap.get().saturating_sub(self.kept.len());
        let kept = &bytes[..bytes.len().min(room)];
        self.kept.extend_from_slice(kept);
        let shown = match self.sink_limit {
            SinkLimit::Capped => kept,
            SinkLimit::Unlimited => bytes,
        };
        if !shown.is_empty() {
            sink(Chunk { stream: self.stream, bytes: shown });
        }
    }
}
