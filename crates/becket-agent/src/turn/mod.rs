//! A turn: from a prompt to the moment at which the user is asked again (`protocol.md` L0–L8).

mod end;

pub use end::{DeferredCall, Denial, EndReason, TurnEnd};
