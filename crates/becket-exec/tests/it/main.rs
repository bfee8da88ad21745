//! Real programs under the supervisor. Each test runs `examples/supervise.rs`: the supervisor needs a process for itself.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ask;
mod attacks;
mod bad_lines;
mod common;
mod ends;
mod lines;
mod nested;
mod network;
mod refusals;
mod refused_accesses;
mod rights;
mod standby;
