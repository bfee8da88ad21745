//! Tests of the public interface, on real hooks.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod accept;
mod bench;
mod cases;
mod coverage;
mod mutants;
mod projects;
