//! Every provider but Anthropic, through the crate `genai`.
//!
//! It gets our HTTP client, our keys and our addresses; whatever it would look up in the environment by itself is
//! refused. Weaker than the native client: tool results are plain text (a failure is said in words), and an answer
//! is bounded only where it comes in pieces. See `docs/decisions/0007-model-providers.md`.

mod client;
mod failure;
mod request;
mod stream;

pub use client::Genai;
