//! Hooks of the client, as callbacks of the engine (`protocol.md` H9).
//!
//! INVARIANT: whatever is no answer fails the hook: an error, an object that is none, a client that is gone, and the end of
//! its time. What that means is the engine's to say.

use super::answers::HookCall;
use super::calls::Calls;
use crate::peer;
use becket_engine::{CallbackAnswer, CancellationToken, Hook};
use becket_model::wire::input;
use becket_model::{Event, OnFailure};
use futures_util::future::BoxFuture;
use std::sync::Arc;

const CALL: (&str, &str) = ("hook/call", "hook/cancel");

/// Asks the client. Dropped at its limit, it takes the call back.
pub(super) struct ClientHook {
    pub(super) calls: Calls,
    pub(super) session: Arc<str>,
    pub(super) id: String,
    /// What the client wants a failure to mean, if it says so.
    pub(super) on_failure: Option<OnFailure>,
}

impl Hook for ClientHook {
    fn call<'a>(&'a self, event: &'a Event, _: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer> {
        let call = HookCall { session: &self.session, hook: &self.id, input: input::to_value(event) };
        let asked = self.calls.ask(CALL, &call);
        Box::pin(async move { peer::of_hook(asked.await, self.on_failure) })
    }
}
