//! What an engine of JavaScript is made of, on whichever thread.
//!
//! INVARIANT: each number that JavaScript gives is heard of again exactly once: in what a call returns, or over the line.

use crate::asked::{Call, Questions};
use crate::firing::{BROKEN, End, Firing, Step, tell};
use crate::line::{Line, Word};
use crate::opening::{OpenSession, Refused, With};
use becket_embed::view::Report;
use becket_embed::view::fired::Fired;
use becket_engine::CancellationToken;
use becket_model::Event;
use futures_util::FutureExt;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::runtime::Handle;

/// An engine.
pub(crate) struct Inner {
    pub(crate) with: With,
    threads: &'static Handle,
    session: OnceLock<Arc<OpenSession>>,
    /// What JavaScript's own thread takes through.
    firings: Mutex<HashMap<u32, Arc<Firing>>>,
    /// What can be cancelled. The work on an event takes its own out.
    tokens: Arc<Mutex<HashMap<u32, CancellationToken>>>,
}

/// What JavaScript is to do next about an event.
pub(crate) enum Next {
    /// Nothing: this is the outcome, as JSON.
    Read(String),
    /// Call these functions, then ask again.
    Call(Vec<Call>),
    /// Wait for the line.
    Wait,
}

impl Inner {
    pub(crate) fn new(line: Line, threads: &'static Handle) -> Self {
        let line = Arc::new(line);
        let questions = Arc::new(Questions::new(line.clone()));
        Inner {
            with: With { line, questions, cancel: CancellationToken::new() },
            threads,
            session: OnceLock::new(),
            firings: Mutex::default(),
            tokens: Arc::default(),
        }
    }

    /// The session.
    ///
    /// # Errors
    /// None was opened.
    pub(crate) fn session(&self) -> Result<&Arc<OpenSession>, String> {
        self.session.get().ok_or_else(|| "the engine is not open".to_owned())
    }

    /// Opens the session, at once.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn open(&self, wants: &str) -> Result<String, Refused> {
        let open = Arc::new(OpenSession::open(wants, &self.with)?);
        let told = open.told().map_err(Refused::because)?;
        self.session.set(open).map_err(|_| Refused::because("the engine is open already"))?;
        Ok(told)
    }

    /// The same on another thread.
    pub(crate) fn open_later(self: &Arc<Self>, id: u32, wants: String) {
        let inner = self.clone();
        self.threads.spawn_blocking(move || {
            let opened = std::panic::catch_unwind(AssertUnwindSafe(|| inner.open(&wants)));
            match opened.unwrap_or_else(|_| Err(Refused::because(BROKEN))) {
                Ok(told) => inner.with.line.say(Word::Done, id, 0, told),
                Err(refused) => inner.with.line.say(Word::Failed, id, 0, refused.to_json()),
            }
        });
    }

    /// Fires an event under the number `id`.
    ///
    /// # Errors
    /// It can't be made, in words.
    pub(crate) fn fire(&self, id: u32, name: &str, fields: &str) -> Result<Next, String> {
        let open = self.session()?.clone();
        let fields = serde_json::from_str(fields).map_err(|error| format!("`input`: {error}"))?;
        let event = open.session.event(name, fields)?;
        let is_own = is_quick(&open, &event);
        let cancel = self.with.cancel.child_token();
        lock(&self.tokens).insert(id, cancel.clone());
        let tokens = self.tokens.clone();
        let work = async move {
            let end = fired(&open, &event, &cancel).await;
            lock(&tokens).remove(&id);
            end
        };
        let firing = Firing::new(id, work.boxed(), self.with.line.clone(), self.threads);
        if is_own {
            lock(&self.firings).insert(id, firing);
            return Ok(self.go_on(id));
        }
        firing.leave();
        Ok(Next::Wait)
    }

    /// Goes on with an event, after the functions that it has asked for were called.
    pub(crate) fn go_on(&self, id: u32) -> Next {
        let Some(firing) = lock(&self.firings).get(&id).cloned() else { return Next::Wait };
        let step = firing.step();
        if let Step::Calls(calls) = step {
            return Next::Call(calls);
        }
        lock(&self.firings).remove(&id);
        match step {
            Step::Ended(End::Outcome(text)) => Next::Read(text),
            Step::Ended(end) => {
                tell(&self.with.line, id, end);
                Next::Wait
            }
            Step::Calls(_) | Step::Elsewhere => Next::Wait,
        }
    }

    /// Cancels an event: its hooks are ended, and JavaScript hears when they are.
    pub(crate) fn cancel(&self, id: u32) {
        if let Some(token) = lock(&self.tokens).get(&id) {
            token.cancel();
        }
    }

    /// JavaScript's own thread takes nothing through any more.
    pub(crate) fn leave_all(&self) {
        for (_, firing) in lock(&self.firings).drain() {
            firing.leave();
        }
    }

    /// Ends all that runs, and waits until it is gone.
    pub(crate) async fn close(&self) {
        self.with.cancel.cancel();
        if let Some(open) = self.session.get() {
            open.close().await;
        }
    }

    /// The same on another thread.
    pub(crate) fn close_later(self: &Arc<Self>, id: u32) {
        self.leave_all();
        let inner = self.clone();
        self.threads.spawn(async move {
            let closed = AssertUnwindSafe(inner.close()).catch_unwind().await;
            match closed {
                Ok(()) => inner.with.line.say(Word::Done, id, 0, String::new()),
                Err(_) => inner.with.line.say(Word::Failed, id, 0, BROKEN.to_owned()),
            }
        });
    }
}

impl Drop for Inner {
    /// JavaScript holds the engine no longer, closed or not: whatever it still runs is ended.
    fn drop(&mut self) {
        self.with.cancel.cancel();
        if let Some(open) = self.session.take() {
            self.threads.spawn(async move { open.close().await });
        }
    }
}

/// Whether all that an event runs are functions of this process: these are called where it was fired.
fn is_quick(open: &OpenSession, event: &Event) -> bool {
    open.session.engine().plan(event).runs().iter().all(|run| run.handler.action.name() == "callback")
}

async fn fired(open: &OpenSession, event: &Event, cancel: &CancellationToken) -> End {
    let Ok(outcome) = open.session.fire(event, cancel).await else { return End::Cancelled };
    let fired = Fired::new(&outcome, event.body.subject(), Vec::new());
    serde_json::to_string(&Report::Fire(Box::new(fired))).map_or(End::Broken, End::Outcome)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
