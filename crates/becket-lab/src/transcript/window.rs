//! Events whose recorded answers may still follow.
//!
//! A transcript has the answers of hooks on later lines than their event. The window keeps an event until so many lines or
//! bytes have followed that nothing about it is to be expected: its size is bounded, whatever that of the transcript.

use super::recorded::{RecordedAnswer, RecordedEvent};
use becket_model::EventKind;
use std::collections::VecDeque;

/// The lines after which an event is handed out.
const LINES: u64 = 500;
/// The bytes of lines that wait, roughly.
const BYTES: usize = 16 << 20;

/// The events that wait, in their order.
#[derive(Debug, Default)]
pub(super) struct Window {
    waiting: VecDeque<(RecordedEvent, usize)>,
    bytes: usize,
}

impl Window {
    /// Takes an event; `bytes` is the length of its line.
    pub(super) fn push(&mut self, event: RecordedEvent, bytes: usize) {
        self.bytes += bytes;
        self.waiting.push_back((event, bytes));
    }

    /// Adds an answer to the event that it is about; false if that is not here.
    pub(super) fn answer(&mut self, kind: EventKind, call: Option<&str>, answer: RecordedAnswer) -> bool {
        let has_call = |event: &RecordedEvent| event.call.is_some() && event.call.as_deref() == call;
        let mut events =
            self.waiting.iter_mut().rev().map(|(event, _)| event).filter(|event| event.kind == kind);
        let found = events.find(|event| event.call.is_none() || has_call(event));
        let Some(event) = found else { return false };
        // An answer is recorded in several forms; the first one that says something counts.
        event.answers.push(answer);
        true
    }

    /// Returns the next event that nothing is to be expected about; at the end of the transcript any.
    pub(super) fn next(&mut self, line: u64, is_over: bool) -> Option<RecordedEvent> {
        let (first, bytes) = self.waiting.front()?;
        if !is_over && line < first.line + LINES && self.bytes <= BYTES {
            return None;
        }
        self.bytes -= bytes;
        self.waiting.pop_front().map(|(event, _)| event)
    }
}
