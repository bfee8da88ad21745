//! Tests that count the descriptors, threads, zombies or memory of their whole process, one at a time.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]

#[path = "../it/common/mod.rs"]
#[allow(dead_code, unused_imports, reason = "this binary uses a part of it")]
mod common;

mod many;
mod memory;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock on the process: a test that measures it runs alone, even if all tests run in one process.
fn alone() -> MutexGuard<'static, ()> {
    static PROCESS: Mutex<()> = Mutex::new(());
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}
