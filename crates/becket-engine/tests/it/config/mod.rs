//! The configuration: found, read entry by entry, merged, checked and written back.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod cases;
mod fixes;
mod guards;
mod laws;
mod plugins;
#[cfg(unix)]
mod policy_helper;
mod robust;
mod schema;
mod sources;
mod support;
mod trust;
mod writing;
