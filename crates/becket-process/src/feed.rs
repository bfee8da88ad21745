//! Writes stdin: the input, then whatever controls queue; closes it when nothing more can come.
//!
//! INVARIANT: a reader that is gone ends the feeding silently; it is never an error (law 4). INVARIANT: `rest` is
//! empty only if nothing was queued at the last check.

use std::io;
use std::sync::Arc;

use bytes::{Buf, Bytes};

use crate::steering::{Next, RunState};
use crate::sys::Input;

/// The most that is written at once, so that a fast reader can't delay the check of the deadline.
const TURN: usize = 1 << 18;

/// The remaining bytes to write, and their pipe.
#[derive(Debug)]
pub(crate) struct Feed {
    input: Option<Input>,
    rest: Bytes,
    more: Option<Arc<RunState>>,
}

impl Feed {
    pub(crate) fn new(input: Option<Input>, rest: Bytes, more: Option<Arc<RunState>>) -> Self {
        let mut feed = Self { input, rest, more };
        feed.refill();
        feed
    }

    /// Resolves when a write may make progress. Cancel-safe.
    pub(crate) async fn ready(&self) {
        match &self.input {
            // With nothing to write, an open pipe would always be ready.
            Some(input) if !self.rest.is_empty() => input.ready().await,
            Some(_) | None => std::future::pending().await,
        }
    }

    /// Writes until the pipe is full, all is written, or the reader is gone.
    pub(crate) fn pump(&mut self) {
        let mut budget = TURN;
        self.refill();
        while budget > 0 && self.rest.has_remaining() {
            let Some(input) = &self.input else { return };
            match input.try_write(&self.rest) {
                Ok(0) => return,
                Ok(written) => {
                    self.rest.advance(written);
                    budget = budget.saturating_sub(written);
                    self.refill();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => return self.close(),
            }
        }
    }

    /// Closes stdin and drops the unwritten bytes.
    pub(crate) fn close(&mut self) {
        drop(self.stop());
    }

    /// Drops the unwritten bytes and returns the pipe, which stays open until it is dropped.
    pub(crate) fn stop(&mut self) -> Option<Input> {
        self.rest = Bytes::new();
        if let Some(more) = self.more.take() {
            more.end_stdin();
        }
        self.input.take()
    }

    /// Takes the next bytes once all are written, or closes stdin.
    fn refill(&mut self) {
        if self.input.is_none() || self.rest.has_remaining() {
            return;
        }
        match self.more.as_ref().map_or(Next::Never, |more| more.next()) {
            Next::Bytes(bytes) => self.rest = bytes,
            Next::Later => (),
            Next::Never => self.close(),
        }
    }
}
