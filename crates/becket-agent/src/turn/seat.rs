//! The session's model, if it has changed since the session was opened.
//!
//! A model is changed between two requests, and never within one: the agent loop reads this before each.

use becket_llm::Model;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The place of the session's model.
#[derive(Default)]
pub(crate) struct Seat(Mutex<Option<Arc<dyn Model>>>);

impl Seat {
    /// Puts another model in it.
    pub(crate) fn take(&self, model: Arc<dyn Model>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(model);
    }

    /// The model that was put in last; none if the session's first one stays.
    pub(crate) fn taken(&self) -> Option<Arc<dyn Model>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Seat").field(&self.taken().map(|model| model.name().to_owned())).finish()
    }
}
