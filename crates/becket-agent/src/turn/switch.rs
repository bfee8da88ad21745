//! The events of a switch to another model. Pure.

use becket_model::event::context::{PostModelSwitch, PreModelSwitch};

/// A switch from one model to another. The cost of losing a cache is known only to the providers.
pub(crate) struct Switch {
    pub(crate) from: String,
    pub(crate) to: String,
    /// The name as the caller gave it.
    pub(crate) requested: String,
    /// The origin of the switch: `command`, `sdk`, `fallback`.
    pub(crate) source: String,
}

impl Switch {
    pub(crate) fn before(&self) -> PreModelSwitch {
        PreModelSwitch::new(self.from.clone(), self.to.clone(), self.requested.clone(), self.source.clone())
    }

    pub(crate) fn after(&self) -> PostModelSwitch {
        let PreModelSwitch { from_model, to_model, requested_model, source, .. } = self.before();
        PostModelSwitch::new(from_model, to_model, requested_model, source)
    }
}
