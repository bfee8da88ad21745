//! In-process handlers: callbacks of the host, and functions that it registers for a session (H9).
//!
//! A [`Callback`] describes when it runs; the function is one of three: an inline one on the task that fires, an
//! asynchronous one, or a blocking one on a separate thread. Their time limits are enforced as far as possible: the
//! latter two release the host at the deadline; an inline function has to be quick, and one that returns late counts as
//! timed out.
//!
//! INVARIANT: a callback that fails, panics or is late never counts as silence: it is a named failure, which denies a
//! tool call and rejects a prompt unless the host has registered the callback with `OnFailure::Continue`.

mod answer;

pub use answer::{CallbackAnswer, IntoAnswer};

use becket_model::{Event, EventKind, OnFailure};
use becket_process::CancellationToken;
use futures_util::future::BoxFuture;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// An asynchronous in-process handler, for hosts that have an object rather than a closure.
pub trait Hook: Send + Sync {
    /// Answers an event. Dropped at the time limit; `cancel` is cancelled then, for what the handler itself started.
    fn call<'a>(&'a self, event: &'a Event, cancel: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer>;
}

/// An in-process handler and the conditions under which it runs; [`crate::Engine::on`] registers it.
///
/// ```
/// use becket_engine::{Callback, Engine};
/// use becket_model::{EventKind, Reply};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let engine = Engine::builder().build()?;
/// let guard = Callback::inline(EventKind::PreToolUse, |_event| Reply::deny("not on a Friday"))
///     .named("friday")
///     .matcher("Bash")
///     .when("Bash(git push *)");
/// let id = engine.on(guard)?;
/// assert!(engine.unregister(id));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Callback {
    pub(crate) event: EventKind,
    pub(crate) label: Arc<str>,
    pub(crate) matcher: Option<String>,
    pub(crate) condition: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) status_message: Option<Arc<str>>,
    pub(crate) once: bool,
    pub(crate) order: i64,
    pub(crate) is_function: bool,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) in_process: InProcess,
}

impl Callback {
    /// Creates a function that is called on the task that fires. It must not block: nothing else of the event makes
    /// progress meanwhile, and one that takes longer than its limit has failed.
    pub fn inline<A: IntoAnswer>(
        event: EventKind,
        call: impl Fn(&Event) -> A + Send + Sync + 'static,
    ) -> Self {
        let call: Arc<InlineFn> = Arc::new(move |event| call(event).into_answer());
        Callback::new(event, CallbackFn::Inline(call))
    }

    /// Creates a function that may block. It runs on a separate thread; the host is released at the time limit, and the
    /// thread, which can't be ended from outside, has to watch `cancel`.
    pub fn blocking<A: IntoAnswer>(
        event: EventKind,
        call: impl Fn(&Event, &CancellationToken) -> A + Send + Sync + 'static,
    ) -> Self {
        let call: Arc<BlockingFn> = Arc::new(move |event, cancel| call(event, cancel).into_answer());
        Callback::new(event, CallbackFn::Blocking(call))
    }

