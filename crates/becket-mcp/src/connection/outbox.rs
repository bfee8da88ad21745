//! The queue of outgoing messages, in the order in which they were written.
//!
//! `rmcp` sends each message from a task of its own, and tasks start in any order. So a message is queued when it is
//! encoded, and each task sends the first one of the queue: there are as many tasks as messages, and none overtakes
//! another.
//!
//! INVARIANT: at most `UNREAD` bytes and one message wait.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The limit on the queue for a server that does not read, in bytes.
pub(super) const UNREAD: usize = 64 << 20;
/// The approximate overhead of a message, in bytes.
const MESSAGE: usize = 64;

/// The queued messages.
#[derive(Debug, Default)]
pub(super) struct Outbox(Mutex<Line>);

#[derive(Debug, Default)]
struct Line {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
}

/// An error: the queue exceeds its limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Outbox {
    pub(super) fn put(&self, message: Vec<u8>) -> Result<(), Full> {
        self.with(|line| {
            if line.bytes > UNREAD {
                return Err(Full);
            }
            line.bytes += message.len() + MESSAGE;
            line.messages.push_back(message);
            Ok(())
        })
    }

    /// Returns the first message. It counts until [`Outbox::record_sent`] is called with its length: it stays queued
    /// while it is sent.
    pub(super) fn first(&self) -> Option<Vec<u8>> {
        self.with(|line| line.messages.pop_front())
    }

    pub(super) fn record_sent(&self, length: usize) {
        self.with(|line| line.bytes = line.bytes.saturating_sub(length + MESSAGE));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Line) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_and_in_order() {
        let outbox = Outbox::default();
        let message = |first: u8| {
            let mut message = vec![0; 1 << 20];
            message[0] = first;
            message
        };
        let fit = (0..=255).take_while(|n| outbox.put(message(*n)) == Ok(())).count();
        assert_eq!(fit, UNREAD >> 20);
        assert_eq!(outbox.put(Vec::new()), Err(Full));
        let first = outbox.first().unwrap();
        assert_eq!(outbox.put(Vec::new()), Err(Full), "it is still being sent");
        outbox.record_sent(first.len());
        assert_eq!(outbox.put(Vec::new()), Ok(()));
        assert_eq!((first[0], outbox.first().unwrap()[0], outbox.first().unwrap()[0]), (0, 1, 2));
    }
}
