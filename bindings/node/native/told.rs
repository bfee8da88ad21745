//! Everything that happens in a session, told to JavaScript as `becket serve` tells it (`protocol.md` H13).

use crate::line::{Line, Word};
use becket_embed::view::hook::{Dropped, Hook};
use becket_embed::view::ran::Ran;
use becket_engine::{Observer, OutputStream, RunEvent, What};
use serde_json::{Value, json};
use std::sync::Arc;

/// The observer that an engine holds. A thread of JavaScript that has ended is told nothing.
pub(crate) struct Observing(pub(crate) Arc<Line>);

impl Observer for Observing {
    fn on(&self, event: &RunEvent) {
        let mut told = told(&event.what);
        told["firing"] = event.firing.into();
        self.0.say(Word::Told, 0, 0, told.to_string());
    }
}

fn told(what: &What) -> Value {
    match what {
        What::Fired { event } => {
            json!({"what": "fired", "event": event.kind().name(), "subject": event.body.subject()})
        }
        What::Skipped(skipped) => json!({"what": "skipped", "hook": Dropped::from(skipped)}),
        What::Started { handler } => json!({"what": "started", "hook": Hook::from(&**handler)}),
        What::Output { handler, stream, bytes } => json!({
            "what": "output",
            "hook": Hook::from(&**handler),
            "stream": match stream {
                OutputStream::Stdout => "stdout",
                OutputStream::Stderr => "stderr",
            },
            "text": String::from_utf8_lossy(bytes),
        }),
        What::Finished { run } => json!({"what": "finished", "run": Ran::new(run)}),
        What::Backgrounded { id, handler } => {
            json!({"what": "backgrounded", "background": id.to_string(), "hook": Hook::from(&**handler)})
        }
        What::BackgroundFinished { id, run } => {
            json!({"what": "background_finished", "background": id.to_string(), "run": Ran::new(run)})
        }
        What::Decided { verdict, elapsed } => {
            let elapsed_ms = elapsed.as_secs_f64() * 1e3;
            json!({"what": "decided", "ruling": verdict.ruling.word(), "elapsed_ms": elapsed_ms})
        }
    }
}
