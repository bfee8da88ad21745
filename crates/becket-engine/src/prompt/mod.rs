//! Prompt handlers: one request to a model, a structured answer (H7).

use crate::dispatch::Firing;
use crate::handler::{Handler, Prompt};
use crate::run_command::Ran;
use becket_model::interpret;
use becket_model::table::HandlerKind;
use becket_model::{Event, Failure};
use std::sync::Arc;

/// Where the conversation of a session is read, for the events that show it to a model (H7).
pub trait Conversations: Send + Sync {
    /// The conversation so far, oldest message first; `None` where there is none to be had.
    fn of(&self, event: &Event) -> Option<Vec<crate::stand_in::Message>>;
}

/// Reads the transcript that the event names.
#[derive(Debug, Clone, Copy, Default)]
pub struct Transcripts;

impl Conversations for Transcripts {
    fn of(&self, event: &Event) -> Option<Vec<crate::stand_in::Message>> {
        let _ = event;
        None
    }
}

/// Runs the handler.
pub(crate) async fn run(firing: &Firing<'_>, handler: &Arc<Handler>, prompt: &Prompt) -> Ran {
    let _ = (handler, prompt);
    Ran::without_process(interpret::failed(
        firing.event.kind().spec(),
        Failure::NotInThisBuild { kind: HandlerKind::Prompt },
    ))
}
