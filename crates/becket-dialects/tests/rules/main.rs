//! Tests of the dialects against their fixtures, and their laws.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod calls;
mod fixtures;
mod laws;
mod tables;
