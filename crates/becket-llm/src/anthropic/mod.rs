//! Anthropic's Messages API, natively and in full: a general adapter can't say that a tool failed, nor send blocks as
//! its result.
//!
//! Unknown fields, events and blocks are tolerated; what they hold is kept where it has to be sent back.

mod answer;
mod block;
mod body;
mod client;
mod dialect;
mod retry;
mod wire;

pub use client::{Anthropic, Credential, StructuredOutput};
pub(crate) use client::{IDLE, base_url};
pub(crate) use dialect::ALIASES;
pub(crate) use retry::retry_after;
