//! The answer of an observed handler, kept separate from those that count (G5).

use becket_model::fold::{Entry, FoldOptions, observe};
use becket_model::{Enforcement, Failure, HandlerOrigin, ObservedAnswer, Reply};

/// An answer or a failure that does not count.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WithheldAnswer {
    /// The mode of the handler in this event.
    pub enforcement: Enforcement,
    /// Its answer.
    pub reply: Reply,
    /// Its failure.
    pub failure: Option<Failure>,
    /// The effect that they would have had; `None` if the handler gave no answer.
    pub observed: Option<ObservedAnswer>,
}

impl WithheldAnswer {
    /// Records an entry whose answer does not count.
    pub(crate) fn new(
        entry: Entry,
        options: FoldOptions,
        spec: &'static becket_model::table::EventSpec,
    ) -> Self {
        let observed = observe(spec, options, &entry);
        WithheldAnswer {
            enforcement: entry.place.enforcement,
            reply: entry.reply,
            failure: entry.failure,
            observed,
        }
    }

    /// Returns the part of the handler at `place` in the verdict.
    pub(crate) fn entry(&self, place: HandlerOrigin) -> Entry {
        Entry {
            place: HandlerOrigin { enforcement: self.enforcement, ..place },
            reply: self.reply.clone(),
            failure: self.failure.clone(),
        }
    }
}
