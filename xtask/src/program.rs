//! The program `becket`, for chores that run it.

use crate::bindings;
use crate::root;
use std::path::PathBuf;
use std::process::Command;

/// Builds the program, and returns its path. It has the same features as in the tests of the whole workspace, so that
/// its libraries are shared with an earlier build of the tests.
///
/// # Errors
/// Errors if it can't be built.
pub(crate) fn becket() -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    // Features of development dependencies count only if a test is built.
    cargo.args(["build", "--quiet", "--workspace", "--bin", "becket", "--test", "cli"]);
    match cargo.current_dir(root()).status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("building becket failed: {status}")),
        Err(error) => return Err(format!("can't run cargo: {error}")),
    }
    let becket = bindings::target(root())?.join("debug/becket");
    if becket.is_file() { Ok(becket) } else { Err(format!("`{}` is missing", becket.display())) }
}
