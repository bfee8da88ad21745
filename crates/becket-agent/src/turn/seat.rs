//! The session's model, if it has changed since the session was opened.
//!
//! The model changes between two requests, never during one: the agent loop reads it before each.

use becket_llm::Model;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The current model of the session.
#[derive(Default)]
pub(crate) struct Seat(Mutex<Option<Arc<dyn Model>>>);

impl Seat {
    /// Sets the model.
    pub(crate) fn take(&self, model: Arc<dyn Model>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(model);
    }

    /// Returns the model that was set last; `None` if the session's first one is still in use.
    pub(crate) fn chosen_model(&self) -> Option<Arc<dyn Model>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Seat").field(&self.chosen_model().map(|model| model.name().to_owned())).finish()
    }
}
