//! Shared helpers of the tests: a marked command, a runner, short limits.

#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]

use std::time::Duration;

use becket_process::{CancellationToken, Chunk, Command, Control, FinishedRun, Limits, Program, Runner};
use becket_testkit::proc::Marker;

pub(crate) const MIB: usize = 1 << 20;

/// Returns a shell script with a marker.
pub(crate) fn sh(marker: &Marker, script: &str) -> Command {
    let (name, value) = marker.env();
    Command::new(Program::shell(script), "/").env("PATH", "/usr/bin:/bin").env(name, value)
}

pub(crate) fn deadline(millis: u64) -> Limits {
    Limits { deadline: Some(Duration::from_millis(millis)), ..Limits::default() }
}

/// Returns limits with a deadline that only a failing test reaches.
pub(crate) fn patient() -> Limits {
    deadline(60_000)
}

pub(crate) async fn run(command: &Command, limits: &Limits) -> FinishedRun {
    run_with(&Runner::new(), command, limits).await
}

pub(crate) async fn run_with(runner: &Runner, command: &Command, limits: &Limits) -> FinishedRun {
    runner.run(command, limits, &CancellationToken::new(), &mut |_| ()).await.unwrap()
}

/// Runs a command with a control, without keeping any output.
pub(crate) async fn run_steered(
    command: &Command,
    limits: &Limits,
    control: Control,
    sink: &mut (dyn FnMut(Chunk<'_>) + Send),
) -> FinishedRun {
    Runner::new().run_with(command, limits, &CancellationToken::new(), control, sink).await.unwrap()
}
