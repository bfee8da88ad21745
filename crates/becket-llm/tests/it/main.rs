//! Integration tests of the models, in one binary: a crate is linked once for all of them.

mod anthropic_answers;
mod anthropic_failures;
mod anthropic_requests;
mod genai_providers;
mod providers;
#[cfg(unix)]
mod real_model;
mod scripted;
mod secrets;
mod support;
mod tls;
