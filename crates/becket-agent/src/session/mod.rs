//! An open session: its facts, and what happens at its beginning and its end (`protocol.md` L0).

mod facts;

pub use facts::Facts;
