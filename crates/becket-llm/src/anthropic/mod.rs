//! A native client for Anthropic's full Messages API: a general adapter can't mark a tool result as failed, nor send
//! blocks as a result.
//!
//! Unknown fields, events and blocks are tolerated; their content is kept if it has to be sent back.

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
