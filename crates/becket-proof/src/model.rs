//! The scripted model.

mod anthropic;
mod chat;
mod gemini;
mod protocol;
mod responses;
mod script;
mod server;
mod sse;
#[cfg(test)]
mod tests;

pub use protocol::Protocol;
pub use script::{CallInput, Script, ToolCall, Turn};
pub use server::{ModelRequest, ModelServer};
