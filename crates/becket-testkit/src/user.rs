//! The user who runs the tests, and an ordinary one.

use std::process::Command;

/// The id of an ordinary user that every Unix system has.
pub const NOBODY: u32 = 65534;

/// Returns whether root runs the tests, who may become another user.
///
/// # Panics
/// Panics if the program `id` can't be run.
#[must_use]
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("`id` can be run");
    id.stdout == b"0\n"
}
