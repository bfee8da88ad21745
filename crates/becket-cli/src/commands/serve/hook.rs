//! Hooks of the client, as callbacks of the engine (`protocol.md` H9).
//!
//! INVARIANT: whatever is no answer fails the hook: an error, an object that is none, a client that is gone, and the end of
//! its time. What that means is the engine's to say.

use super::answers::HookCall;
use super::calls::Calls;
use super::params::Register;
use crate::peer;
use becket_engine::{Callback, CallbackAnswer, CancellationToken, Hook};
use becket_model::wire::input;
use becket_model::{Event, EventKind, OnFailure};
use futures_util::future::BoxFuture;
use std::sync::Arc;

const CALL: (&str, &str) = ("hook/call", "hook/cancel");

/// The callback that asks the client.
///
/// # Errors
/// Its time limit is none.
pub(super) fn callback(
    wants: &Register,
    event: EventKind,
    session: Arc<str>,
    calls: Calls,
) -> Result<Callback, String> {
    let on_failure = wants.on_failure.into();
    let hook = ClientHook { calls, session, id: wants.id.clone(), on_failure };
    let mut callback = Callback::object(event, Arc::new(hook))
        .named(format!("the client's hook {}", wants.id))
        .order(wants.order)
        .on_failure(on_failure);
    if let Some(matcher) = &wants.matcher {
        callback = callback.matcher(matcher.as_str());
    }
    if let Some(condition) = &wants.condition {
        callback = callback.when(condition.as_str());
    }
    match wants.timeout {
        None => Ok(callback),
        Some(seconds) => Ok(callback.timeout(peer::limit(seconds)?)),
    }
}

/// Asks the client. Dropped at its limit, it takes the call back.
struct ClientHook {
    calls: Calls,
    session: Arc<str>,
    id: String,
    on_failure: OnFailure,
}

impl Hook for ClientHook {
    fn call<'a>(&'a self, event: &'a Event, _: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer> {
        let call = HookCall { session: &self.session, hook: &self.id, input: input::to_value(event) };
        let asked = self.calls.ask(CALL, &call);
        Box::pin(async move { peer::of_hook(asked.await, self.on_failure) })
    }
}
