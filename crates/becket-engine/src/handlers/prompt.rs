//! Prompt handlers: one request to a model, a structured answer (H7).
//!
//! The handler's text goes to the model with the event's input; the answer is read strictly, and anything but a clear
//! verdict is a failure (O10). The event table defines the effect of `ok: false`. Agent handlers ask with the same
//! parts.
//!
//! A model's judgement is not a proof: see [`system`].

mod cache;
mod conversation;
mod question;
mod run;
mod shorten;
mod transcript;

pub(crate) mod answer;
pub(crate) mod arguments;
pub(crate) mod asking;
pub(crate) mod system;

pub use transcript::Transcripts;

pub(crate) use cache::VerdictCache;
pub(crate) use question::Question;
pub(crate) use run::{ModelRun, model, run};
pub(crate) use shorten::middle_out;
