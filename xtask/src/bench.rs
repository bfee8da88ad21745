//! `cargo xtask bench`: finds the bench programs, runs them one after another, collects their rows.
//!
//! A crate takes part by having files in `benches/` that print rows through `becket_testkit::bench`, and a `[[bench]]`
//! with `harness = false` for each.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench_report::{self, Row};
use crate::installed::{Places, text};
use crate::{root, say};

/// Runs all benches and writes `docs/benchmarks.md`.
///
/// # Errors
/// A bench can't be built, fails, or prints no row; nothing is written then.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let quick = match arguments {
        [] => false,
        [flag] if flag == "--quick" => true,
        other => return Err(format!("`{}`: only `--quick` is known", other.join(" "))),
    };
    let sdk = Places::of(root()).npm("npm");
    if let Err(reason) = &sdk {
        say(&format!("SKIPPED: rows with the TypeScript SDK: {reason}"));
    }
    let environment: Vec<_> = sdk.iter().map(|modules| ("BECKET_BENCH_MCP_SDK", text(modules))).collect();
    let mut rows = Vec::new();
    for (krate, bench) in discover(&root().join("crates"))? {
        say(&format!("== {krate}: {bench}"));
        let found = measure(&krate, &bench, quick, &environment)?;
        if found.is_empty() {
            return Err(format!(
                "`{krate}`, bench `{bench}` printed no row: print them through becket_testkit::bench"
            ));
        }
        rows.extend(found);
    }
    let report = bench_report::render(&rows, &bench_report::machine(), quick);
    let path = root().join("docs/benchmarks.md");
    fs::write(&path, report).map_err(|error| format!("`{}`: {error}", path.display()))?;
    let missed = rows.iter().filter(|row| row.ok == Some(false)).count();
    say(&format!("{} rows, {missed} missed, in {}", rows.len(), path.display()));
    Ok(())
}

/// All `crates/<crate>/benches/<bench>.rs`, in order.
fn discover(crates: &Path) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    for krate in names(crates)? {
        for file in names(&crates.join(&krate).join("benches")).unwrap_or_default() {
            if let Some(bench) = file.strip_suffix(".rs") {
                found.push((krate.clone(), bench.to_owned()));
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

/// Runs one bench program, passes on what it says, and keeps its rows.
fn measure(
    krate: &str,
    bench: &str,
    quick: bool,
    environment: &[(&str, String)],
) -> Result<Vec<Row>, String> {
    let mut command = Command::new("cargo");
    command.current_dir(root()).args(["bench", "--quiet", "--package", krate, "--bench", bench]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    if quick {
        command.args(["--", "--quick"]);
    }
    let fail = |error: std::io::Error| format!("`{krate}`, bench `{bench}`: {error}");
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
    if status.success() { Ok(rows) } else { Err(format!("`{krate}`, bench `{bench}` failed: {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_file_is_found() {
        let found = discover(&root().join("crates")).unwrap();
        assert!(found.contains(&("becket-process".into(), "process".into())), "{found:?}");
    }

    #[test]
    fn an_unknown_flag_is_refused_before_anything_runs() {
        assert!(run(&["--fast".into()]).unwrap_err().contains("--quick"));
    }
}
