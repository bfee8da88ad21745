//! Keeps neighbours of the same user out of this process.
//!
//! A hook, or anything else that runs as the user, could otherwise attach to the process that judges it and have that end
//! with exit code 0. It can still kill it: where Becket is another agent's hook, that agent decides what a killed hook means.

/// Disables tracing and core dumps of this process, and hides its memory and environment from other processes of the
/// user. Its children are not affected: an `exec` resets it.
#[cfg(target_os = "linux")]
pub(crate) fn begin() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    // A kernel that does not know the call leaves everything as it was; no guard rests on it.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// No such call is known here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn begin() {}
