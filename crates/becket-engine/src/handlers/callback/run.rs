//! Runs an in-process handler under its limit, and turns its faults into failures (H9).

use super::abandoned;
use crate::config::handler::{Action, Handler};
use crate::handlers::context::HandlerContext;
use crate::host::callback::{CallbackAnswer, CallbackFn, Hook, InProcess};
use crate::host::panic::{catch_panic, caught};
use becket_model::Failure;
use becket_model::interpret::{self, Interpretation, JsonAnswer};
use becket_process::CancellationToken;
use serde_json::Value;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Runs the handler to its answer, its limit, or the event's cancellation; returns `None` if it has no answer.
pub(crate) async fn run(context: &HandlerContext<'_>, handler: &Handler) -> Option<Interpretation> {
    let Action::Callback(in_process) = &handler.action else {
        return read(context, handler, Err(not_in_process()));
    };
    let (limit, started) = (context.limit_of(handler), Instant::now());
    let answered = match &in_process.how {
        CallbackFn::Inline(_) => return call_inline(context, handler, started).0,
        CallbackFn::Future(hook) => call_future(context, &**hook, limit).await,
        CallbackFn::Blocking(call) => {
            let (call, event) = (call.clone(), context.shared_event());
            call_blocking(context, move |cancel| call(&event, cancel), limit).await
        }
    };
    let taken = read(context, handler, answered);
    // A future that blocks its thread returns before any clock is read.
    let answers = taken.as_ref().is_none_or(|taken| taken.failure.is_none());
    let is_late = answers && started.elapsed() > limit;
    if is_late { Some(late(taken.unwrap_or_default(), limit)) } else { taken }
}

/// Calls an inline function, and returns the time of its end as well. For any other handler it returns a failure.
pub(crate) fn call_inline(
    context: &HandlerContext<'_>,
    handler: &Handler,
    started: Instant,
) -> (Option<Interpretation>, Instant) {
    let Action::Callback(InProcess { how: CallbackFn::Inline(call), .. }) = &handler.action else {
        return (read(context, handler, Err(not_in_process())), started);
    };
    if context.cancel.is_cancelled() {
        return (read(context, handler, Err(Failure::Cancelled)), started);
    }
    let answered = caught(|| call(context.event)).map_err(panicked);
    let limit = context.limit_of(handler);
    let taken = read(context, handler, answered);
    let ended = Instant::now();
    let is_late = ended.duration_since(started) > limit;
    (if is_late { Some(late(taken.unwrap_or_default(), limit)) } else { taken }, ended)
}

/// Returns the failure for a handler of another kind. Dispatch never sends one here; if it did, that would be a failure
/// and not silence.
fn not_in_process() -> Failure {
    Failure::Callback { message: "it is not a function that can be called".into() }
}

/// Turns a late answer into a failure: its blocks stay in force, and the fold ignores its allows.
fn late(taken: Interpretation, limit: Duration) -> Interpretation {
    Interpretation { failure: Some(Failure::TimedOut { limit }), ..taken }
}

async fn call_future(
    context: &HandlerContext<'_>,
    hook: &dyn Hook,
    limit: Duration,
) -> Result<CallbackAnswer, Failure> {
    let cancel = context.cancel.child_token();
    let _told_when_dropped = cancel.clone().drop_guard();
    // Async around the call, which can panic before there is a future.
    let mut future = pin!(catch_panic(async { hook.call(context.event, &cancel).await }));
    // Most answer at once, so that no timer is needed.
    let first = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
    match first {
        Poll::Ready(answered) => answered.map_err(panicked),
        Poll::Pending => context.within(limit, future).await?.map_err(panicked),
    }
}

async fn call_blocking(
    context: &HandlerContext<'_>,
    call: impl FnOnce(&CancellationToken) -> CallbackAnswer + Send + 'static,
    limit: Duration,
) -> Result<CallbackAnswer, Failure> {
    let cancel = context.cancel.child_token();
    let _told_when_dropped = cancel.clone().drop_guard();
    let Some((waiting, running)) = context.engine.host.abandoned.call() else {
        let message = format!(
            "it was not called: {} earlier calls of blocking callbacks never came back; have them look at their token",
            abandoned::MOST
        );
        return Err(Failure::Callback { message });
    };
    let _left_where_it_hangs = waiting;
    let (sender, receiver) = oneshot::channel();
    // A dedicated thread rather than the runtime's pool: one that never returns must not keep the runtime from shutting
    // down.
    std::thread::Builder::new()
        .name("becket-callback".into())
        .spawn(move || {
            let answered = caught(|| call(&cancel)).map_err(panicked);
            drop(running);
            // The receiver is dropped once the limit is over.
            let _ = sender.send(answered);
        })
        .map_err(|error| Failure::Callback {
            message: format!("no thread could be started for it: {error}"),
        })?;
    context
        .within(limit, receiver)
        .await?
        .unwrap_or_else(|_| Err(Failure::Callback { message: "its thread ended without an answer".into() }))
}

/// Reads an answer. Returns `None` if there is none: most callbacks, most of the time.
fn read(
    context: &HandlerContext<'_>,
    handler: &Handler,
    answered: Result<CallbackAnswer, Failure>,
) -> Option<Interpretation> {
    let read = |answer| interpret::object(context.event.kind().spec(), answer, context.on_failure(handler));
    Some(match answered {
        Ok(CallbackAnswer::Silent) => return None,
        Ok(CallbackAnswer::Reply(reply)) => Interpretation { reply: *reply, ..Interpretation::default() },
        Ok(CallbackAnswer::Json(answer))
            if answer.object().is_empty() || continues_in_background(&answer) =>
        {
            return None;
        }
        Ok(CallbackAnswer::Json(answer)) => read(&answer),
        Ok(CallbackAnswer::Failed(message)) => interpret::failed(Failure::Callback { message }),
        Ok(CallbackAnswer::InPart { answer, why }) => {
            Interpretation { failure: Some(Failure::Callback { message: why }), ..read(&answer.into()) }
        }
        Err(failure) => interpret::failed(failure),
    })
}

/// Returns whether an answer is `{"async": true}` without a decision: strict, as for a command's first line (A2).
fn continues_in_background(answer: &JsonAnswer) -> bool {
    let object = answer.object();
    object.get("async") == Some(&Value::Bool(true))
        && object.keys().all(|key| key == "async" || key == "asyncTimeout")
}

fn panicked(message: String) -> Failure {
    Failure::Callback { message: format!("it panicked: {message}") }
}
