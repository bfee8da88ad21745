//! Integration tests of the process runner, in one binary: a crate is linked once for all of them.

mod common;
#[cfg(target_os = "linux")]
mod detached;
#[cfg(target_os = "linux")]
mod ends;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod laws;
#[cfg(target_os = "linux")]
mod refusals;
#[cfg(target_os = "linux")]
mod steer;
#[cfg(target_os = "linux")]
mod talk;
