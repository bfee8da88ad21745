//! JavaScript hooks, as callbacks of the engine (`protocol.md` H9).
//!
//! INVARIANT: an invalid answer fails the hook. The engine decides the consequences.

use crate::questions::{Answer, NoAnswer, Questions};
use becket_engine::{CallbackAnswer, CancellationToken, Hook, IntoAnswer};
use becket_model::interpret::{JsonAnswer, parse_object};
use becket_model::wire::input;
use becket_model::{Event, EventKind};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// A function of JavaScript, by its number there.
pub(crate) struct FunctionHook {
    pub(crate) questions: Arc<Questions>,
    pub(crate) number: u32,
}

impl Hook for FunctionHook {
    fn call<'a>(&'a self, event: &'a Event, _: &'a CancellationToken) -> BoxFuture<'a, CallbackAnswer> {
        let pending = self.questions.call(self.number, input::to_value(event).to_string());
        Box::pin(async move { answered(event.kind(), pending.await) })
    }
}

fn answered(event: EventKind, answer: Answer) -> CallbackAnswer {
    match answer {
        Ok(text) => read(event, &text).into_answer(),
        Err(NoAnswer { why, part }) => match part.map(|text| parse_object(&text)) {
            Some(Ok(answer)) => CallbackAnswer::InPart { answer, why },
            Some(Err(_)) | None => CallbackAnswer::Failed(why),
        },
    }
}

/// Parses an answer like that of a command: a lone surrogate in a reason must not lose a denial (O11).
fn read(event: EventKind, text: &str) -> Result<Option<JsonAnswer>, String> {
    if text == "null" {
        return Ok(None);
    }
    JsonAnswer::parse(event, text).map(Some).map_err(|error| format!("its answer can't be read: {error}"))
}
