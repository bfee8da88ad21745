//! The bindings for other languages: the files generated for them from the event table, their tests, and their
//! benchmarks. One file per language.

mod node;
mod node_events;
mod python;
mod python_types;

pub(crate) use python::{run as run_step, target};

use std::path::{Path, PathBuf};
use std::process::Command;

/// The build profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// The profile for tests.
    Dev,
    /// The profile for benchmarks.
    Bench,
}

impl Build {
    /// Returns the profile of cargo.
    fn profile(self) -> &'static str {
        match self {
            Build::Dev => "dev",
            Build::Bench => "bench",
        }
    }

    /// Returns the directory of cargo's output, below the target directory.
    fn directory(self) -> &'static str {
        match self {
            Build::Dev => "debug",
            Build::Bench => "release",
        }
    }
}

/// The reason why a benchmark of a binding can't run.
#[derive(Debug)]
pub(crate) enum BenchError {
    /// This machine lacks something, so the rows are left out.
    Missing(String),
    /// Something failed.
    Failed(String),
}

impl From<String> for BenchError {
    fn from(why: String) -> Self {
        BenchError::Failed(why)
    }
}

/// A function that builds a package as users get it and installs it, and returns the bench program to run.
pub(crate) type MakeReady = fn(&Path) -> Result<Command, BenchError>;

/// The benches of the bindings, by the names of their crates.
pub(crate) const BENCHES: [(&str, MakeReady); 2] =
    [("becket-node", node::bench), ("becket-python", python::bench)];

/// Builds the packages as each language's users install them, and runs their tests.
///
/// # Errors
/// Errors if some failed.
pub(crate) fn test(root: &Path) -> Result<(), String> {
    let node = node::test(root);
    python::test(root).and(node)
}

/// Builds the engine for Node on this platform; returns its file.
///
/// # Errors
/// Errors if it can't be built.
pub(crate) fn node_engine(root: &Path, build: Build) -> Result<PathBuf, String> {
    node::engine(root, build)
}

/// Builds the wheel of Python with these programs as scripts; returns its file.
///
/// # Errors
/// Errors if it can't be built.
pub(crate) fn python_wheel(root: &Path, build: Build, programs: &[PathBuf]) -> Result<PathBuf, String> {
    python::wheel_with(root, build, programs)
}

/// Runs `cargo xtask bindings`.
pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    match rest.first() {
        Some(argument) => Err(format!("`{argument}` is not known: `bindings` takes no arguments")),
        None => test(crate::root()),
    }
}

/// Returns the files that are generated from the event table, below the root of the workspace.
///
/// # Errors
/// Errors if the table has an unexpected form.
pub(crate) fn generated() -> Result<Vec<(&'static str, String)>, String> {
    let [values, types] = node_events::files()?;
    Ok(vec![
        ("bindings/node/lib/events.js", values),
        ("bindings/node/lib/events.d.ts", types),
        ("bindings/python/python/becket/inputs.py", python_types::inputs()),
        ("bindings/python/python/becket/_table.py", python_types::table()),
    ])
}
