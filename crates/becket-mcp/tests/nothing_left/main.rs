//! Nothing remains of servers and connections. Checked with the system, never with the code under test.
//!
//! Descriptors, threads and zombies belong to the whole process, so the tests run one at a time.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "../it/common/mod.rs"]
#[allow(dead_code, unused_imports, reason = "this binary uses a part of it")]
mod common;

mod connections;
mod servers;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock on the process: a test that measures it runs alone, even if all tests run in one process.
fn alone() -> MutexGuard<'static, ()> {
    static PROCESS: Mutex<()> = Mutex::new(());
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}
