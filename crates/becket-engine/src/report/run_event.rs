//! Everything that happens while an event is handled, as one ordered stream (H13).
//!
//! Observers read it: the command line, a trace, an audit. The engine itself prints nothing.

use crate::config::handler::Handler;
use crate::plan::skip::SkippedHandler;
use crate::report::background_id::BackgroundId;
use crate::report::outcome::Run;
use becket_model::{Event, Verdict};
use std::sync::Arc;
use std::time::Duration;

/// An occurrence, with the number of the firing that it belongs to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunEvent {
    /// The number of the firing, counted by the engine from 1.
    pub firing: u64,
    /// The event itself.
    pub what: RunEventKind,
}

/// The kind of an event, with its data.
#[derive(Debug, Clone)]
pub enum RunEventKind {
    /// An event with handlers was fired.
    Fired {
        /// The event.
        event: Arc<Event>,
    },
    /// A configured handler does not run.
    Skipped(SkippedHandler),
    /// A handler started; hosts show its `statusMessage`.
    Started {
        /// The handler.
        handler: Arc<Handler>,
    },
    /// A handler printed something.
    Output {
        /// The handler.
        handler: Arc<Handler>,
        /// The stream that it printed to.
        stream: OutputStream,
        /// The bytes as they arrived.
        bytes: Arc<[u8]>,
    },
    /// A handler ended.
    Finished {
        /// The finished run.
        run: Arc<Run>,
    },
    /// The event continues without a handler: it runs, or waits for room, in the background (A1, A2). One that has not
    /// started yet reports its start by [`RunEventKind::Started`], perhaps after the event's verdict.
    Backgrounded {
        /// The id of its run.
        id: BackgroundId,
        /// The handler.
        handler: Arc<Handler>,
    },
    /// A handler in the background ended; it has no [`RunEventKind::Finished`]. Its reply contains the texts for the
    /// model (A3).
    BackgroundFinished {
        /// The id of its run.
        id: BackgroundId,
        /// The finished run.
        run: Arc<Run>,
    },
    /// The verdict has been reached.
    Decided {
        /// The verdict.
        verdict: Arc<Verdict>,
        /// The time from the firing to the verdict.
        elapsed: Duration,
    },
}

/// The stream that a handler printed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum OutputStream {
    Stdout,
    Stderr,
}

/// Receives run events as they happen, on the task that fires. Must not block.
pub trait Observer: Send + Sync {
    /// Handles a run event.
    fn on(&self, event: &RunEvent);
}

impl<F: Fn(&RunEvent) + Send + Sync> Observer for F {
    fn on(&self, event: &RunEvent) {
        self(event);
    }
}