    /// Creates an asynchronous function. Its future is dropped at the time limit, and the token is cancelled then.
    ///
    /// ```
    /// use becket_engine::Callback;
    /// use becket_model::{EventKind, Reply};
    ///
    /// let slow = Callback::future(EventKind::PreToolUse, |_event, _cancel| {
    ///     Box::pin(async move { Reply::ask("is this meant?") })
    /// });
    /// # let _ = slow;
    /// ```
    pub fn future<A: IntoAnswer + 'static>(
        event: EventKind,
        call: impl for<'a> Fn(&'a Event, &'a CancellationToken) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> Self {
        struct Closure<F>(F);
        impl<A, F> Hook for Closure<F>
        where
            A: IntoAnswer + 'static,
            F: for<'a> Fn(&'a Event, &'a CancellationToken) -> BoxFuture<'a, A> + Send + Sync,
        {
            fn call<'a>(
                &'a self,
                event: &'a Event,
                cancel: &'a CancellationToken,
            ) -> BoxFuture<'a, CallbackAnswer> {
                let answer = (self.0)(event, cancel);
                Box::pin(async move { answer.await.into_answer() })
            }
        }
        Callback::object(event, Arc::new(Closure(call)))
    }

    /// Creates a callback from an object that answers asynchronously.
    pub fn object(event: EventKind, hook: Arc<dyn Hook>) -> Self {
        Callback::new(event, CallbackFn::Future(hook))
    }

    fn new(event: EventKind, how: CallbackFn) -> Self {
        Callback {
            event,
            label: event.name().into(),
            matcher: None,
            condition: None,
            timeout: None,
            status_message: None,
            once: false,
            order: 0,
            is_function: false,
            on_failure: None,
            in_process: InProcess { how, internal: false },
        }
    }

    /// Sets its label. Default: the event's name.
    pub fn named(mut self, label: impl Into<Arc<str>>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the values of the event's subject that it runs for, as in a settings file (M1–M7). Default: all.
    pub fn matcher(mut self, matcher: impl Into<String>) -> Self {
        self.matcher = Some(matcher.into());
        self
    }

    /// Sets its `if`: a permission rule that the tool call has to match (P6).
    pub fn when(mut self, rule: impl Into<String>) -> Self {
        self.condition = Some(rule.into());
        self
    }

    /// Sets its time limit. Default: the event's for commands, 5 s for a function (H9, H11).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Sets the text that a host shows while it runs (H13).
    pub fn status_message(mut self, message: impl Into<Arc<str>>) -> Self {
        self.status_message = Some(message.into());
        self
    }

    /// Removes it after its first successful run (C11).
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Sets its position among the handlers of its source; lower comes first (C6). Default: 0.
    pub fn order(mut self, order: i64) -> Self {
        self.order = order;
        self
    }

    /// Makes it a function: a hook of one session rather than of the host. Its default limit is 5 s, and managed
    /// settings that allow only managed hooks exclude it (H9, G2).
    pub fn function(mut self) -> Self {
        self.is_function = true;
        self
    }

    /// Sets the effect of its failure (O10). Default: it denies a tool call and rejects a prompt, and is reported on
    /// every other event (H9). [`OnFailure::Block`] makes it block wherever `onFailure` counts; with
    /// [`OnFailure::Continue`] it decides nothing anywhere.
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }

    /// Marks it as internal to the host: if only such callbacks match, no progress is reported (H13).
    pub fn internal(mut self) -> Self {
        self.in_process.internal = true;
        self
    }
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callback")
            .field("event", &self.event)
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

/// The function of an in-process handler.
#[derive(Clone)]
pub struct InProcess {
    pub(crate) how: CallbackFn,
    pub(crate) internal: bool,
}

type InlineFn = dyn Fn(&Event) -> CallbackAnswer + Send + Sync;
type BlockingFn = dyn Fn(&Event, &CancellationToken) -> CallbackAnswer + Send + Sync;

/// The function, by the way it is called.
#[derive(Clone)]
pub(crate) enum CallbackFn {
    Inline(Arc<InlineFn>),
    Blocking(Arc<BlockingFn>),
    Future(Arc<dyn Hook>),
}

impl InProcess {
    /// Returns the address of the function: two are equal if they belong to one registration.
    fn address(&self) -> *const () {
        match &self.how {
            CallbackFn::Inline(call) => Arc::as_ptr(call).cast(),
            CallbackFn::Blocking(call) => Arc::as_ptr(call).cast(),
            CallbackFn::Future(hook) => Arc::as_ptr(hook).cast(),
        }
    }
}

impl PartialEq for InProcess {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match &self.how {
            CallbackFn::Inline(_) => "inline",
            CallbackFn::Blocking(_) => "blocking",
            CallbackFn::Future(_) => "future",
        };
        f.debug_struct("InProcess").field("how", &how).field("internal", &self.internal).finish()
    }
}
