//! `becket trial`: runs an installed agent against a scripted model, with Becket as its only hook and guards that deny.
//!
//! It reads a [`Trial`] from stdin and prints a [`TrialReport`]. `doctor --prove` starts it in separate namespaces if
//! they are available, and ends everything that it leaves behind.

#[cfg_attr(not(unix), allow(dead_code, reason = "trials run on Unix alone"))]
mod canary;
#[cfg(unix)]
mod runs;

pub(crate) use canary::{Guard, GuardResult};

use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::event::read;
use crate::out::Out;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The agent of a trial, and the trial's options.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Trial {
    /// The name of the agent's dialect.
    pub(crate) agent: String,
    /// The agent's program.
    pub(crate) program: PathBuf,
    /// The `becket` program that the hooks start.
    pub(crate) becket: PathBuf,
    /// An empty directory for everything else.
    pub(crate) directory: PathBuf,
    /// The value of `PATH`.
    pub(crate) search_path: String,
    /// True if only variables keep requests on this machine.
    pub(crate) needs_proxy: bool,
    /// The time limit of a run, in seconds.
    pub(crate) limit: u64,
}

/// The result of a trial.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TrialReport {
    /// The version that the agent reports.
    pub(crate) version: Option<String>,
    /// The results of the guards.
    pub(crate) guards: Vec<(Guard, GuardResult)>,
    /// The reason why nothing is proved.
    pub(crate) problem: Option<String>,
}

/// Runs the agent and prints the results of the guards.
pub(crate) fn run(around: &Surroundings, out: &Out) -> CommandResult {
    let bytes = read::stdin("the trial as JSON", around)?;
    let trial: Trial = serde_json::from_slice(&bytes)
        .map_err(|error| CliError::usage(format!("`trial` is started by `doctor --prove`: {error}")))?;
    let report = report(&trial);
    out.print(&serde_json::to_string(&report).map_err(|error| CliError::usage(error.to_string()))?)?;
    Ok(0)
}

#[cfg(unix)]
fn report(trial: &Trial) -> TrialReport {
    runs::report(trial)
}

#[cfg(not(unix))]
fn report(_: &Trial) -> TrialReport {
    TrialReport { problem: Some("agents can only be tried on Unix".to_owned()), ..TrialReport::default() }
}
