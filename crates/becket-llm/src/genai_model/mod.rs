//! Every provider but Anthropic, through the `genai` crate.
//!
//! It receives our HTTP client, our keys and our addresses; its own environment look-ups are disabled. It is weaker
//! than the native client: tool results are plain text (a failure is described in words), and the size of an answer is
//! limited only if it is streamed. See `docs/decisions/0007-model-providers.md`.

mod client;
mod failure;
mod request;
mod stream;

pub use client::Genai;
