//! The `becket` binary: checks, explains and fires agent hooks from the command line.
//!
//! Each command is a view of a value of the engine: `explain` of a plan, `list` of the hook set, `check` of the
//! findings in a configuration, `fire` of an outcome. All decisions are made by the engine. Only [`mod@env`] reads the
//! surroundings of the process, and only [`out`] writes to its streams.

mod args;
mod commands;
mod details;
mod env;
mod error;
mod event;
mod help;
mod hook_gate;
mod installation;
mod links;
mod on_threads;
mod out;
mod peer;
mod progress;
mod recording;
mod release;
mod report;
mod run;
mod services;
mod session;
mod telemetry;
mod transcripts;
mod trust;
mod wrap;

use becket_fire::{enclosing, hook_output, interrupt, project, untraced};
use std::process::ExitCode;

fn main() -> ExitCode {
    untraced::begin();
    run::main(&env::Surroundings::of_process())
}
