//! `becket doctor --prove` with a real agent.

use super::expected::ExpectedAgent;
use super::package::search_path;
use crate::{root, say};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `doctor --prove` on an agent of CI: all denials have to take effect, with the version stated.
///
/// # Errors
/// Errors with the output of the command if they do not.
pub(super) fn proves(name: &str, agent: &ExpectedAgent, program: &Path, becket: &Path) -> Result<(), String> {
    if !agent.ci {
        return Ok(());
    }
    let home = root().join("target/agents/runs").join(name).join("doctor");
    fs::create_dir_all(&home).map_err(|error| format!("`{}`: {error}", home.display()))?;
    let programs = program.parent().unwrap_or(program).display();
    let mut doctor = Command::new(becket);
    doctor.args(["doctor", "--prove", name, "--limit", &agent.limit.to_string()]).current_dir(&home);
    doctor.env_clear().env("HOME", &home).env("PATH", format!("{programs}:{}", search_path(agent, becket)));
    let ended = doctor.stdin(Stdio::null()).output().map_err(|error| format!("can't run becket: {error}"))?;
    let stdout = String::from_utf8_lossy(&ended.stdout);
    say(&format!("  {name}, doctor: {}", stdout.trim()));
    let is_stated = stdout.starts_with("proved: ") && stdout.contains(&format!(" {} held ", agent.version));
    match ended.status.success() && is_stated {
        true => Ok(()),
        false => Err(format!("doctor: {stdout}{}", String::from_utf8_lossy(&ended.stderr))),
    }
}
