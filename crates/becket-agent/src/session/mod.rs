//! An open session: its facts, and what happens at its beginning and its end (`protocol.md` L0).

mod facts;
mod lent;

pub use facts::Facts;
pub use lent::{Background, TakeUpdates, Taken};
