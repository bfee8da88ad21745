//! The benchmark programs: `benches/` of the crates, and those of the bindings, each prepared in its own way.
//!
//! | program | found by | prepared by |
//! |---|---|---|
//! | a bench of a crate | its file in `crates/<crate>/benches` | cargo |
//! | a bench of a binding | `bindings::BENCHES` | a package in release, installed as users install it |
//!
//! A program that is not available on this machine is left out, with a reason; it is never skipped silently.

use crate::bindings::{self, BenchError, MakeReady};
use crate::installed::{Places, text};
use crate::{root, say};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The baseline for the commands of bindings: an example of `becket-embed`.
const FLOOR: &str = "fires";

/// A program that prints rows.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) krate: String,
    pub(crate) name: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Cargo,
    Binding(MakeReady),
}

impl Program {
    /// Builds the prerequisites, and returns the command that runs it. Returns `None`, after printing the reason, if it
    /// is not available on this machine.
    ///
    /// # Errors
    /// Errors if something can't be built.
    pub(crate) fn ready(&self, root: &Path) -> Result<Option<Command>, String> {
        match self.kind {
            Kind::Cargo => self.of_cargo(root).map(Some),
            Kind::Binding(make_ready) => match make_ready(root) {
                Ok(command) => beside_the_floor(command, root).map(Some),
                Err(BenchError::Failed(why)) => Err(why),
                Err(BenchError::Missing(reason)) => {
                    say(&format!("SKIPPED: rows of {}: {reason}", self.krate));
                    Ok(None)
                }
            },
        }
    }

    fn of_cargo(&self, root: &Path) -> Result<Command, String> {
        let mut command = Command::new(env!("CARGO"));
        // For the whole workspace: alone, each crate would have separate features, and separate builds of its
        // dependencies.
        command.args(["bench", "--quiet", "--workspace", "--bench", &self.name, "--"]);
        command.current_dir(root);
        if self.krate == "becket-mcp" {
            match Places::of(root).npm("npm") {
                Ok(modules) => drop(command.env("BECKET_BENCH_MCP_SDK", text(&modules))),
                Err(reason) => say(&format!("SKIPPED: rows with the TypeScript SDK: {reason}")),
            }
        }
        if self.krate == "becket-bench" {
            let target = bindings::target(root)?;
            // As in the packages.
            command.env("BECKET_BENCH_FULL", crate::dist::full(&target)?);
            if let Some(small) = crate::dist::small(&target)? {
                command.env("BECKET_BENCH_SMALL", small);
            }
        }
        Ok(command)
    }
}

/// Tells a bench of a binding its baseline. Neither of them finds settings of the user.
fn beside_the_floor(mut command: Command, root: &Path) -> Result<Command, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--profile", "bench", "--workspace", "--example", FLOOR]);
    bindings::run_step(cargo.current_dir(root), "building what bindings are measured beside")?;
    let floor = bindings::target(root)?.join("release/examples").join(FLOOR);
    command.env("BECKET_BENCH_FLOOR", floor).env("HOME", "");
    Ok(command)
}

/// Returns all programs, by crate.
///
/// # Errors
/// Errors if the crates can't be listed.
pub(crate) fn all() -> Result<Vec<Program>, String> {
    let mut programs = of_crates(&root().join("crates"))?;
    programs.extend(bindings::BENCHES.map(|(krate, make_ready)| Program {
        krate: krate.to_owned(),
        name: "callback".to_owned(),
        kind: Kind::Binding(make_ready),
    }));
    programs.sort_by(|one, other| one.krate.cmp(&other.krate));
    Ok(programs)
}

/// Returns all `crates/<crate>/benches/<bench>.rs`, in order.
fn of_crates(crates: &Path) -> Result<Vec<Program>, String> {
    let mut found = Vec::new();
    for krate in names(crates)? {
        for file in names(&crates.join(&krate).join("benches")).unwrap_or_default() {
            if let Some(name) = file.strip_suffix(".rs") {
                found.push(Program { krate: krate.clone(), name: name.to_owned(), kind: Kind::Cargo });
            }
        }
    }
    Ok(found)
}

fn names(directory: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(directory).map_err(|error| format!("`{}`: {error}", directory.display()))?;
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_is_found_and_crates_stand_together() {
        let found = all().unwrap();
        let crates: Vec<&str> = found.iter().map(|program| program.krate.as_str()).collect();
        assert!(crates.is_sorted(), "{crates:?}");
        for (krate, name) in
            [("becket-process", "process"), ("becket-bench", "serve"), ("becket-python", "callback")]
        {
            assert!(found.iter().any(|program| program.krate == krate && program.name == name), "{found:?}");
        }
        for (krate, _) in bindings::BENCHES {
            let place = krate.replace("becket-", "bindings/");
            assert!(!names(&root().join(place).join("benches")).unwrap().is_empty(), "{krate}");
        }
    }
}
