//! `cargo xtask bench`: runs the benchmark programs, one after another, and collects their rows.
//!
//! A crate takes part by having files in `benches/` that print rows through `becket_testkit::bench`, and a `[[bench]]`
//! with `harness = false` for each; a binding by its line in `bindings::BENCHES`.
//!
//! INVARIANT: `docs/benchmarks.md` is written for all crates together or not at all.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::bench_programs::{self, Program};
use crate::bench_report::{self, Row};
use crate::{root, say};

/// The selection of benchmarks.
#[derive(Debug, Default, PartialEq)]
struct BenchSelection {
    quick: bool,
    /// The selected crates; empty for all.
    crates: Vec<String>,
}

/// Runs the benches of all crates and writes `docs/benchmarks.md` and the figures of README, or runs those of some crates and shows their rows.
///
/// # Errors
/// Errors if a crate has no bench, or if a bench can't be built, fails, or prints no row; nothing is written then.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let programs = bench_programs::all()?;
    let wanted = BenchSelection::read(arguments, &programs)?;
    let mut rows = Vec::new();
    for program in programs.iter().filter(|program| wanted.has(program)) {
        say(&format!("== {}: {}", program.krate, program.name));
        let Some(command) = program.ready(root())? else { continue };
        let found = measured(program, command, wanted.quick)?;
        if found.is_empty() {
            let Program { krate, name, .. } = program;
            return Err(format!(
                "`{krate}`, bench `{name}` printed no row: print them as becket_testkit::bench does"
            ));
        }
        rows.extend(found);
    }
    wanted.report(&rows)
}

impl BenchSelection {
    fn read(arguments: &[String], programs: &[Program]) -> Result<Self, String> {
        let mut known: Vec<&str> = programs.iter().map(|program| program.krate.as_str()).collect();
        known.dedup();
        let mut wanted = BenchSelection::default();
        for argument in arguments {
            match argument.as_str() {
                "--quick" => wanted.quick = true,
                krate if known.contains(&krate) => wanted.crates.push(krate.to_owned()),
                other => {
                    let known = known.join(", ");
                    return Err(format!("`{other}` is neither `--quick` nor a crate with benches: {known}"));
                }
            }
        }
        Ok(wanted)
    }

    fn has(&self, program: &Program) -> bool {
        self.crates.is_empty() || self.crates.contains(&program.krate)
    }

    fn report(&self, rows: &[Row]) -> Result<(), String> {
        let missed = rows.iter().filter(|row| row.ok == Some(false)).count();
        let counted = format!("{} rows, {missed} missed", rows.len());
        if !self.crates.is_empty() {
            let table = bench_report::table(rows);
            std::io::stdout().write_all(table.as_bytes()).map_err(|error| error.to_string())?;
            say(&format!("\n{counted}; docs/benchmarks.md is as it was"));
            return Ok(());
        }
        let path = root().join("docs/benchmarks.md");
        let page = bench_report::page(rows, &bench_report::machine(), self.quick);
        fs::write(&path, page).map_err(|error| format!("`{}`: {error}", path.display()))?;
        say(&format!("{counted}, in {}", path.display()));
        crate::readme::write()
    }
}

/// Runs one bench program, passes on its output, and collects its rows.
fn measured(program: &Program, mut command: Command, quick: bool) -> Result<Vec<Row>, String> {
    if quick {
        command.arg("--quick");
    }
    let message = |what: String| format!("`{}`, bench `{}`{what}", program.krate, program.name);
    let fail = |error: std::io::Error| message(format!(": {error}"));
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(fail)?;
    let mut rows = Vec::new();
    for line in child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines()) {
        let line = line.map_err(fail)?;
        match serde_json::from_str(&line) {
            Ok(row) => rows.push(row),
            Err(_) => say(&line),
        }
    }
    let status = child.wait().map_err(fail)?;
    if status.success() { Ok(rows) } else { Err(message(format!(" failed: {status}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_named_and_what_is_none_is_refused_before_anything_runs() {
        let read = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
            BenchSelection::read(&arguments, &bench_programs::all().unwrap())
        };
        assert_eq!(read(&[]), Ok(BenchSelection::default()));
        let crates = vec!["becket-bench".to_owned(), "becket-python".to_owned()];
        assert_eq!(
            read(&["becket-bench", "--quick", "becket-python"]),
            Ok(BenchSelection { quick: true, crates })
        );
        for wrong in ["--fast", "becket-pyton", "cli"] {
            let why = read(&[wrong]).unwrap_err();
            assert!(
                why.contains(wrong) && why.contains("--quick") && why.contains("becket-bench, "),
                "{why}"
            );
        }
    }

    #[test]
    fn only_what_is_wanted_runs() {
        let programs = bench_programs::all().unwrap();
        let some = BenchSelection { quick: false, crates: vec!["becket-python".to_owned()] };
        let names = |wanted: &BenchSelection| programs.iter().filter(|program| wanted.has(program)).count();
        assert_eq!((names(&BenchSelection::default()), names(&some)), (programs.len(), 1));
    }
}
