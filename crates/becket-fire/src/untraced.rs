//! Keeps other processes of the same user from tracing this one.
//!
//! Otherwise a hook, or any other process of the user, could attach to the process that runs it and make that exit with
//! code 0. It can still kill it: if Becket is another agent's hook, that agent decides what a killed hook means.

/// Disables tracing and core dumps of this process, and hides its memory and environment from other processes of the
/// user. Its children are not affected: an `exec` resets it.
#[cfg(target_os = "linux")]
pub fn begin() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    // A kernel without this call changes nothing; no guard depends on it.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Does nothing, as this is not supported on the platform.
#[cfg(not(target_os = "linux"))]
pub fn begin() {}
