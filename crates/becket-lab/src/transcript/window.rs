//! Events whose recorded answers may still follow.
//!
//! A transcript has the answers of hooks on later lines than their event. The window keeps an event until so many lines
//! or bytes have followed that no answer is expected: its size is bounded, whatever that of the transcript.

use super::recorded::{RecordedAnswer, RecordedEvent};
use becket_model::EventKind;
use std::collections::VecDeque;

/// The number of lines after which an event is returned.
const LINES: u64 = 500;
/// The approximate number of bytes of waiting lines.
const BYTES: usize = 16 << 20;

/// The waiting events, in order.
#[derive(Debug, Default)]
pub(super) struct Window {
    waiting: VecDeque<(RecordedEvent, usize)>,
    bytes: usize,
}

impl Window {
    /// Adds an event; `bytes` is the length of its line.
    pub(super) fn push(&mut self, event: RecordedEvent, bytes: usize) {
        self.bytes += bytes;
        self.waiting.push_back((event, bytes));
    }

    /// Adds an answer to the event that it is about; returns false if that event is not in the window.
    pub(super) fn answer(&mut self, kind: EventKind, call: Option<&str>, answer: RecordedAnswer) -> bool {
        let has_call = |event: &RecordedEvent| event.call.is_some() && event.call.as_deref() == call;
        let mut events =
            self.waiting.iter_mut().rev().map(|(event, _)| event).filter(|event| event.kind == kind);
        let found = events.find(|event| event.call.is_none() || has_call(event));
        let Some(event) = found else { return false };
        // An answer is recorded in several forms; the first one with content counts.
        event.answers.push(answer);
        true
    }

    /// Returns the next event for which no answer is expected; at the end of the transcript, any event.
    pub(super) fn next(&mut self, line: u64, is_over: bool) -> Option<RecordedEvent> {
        let (first, bytes) = self.waiting.front()?;
        if !is_over && line < first.line + LINES && self.bytes <= BYTES {
            return None;
        }
        self.bytes -= bytes;
        self.waiting.pop_front().map(|(event, _)| event)
    }
}
