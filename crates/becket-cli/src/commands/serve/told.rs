//! Everything that happens in a session, told to a client that wants to know (`protocol.md` H13).
//!
//! It is told on the task that fires, so that it comes before the answer to the firing. A client that does not keep up
//! loses some of it, and is told how much.

use super::answers::Saying;
use super::outgoing::Outgoing;
use becket_embed::view::hook::{Dropped, Hook};
use becket_embed::view::ran::Ran;
use becket_engine::{Observer, OutputStream, RunEvent, What};
use becket_model::Event;
use becket_model::wire::input;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Tells one client of one session.
pub(super) struct Teller {
    pub(super) session: Arc<str>,
    pub(super) out: Outgoing,
    pub(super) is_wanted: AtomicBool,
    missed: AtomicU64,
}

/// `run/event`: something happened.
#[derive(Serialize, JsonSchema)]
pub(super) struct Happened<'a> {
    session: &'a str,
    #[serde(flatten)]
    what: Told,
}

/// What happened.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
enum Told {
    /// An event with handlers was fired. `firing` counts the firings of a session, from 1.
    Fired { firing: u64, event: &'static str, subject: Option<String>, tool_use_id: Option<String> },
    /// A configured hook does not run.
    Skipped { firing: u64, hook: Dropped },
    /// A hook started.
    Started { firing: u64, hook: Hook },
    /// A hook printed something; what is no UTF-8 is replaced.
    Output { firing: u64, hook: Hook, stream: &'static str, text: String },
    /// A hook ended.
    Finished { firing: u64, run: Box<Ran> },
    /// The event goes on without a hook, which runs in the background.
    Backgrounded { firing: u64, background: String, hook: Hook },
    /// A hook in the background ended; `background/take` has what it came to.
    BackgroundFinished { firing: u64, background: String, run: Box<Ran> },
    /// The verdict is there.
    Decided { firing: u64, ruling: &'static str, elapsed_ms: f64 },
    /// The client did not keep up: so many events are lost.
    Missed { events: u64 },
}

impl Teller {
    pub(super) fn new(session: Arc<str>, out: Outgoing) -> Self {
        Teller { session, out, is_wanted: AtomicBool::new(false), missed: AtomicU64::new(0) }
    }

    fn tell(&self, what: Told) {
        self.out.say(&Saying::new(None, "run/event", &Happened { session: &self.session, what }));
    }
}

/// The observer that an engine holds.
pub(super) struct Observing(pub(super) Arc<Teller>);

impl Observer for Observing {
    fn on(&self, event: &RunEvent) {
        let teller = &self.0;
        if !teller.is_wanted.load(Ordering::Acquire) {
            return;
        }
        if !teller.out.is_roomy() {
            teller.missed.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let missed = teller.missed.swap(0, Ordering::Relaxed);
        if missed > 0 {
            teller.tell(Told::Missed { events: missed });
        }
        teller.tell(told(event));
    }
}

fn told(event: &RunEvent) -> Told {
    let firing = event.firing;
    match &event.what {
        What::Fired { event } => Told::Fired {
            firing,
            event: event.kind().name(),
            subject: event.body.subject().map(str::to_owned),
            tool_use_id: tool_use_id(event),
        },
        What::Skipped(skipped) => Told::Skipped { firing, hook: Dropped::from(skipped) },
        What::Started { handler } => Told::Started { firing, hook: Hook::from(&**handler) },
        What::Output { handler, stream, bytes } => Told::Output {
            firing,
            hook: Hook::from(&**handler),
            stream: match stream {
                OutputStream::Stdout => "stdout",
                OutputStream::Stderr => "stderr",
            },
            text: String::from_utf8_lossy(bytes).into_owned(),
        },
        What::Finished { run } => Told::Finished { firing, run: Box::new(Ran::new(run)) },
        What::Backgrounded { id, handler } => {
            Told::Backgrounded { firing, background: id.to_string(), hook: Hook::from(&**handler) }
        }
        What::BackgroundFinished { id, run } => {
            Told::BackgroundFinished { firing, background: id.to_string(), run: Box::new(Ran::new(run)) }
        }
        What::Decided { verdict, elapsed } => {
            Told::Decided { firing, ruling: verdict.ruling.word(), elapsed_ms: elapsed.as_secs_f64() * 1e3 }
        }
    }
}

fn tool_use_id(event: &Event) -> Option<String> {
    event.body.tool_call()?;
    input::to_value(event).get("tool_use_id")?.as_str().map(str::to_owned)
}
