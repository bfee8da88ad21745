//! Hooks of the client, as callbacks of the engine (`protocol.md` H9).
//!
//! INVARIANT: everything but an answer fails the hook: an error, a value that is not an object, a disconnected client, and a
//! timeout. The engine decides on the effect of the failure.

use super::answers::HookCall;
use super::calls::{Calls, RequestMethods};
use crate::peer;
use becket_engine::{CallbackAnswer, CancellationToken, Hook};
use becket_model::wire::input;
use becket_model::{Event, OnFailure};
use futures_util::future::BoxFuture;
use std::sync::Arc;

const CALL: RequestMethods = RequestMethods { request: "hook/call", cancel: "hook/cancel" };

/// A hook of the client. If it is dropped at its limit, the call is cancelled.
pub(super) struct ClientHook {
    pub(super) calls: Calls,
    pub(super) session: Arc<str>,
    pub(super) id: String,
    /// The effect of a failure, if the client sets it.
    pub(super) on_failure: Option<OnFailure>,
}

impl Hook for ClientHook {
    fn call<'a>(&'a self, event: &'a Event, _: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer> {
        let call = HookCall { session: &self.session, hook: &self.id, input: input::to_value(event) };
        let pending = self.calls.ask(CALL, &call);
        Box::pin(async move { peer::of_hook(pending.await, self.on_failure) })
    }
}
