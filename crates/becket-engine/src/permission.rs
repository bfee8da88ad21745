//! Permission rules and modes beside a verdict (D3): what becomes of a call.

pub(crate) mod decide;
pub(crate) mod inputs;
pub(crate) mod start_mode;
