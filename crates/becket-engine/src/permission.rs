//! Permission rules and modes next to a verdict (D3): the settlement of a call.

pub(crate) mod decide;
pub(crate) mod inputs;
pub(crate) mod start_mode;
