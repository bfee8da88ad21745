//! An event in progress, and its result.
//!
//! If all that it runs are functions of JavaScript, it runs on JavaScript's own thread, without a change of threads;
//! its messages are then returned by the call that started or continued it. Otherwise it runs on the threads of the
//! engine.
//!
//! INVARIANT: each event ends once, in a message with its number. A function that has blocked its thread past its limit
//! has failed: the engine checks the clock before the answer.

use crate::channel::{Channel, MessageKind};
use crate::opening::OpenSession;
use becket_embed::view::Report;
use becket_embed::view::fired::FireReport;
use becket_engine::{CancellationToken, ReadyEvent};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;

/// The message for a bug in the engine itself.
pub(crate) const BROKEN: &str =
    "internal error, so nothing was decided: this is a bug in becket, please report it";

/// The result of an event.
pub(crate) enum End {
    /// An outcome, as JSON.
    Outcome(String),
    /// It was cancelled: its hooks were ended before they were done.
    Cancelled,
    /// The engine panicked.
    Broken,
}

/// Fires an event. Never panics.
pub(crate) async fn fire(open: &OpenSession, event: ReadyEvent, cancel: &CancellationToken) -> End {
    AssertUnwindSafe(fired(open, event, cancel)).catch_unwind().await.unwrap_or(End::Broken)
}

/// Sends the result of an event to JavaScript.
pub(crate) fn tell(channel: &Channel, id: u32, end: End) {
    match end {
        End::Outcome(text) => channel.send(MessageKind::Done, id, 0, text),
        End::Cancelled => channel.send(MessageKind::Cancelled, id, 0, String::new()),
        End::Broken => channel.send(MessageKind::Failed, id, 0, BROKEN.to_owned()),
    };
}

async fn fired(open: &OpenSession, event: ReadyEvent, cancel: &CancellationToken) -> End {
    let Ok((event, outcome)) = open.session.fire(event, cancel).await else { return End::Cancelled };
    let fired = FireReport::new(&outcome, event.body.subject(), Vec::new());
    serde_json::to_string(&Report::Fire(Box::new(fired))).map_or(End::Broken, End::Outcome)
}
