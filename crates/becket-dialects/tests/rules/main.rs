//! The dialects against their fixtures, and their laws.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod fixtures;
mod laws;
mod tables;
