//! `cargo xtask test`: installs what the tests need, then runs every test.

use crate::{bindings, mcp_fixture, model_fixture, root, say, sdk_fixture};
use std::path::Path;
use std::process::Command;

/// Programs that tests start, with the Debian package that brings each.
const NEEDED: [(&str, &str); 6] = [
    ("git", "git"),
    ("python3", "python3"),
    ("tmux", "tmux"),
    ("bash", "bash"),
    ("node", "nodejs"),
    ("npm", "npm"),
];

/// Installs, then tests.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    install(&missing())?;
    let mut tests = Command::new(env!("CARGO"));
    tests.args(["test", "--workspace", "--no-fail-fast"]).args(arguments).current_dir(root());
    tests.envs(model_fixture::prepare(root()).environment()?);
    tests.envs(mcp_fixture::prepare(root()).environment);
    tests.envs(sdk_fixture::prepare(root()));
    let status = tests.status().map_err(|error| format!("can't run cargo: {error}"))?;
    // Whoever names tests wants these and no others.
    let bindings = if arguments.is_empty() { bindings::test(root()) } else { Ok(()) };
    if status.success() { bindings } else { Err("some tests failed: see above".to_owned()) }
}

fn missing() -> Vec<(&'static str, &'static str)> {
    NEEDED.into_iter().filter(|(program, _)| !on_path(program)).collect()
}

#[expect(clippy::disallowed_methods, reason = "a chore of the workspace, started by a person")]
fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Through apt where there is one; else says what is missing.
fn install(missing: &[(&str, &str)]) -> Result<(), String> {
    if missing.is_empty() {
        return Ok(());
    }
    let programs = missing.iter().map(|(program, _)| *program).collect::<Vec<_>>().join(", ");
    if !Path::new("/usr/bin/apt-get").exists() {
        return Err(format!("the tests start {programs}: install what is missing and run this again"));
    }
    say(&format!("installing what the tests start: {programs}"));
    apt(&["update", "-q"])?;
    let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    apt(&[&["install", "-q", "-y", "--no-install-recommends"], packages.as_slice()].concat())
}

/// As root directly, else through sudo.
fn apt(arguments: &[&str]) -> Result<(), String> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.starts_with(b"0\n"));
    let mut command = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        command.arg("apt-get");
    }
    let status = command.args(arguments).status().map_err(|error| format!("can't run apt-get: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`apt-get {}` failed: see above", arguments.join(" ")))
    }
}
