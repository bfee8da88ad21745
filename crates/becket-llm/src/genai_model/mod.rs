//! Every provider but Anthropic, through the crate `genai`.
//!
//! It gets our HTTP client, our keys and our addresses; its own look-ups in the environment are disabled. Weaker than
//! the native client: tool results are plain text (a failure is described in words), and an answer is bounded only if
//! it arrives in pieces. See `docs/decisions/0007-model-providers.md`.

mod client;
mod failure;
mod request;
mod stream;

pub use client::Genai;
