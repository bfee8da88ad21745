//! The state behind an engine of JavaScript, independent of the thread.
//!
//! INVARIANT: each number that JavaScript passes is reported back exactly once: in the result of a call, or over the
//! channel.

use crate::channel::{Channel, Message, MessageKind};
use crate::executing;
use crate::firing::{self, BROKEN};
use crate::opening::{OpenError, OpenSession, SessionContext};
use crate::questions::{Answer, Questions};
use becket_embed::{ExecRequest, caller_executor};
use becket_engine::CancellationToken;
use futures_util::FutureExt;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::runtime::Handle;

/// An engine.
pub(crate) struct Inner {
    pub(crate) with: SessionContext,
    threads: &'static Handle,
    session: OnceLock<Arc<OpenSession>>,
    /// The running events and programs, for cancellation. Each removes its own token.
    tokens: Arc<Mutex<HashMap<u32, CancellationToken>>>,
}

impl Inner {
    pub(crate) fn new(channel: Channel, threads: &'static Handle) -> Self {
        let channel = Arc::new(channel);
        let questions = Arc::new(Questions::new(channel.clone()));
        Inner {
            with: SessionContext { channel, questions, cancel: CancellationToken::new() },
            threads,
            session: OnceLock::new(),
            tokens: Arc::default(),
        }
    }

    /// Returns the session.
    ///
    /// # Errors
    /// Errors if none was opened.
    pub(crate) fn session(&self) -> Result<&Arc<OpenSession>, String> {
        self.session.get().ok_or_else(|| "the engine is not open".to_owned())
    }

    /// Opens the session on this thread.
    ///
    /// # Errors
    /// Errors if the session could not be opened.
    pub(crate) fn open(&self, wants: &str) -> Result<String, OpenError> {
        let open = Arc::new(OpenSession::open(wants, &self.with)?);
        let info = open.info().map_err(OpenError::new)?;
        self.session.set(open).map_err(|_| OpenError::new("the engine is open already"))?;
        Ok(info)
    }

    /// Opens the session on another thread.
    pub(crate) fn open_later(self: &Arc<Self>, id: u32, wants: String) {
        let inner = self.clone();
        self.threads.spawn_blocking(move || {
            let opened = std::panic::catch_unwind(AssertUnwindSafe(|| inner.open(&wants)));
            match opened.unwrap_or_else(|_| Err(OpenError::new(BROKEN))) {
                Ok(info) => inner.with.channel.send(MessageKind::Done, id, 0, info),
                Err(refused) => inner.with.channel.send(MessageKind::Failed, id, 0, refused.to_json()),
            }
        });
    }

    /// Fires an event under the number `id`. Returns the messages of its work on this thread.
    ///
    /// # Errors
    /// Errors if the event is invalid, with the reason.
    pub(crate) fn fire(&self, id: u32, name: &str, fields: &str) -> Result<Vec<Message>, String> {
        let open = self.session()?.clone();
        let fields: Map<String, Value> =
            serde_json::from_str(fields).map_err(|error| format!("`input`: {error}"))?;
        let event = open.session.event(name, fields)?;
        // Planned here, so that a hook that JavaScript removes next still runs for this event.
        let event = open.session.ready(event);
        let is_own = becket_embed::runs_on_caller(&event);
        let cancel = self.with.cancel.child_token();
        lock(&self.tokens).insert(id, cancel.clone());
        let (tokens, channel) = (self.tokens.clone(), self.with.channel.clone());
        // Boxed, since it is large and moved several times.
        let work = Box::pin(async move {
            let end = firing::fire(&open, event, &cancel).await;
            lock(&tokens).remove(&id);
            firing::tell(&channel, id, end);
        });
        if is_own {
            return Ok(self.with.channel.collect(|| caller_executor::begin(self.threads, work)));
        }
        self.threads.spawn(work);
        Ok(Vec::new())
    }

    /// Runs a program under the number `id`; its report arrives over the channel.
    ///
    /// # Errors
    /// Errors if the request can't be read, with the reason.
    pub(crate) fn exec(&self, id: u32, request: &str) -> Result<(), String> {
        let open = self.session()?.clone();
        let request: ExecRequest = serde_json::from_str(request).map_err(|error| error.to_string())?;
        let cancel = self.with.cancel.child_token();
        lock(&self.tokens).insert(id, cancel.clone());
        let (tokens, channel) = (self.tokens.clone(), self.with.channel.clone());
        self.threads.spawn(async move {
            let end = executing::exec(&open, &request, &cancel).await;
            lock(&tokens).remove(&id);
            executing::tell(&channel, id, end);
        });
        Ok(())
    }

    /// Delivers the answer of a function or of the user. Returns the messages of the work that waited for it.
    pub(crate) fn answered(&self, call: u32, answer: Answer) -> Vec<Message> {
        let ((), woken) = caller_executor::collect_woken(|| self.with.questions.answered(call, answer));
        if woken.is_empty() { Vec::new() } else { self.with.channel.collect(|| woken.poll()) }
    }

    /// Cancels an event or a program: its processes are ended, and JavaScript is notified when that is done.
    pub(crate) fn cancel(&self, id: u32) {
        if let Some(token) = lock(&self.tokens).get(&id) {
            token.cancel();
        }
    }

    /// Ends everything that runs, and waits for its end.
    pub(crate) async fn close(&self) {
        self.with.cancel.cancel();
        if let Some(open) = self.session.get() {
            open.close().await;
        }
    }

    /// Closes the session on another thread.
    pub(crate) fn close_later(self: &Arc<Self>, id: u32) {
        let inner = self.clone();
        self.threads.spawn(async move {
            let closed = AssertUnwindSafe(inner.close()).catch_unwind().await;
            match closed {
                Ok(()) => inner.with.channel.send(MessageKind::Done, id, 0, String::new()),
                Err(_) => inner.with.channel.send(MessageKind::Failed, id, 0, BROKEN.to_owned()),
            }
        });
    }
}

impl Drop for Inner {
    /// Ends everything that still runs in the engine: JavaScript has dropped it, closed or not.
    fn drop(&mut self) {
        self.with.cancel.cancel();
        if let Some(open) = self.session.take() {
            self.threads.spawn(async move { open.close().await });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
