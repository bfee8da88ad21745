//! A program in progress, and its report.
//!
//! INVARIANT: each program ends once, in a message with its number, after everything that it has started has ended.

use crate::channel::{Channel, MessageKind};
use crate::firing::BROKEN;
use crate::opening::OpenSession;
use becket_embed::{ExecReport, ExecRequest};
use becket_engine::CancellationToken;
use futures_util::FutureExt;
use serde::Serialize;
use std::panic::AssertUnwindSafe;

/// The reason why there is no report.
#[derive(Serialize)]
pub(crate) struct ExecFailure {
    why: String,
    kind: &'static str,
}

/// The end of a program.
pub(crate) enum End {
    Report(Box<ExecReport>),
    /// It was cancelled, and ended before it was done.
    Cancelled(String),
    Failed(ExecFailure),
}

/// Runs a program. Never panics.
pub(crate) async fn exec(open: &OpenSession, request: &ExecRequest, cancel: &CancellationToken) -> End {
    let executed = AssertUnwindSafe(open.session.exec(request, cancel)).catch_unwind().await;
    match executed {
        Ok(Ok(report)) => End::Report(Box::new(report)),
        Ok(Err(why)) if cancel.is_cancelled() => End::Cancelled(request.describe(&why)),
        Ok(Err(why)) => End::Failed(ExecFailure { why: request.describe(&why), kind: why.kind() }),
        Err(_) => End::Failed(ExecFailure { why: BROKEN.to_owned(), kind: "lost" }),
    }
}

/// Sends the end of a program to JavaScript.
pub(crate) fn tell(channel: &Channel, id: u32, end: End) {
    let (word, text) = match end {
        End::Report(report) => (MessageKind::Done, serde_json::to_string(&report)),
        End::Cancelled(why) => (MessageKind::Cancelled, Ok(why)),
        End::Failed(failure) => (MessageKind::Failed, serde_json::to_string(&failure)),
    };
    match text {
        Ok(text) => channel.send(word, id, 0, text),
        Err(error) => channel.send(MessageKind::Failed, id, 0, error.to_string()),
    };
}
