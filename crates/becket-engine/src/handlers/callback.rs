//! In-process handlers: the compilation of their registrations, and their calls (H9).

mod abandoned;
mod compile;
mod run;

pub(crate) use abandoned::AbandonedThreads;
pub use compile::InvalidCallback;
pub(crate) use compile::Surroundings;
pub(crate) use run::{call_inline, run};
