//! `cargo xtask deny`: licences, sources and duplicate versions of all dependencies, by cargo-deny.

use crate::{root, say};
use std::process::Command;

/// The version that is installed if none is on `PATH`.
const VERSION: &str = "0.20.2";

/// Checks `deny.toml`, after installing cargo-deny if it is missing.
///
/// # Errors
/// Errors if something is denied, or if cargo-deny can't be installed or run.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if !arguments.is_empty() {
        return Err("`deny` takes no arguments".to_owned());
    }
    if !cargo(&["deny", "--version"]).output().is_ok_and(|output| output.status.success()) {
        say("installing cargo-deny");
        succeed(&mut cargo(&[
            "install",
            "--locked",
            "--quiet",
            "--debug",
            "cargo-deny",
            "--version",
            VERSION,
        ]))?;
    }
    // The advisories are in a separate database, which a machine without network can't read.
    succeed(&mut cargo(&["deny", "--log-level", "error", "check", "bans", "licenses", "sources"]))
}

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).current_dir(root());
    cargo
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("can't run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: see above")) }
}
