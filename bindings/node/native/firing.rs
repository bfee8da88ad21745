//! An event on its way.
//!
//! While nothing has to be waited for but functions of JavaScript that answer at once, JavaScript's own thread takes it through,
//! without a change of threads: [`Firing::step`] stops where functions are to be called. Where something is still missing after
//! these, the threads of the engine take over, and the result goes over the line.
//!
//! INVARIANT: whoever was handed calls steps again, or has it left. A function that has blocked its thread past its limit has
//! failed then: the engine looks at the clock before it looks at the answer.

use crate::asked::{Call, collecting};
use crate::line::{Line, Word};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use tokio::runtime::Handle;

/// How an event ends.
#[derive(Debug)]
pub(crate) enum End {
    /// With an outcome, as JSON.
    Outcome(String),
    /// Its hooks were ended before they were done.
    Cancelled,
    /// The engine broke down over it.
    Broken,
}

/// The work on an event.
pub(crate) type Work = BoxFuture<'static, End>;

/// How far JavaScript's own thread came.
pub(crate) enum Step {
    Ended(End),
    /// These functions are to be called; then it goes on.
    Calls(Vec<Call>),
    /// It ends elsewhere.
    Elsewhere,
}

/// How often work that wakes itself is looked at again.
const LOOKS: usize = 16;

/// One event, with who takes it through.
pub(crate) struct Firing {
    id: u32,
    /// None once it is elsewhere, or done.
    work: Mutex<Option<Work>>,
    /// Woken since it was looked at.
    is_woken: AtomicBool,
    line: Arc<Line>,
    threads: &'static Handle,
}

impl Firing {
    /// Work that nobody has begun.
    pub(crate) fn new(id: u32, work: Work, line: Arc<Line>, threads: &'static Handle) -> Arc<Self> {
        Arc::new(Firing {
            id,
            work: Mutex::new(Some(contained(work))),
            is_woken: AtomicBool::new(false),
            line,
            threads,
        })
    }

    /// Goes as far as it can without waiting for anything but functions of JavaScript.
    pub(crate) fn step(self: &Arc<Self>) -> Step {
        let _entered = self.threads.enter();
        for _ in 0..LOOKS {
            let (polled, calls) = collecting(|| self.poll());
            match polled {
                Some(Poll::Ready(end)) => return Step::Ended(end),
                Some(Poll::Pending) if !calls.is_empty() => return Step::Calls(calls),
                Some(Poll::Pending) if self.is_woken.swap(false, Ordering::AcqRel) => {}
                Some(Poll::Pending) | None => break,
            }
        }
        self.leave();
        Step::Elsewhere
    }

    /// Has the threads of the engine take it through.
    pub(crate) fn leave(&self) {
        let Some(work) = self.work().take() else { return };
        let (id, line) = (self.id, self.line.clone());
        self.threads.spawn(async move { tell(&line, id, work.await) });
    }

    fn poll(self: &Arc<Self>) -> Option<Poll<End>> {
        let waker = Waker::from(self.clone());
        let mut work = self.work();
        let polled = work.as_mut()?.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            *work = None;
        }
        Some(polled)
    }

    fn work(&self) -> MutexGuard<'_, Option<Work>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Firing {
    fn wake(self: Arc<Self>) {
        // Whoever takes it through here looks again, and may be looking now.
        self.is_woken.store(true, Ordering::Release);
    }
}

/// Tells JavaScript how an event ended.
pub(crate) fn tell(line: &Line, id: u32, end: End) {
    match end {
        End::Outcome(text) => line.say(Word::Done, id, 0, text),
        End::Cancelled => line.say(Word::Cancelled, id, 0, String::new()),
        End::Broken => line.say(Word::Failed, id, 0, BROKEN.to_owned()),
    };
}

/// What is said where the engine itself is at fault.
pub(crate) const BROKEN: &str =
    "becket itself broke down over it, so nothing was decided: that is a mistake in it, please report it";

/// The same work, whose panic is an end.
fn contained(work: Work) -> Work {
    AssertUnwindSafe(work).catch_unwind().map(|end| end.unwrap_or(End::Broken)).boxed()
}
