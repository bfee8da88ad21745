//! The events of a switch to another model. Pure.

use becket_model::event::context::{PostModelSwitch, PreModelSwitch};

/// From one model to another. What a cache would cost is the providers' to know.
pub(crate) struct Switch {
    pub(crate) from: String,
    pub(crate) to: String,
    /// Name as the caller gave it.
    pub(crate) requested: String,
    /// Origin of the switch: `command`, `sdk`, `fallback`.
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
