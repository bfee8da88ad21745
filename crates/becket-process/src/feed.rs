//! Writes stdin, and closes it when all is written.
//!
//! INVARIANT: a reader that is gone ends the feeding in silence; it is never an error (law 4).

use std::io;

use bytes::{Buf, Bytes};

use crate::sys::Input;

/// The most that is written in one go, so that a fast reader can't keep the deadline from being looked at.
const TURN: usize = 1 << 18;

/// What is left to write, and where to. A command that is asked questions would push more bytes before the close.
#[derive(Debug)]
pub(crate) struct Feed {
    input: Option<Input>,
    rest: Bytes,
}

impl Feed {
    pub(crate) fn new(input: Option<Input>, rest: Bytes) -> Self {
        Self { input, rest }
    }

    /// Resolves when a write may get on. Cancel-safe.
    pub(crate) async fn ready(&self) {
        match &self.input {
            Some(input) => input.ready().await,
            None => std::future::pending().await,
        }
    }

    /// Writes until the pipe is full, all is written, or the reader is gone.
    pub(crate) fn pump(&mut self) {
        let Some(input) = &self.input else { return };
        let mut budget = TURN;
        while budget > 0 && self.rest.has_remaining() {
            match input.try_write(&self.rest) {
                Ok(0) => break,
                Ok(written) => {
                    self.rest.advance(written);
                    budget = budget.saturating_sub(written);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => return self.close(),
            }
        }
        if self.rest.is_empty() {
            self.close();
        }
    }

    /// Closes stdin and forgets what was not written.
    pub(crate) fn close(&mut self) {
        self.input = None;
        self.rest = Bytes::new();
    }
}
