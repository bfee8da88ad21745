//! The packages of agents, from npm and PyPI, installed below `target/agents/packages` once for each version.

use super::expected::{ExpectedAgent, Registry};
use crate::installed::run;
use crate::{root, say};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs an agent unless it is installed; returns its program.
///
/// # Errors
/// Errors with the reason if it can't be installed.
pub(super) fn install(name: &str, agent: &ExpectedAgent) -> Result<PathBuf, String> {
    let place = place(&format!("{name}@{}", agent.version));
    let wanted = format!("{}@{}", agent.package, agent.version);
    once(&place, &wanted, || match agent.from {
        Registry::Npm => npm(&place, &wanted, agent.scripts),
        Registry::Pypi => pypi(&place, &format!("{}=={}", agent.package, agent.version)),
    })?;
    if let Some(beside) = &agent.beside {
        let place = self::place(beside);
        once(&place, beside, || npm(&place, beside, true))?;
    }
    let program = place.join(&agent.program);
    if program.exists() { Ok(program) } else { Err(format!("`{}` is missing", program.display())) }
}

/// Returns the search path of an agent, on which hooks of a project find Becket.
pub(super) fn search_path(agent: &ExpectedAgent, becket: &Path) -> String {
    let usual = format!("{}:/usr/local/bin:/usr/bin:/bin", becket.parent().unwrap_or(becket).display());
    match &agent.beside {
        Some(beside) => format!("{}:{usual}", place(beside).join("node_modules/.bin").display()),
        None => usual,
    }
}

fn place(name: &str) -> PathBuf {
    root().join("target/agents/packages").join(name)
}

/// Runs `install` unless a marker, which is written last, shows that it was done.
fn once(place: &Path, wanted: &str, install: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let marker = place.join("installed");
    if fs::read_to_string(&marker).is_ok_and(|before| before == wanted) {
        return Ok(());
    }
    say(&format!("installing {wanted}"));
    fs::create_dir_all(place).map_err(|error| error.to_string())?;
    install()?;
    fs::write(&marker, wanted).map_err(|error| format!("`{}`: {error}", marker.display()))
}

fn npm(place: &Path, wanted: &str, scripts: bool) -> Result<(), String> {
    let manifest = place.join("package.json");
    fs::write(&manifest, "{\"private\": true}\n")
        .map_err(|error| format!("`{}`: {error}", manifest.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]);
    if !scripts {
        npm.arg("--ignore-scripts");
    }
    run(npm.arg(wanted).current_dir(place))
}

fn pypi(place: &Path, wanted: &str) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(place.join("venv")))?;
    let mut pip = Command::new(place.join("venv/bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted]);
    run(pip.current_dir(place))
}
