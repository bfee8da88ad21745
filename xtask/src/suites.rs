//! Long suites. Each runs when its inputs have changed since it last passed, as `xtask/passed.json` records.
//!
//! A suite runs as a process group of its own under a limit, so that one that hangs ends instead of the whole run.

use crate::{root, say};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A suite that is too long for every run.
struct Suite {
    /// The chore that runs it.
    name: &'static str,
    limit: Duration,
    /// Paths below the root; everything that git tracks there counts.
    inputs: &'static [&'static str],
}

const SUITES: [Suite; 3] = [
    Suite {
        name: "bindings",
        limit: Duration::from_mins(20),
        inputs: &[
            "bindings",
            "crates/becket-model",
            "crates/becket-rules",
            "crates/becket-process",
            "crates/becket-llm",
            "crates/becket-engine",
            "crates/becket-mcp",
            "crates/becket-embed",
            "spec",
            "xtask/src/bindings",
            "Cargo.lock",
        ],
    },
    Suite {
        name: "conformance",
        limit: Duration::from_mins(15),
        inputs: &[
            "crates/becket-mcp",
            "crates/becket-process",
            "xtask/src/conformance.rs",
            "xtask/src/conformance_suite.rs",
            "Cargo.lock",
        ],
    },
    Suite {
        name: "deny",
        limit: Duration::from_mins(15),
        inputs: &["Cargo.lock", "deny.toml", "xtask/src/deny.rs"],
    },
];

/// Runs the suites whose inputs have changed; with `--all`, all of them; with names, those.
///
/// # Errors
/// A suite failed or took longer than its limit. The others have run.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let all = arguments.iter().any(|argument| argument == "--all");
    let named: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| SUITES.iter().all(|suite| suite.name != **name)) {
        let known = SUITES.map(|suite| suite.name).join("`, `");
        return Err(format!("`{unknown}` is not a suite: the suites are `{known}`"));
    }
    let mut failed = Vec::new();
    for suite in
        SUITES.iter().filter(|suite| named.is_empty() || named.iter().any(|name| *name == suite.name))
    {
        let inputs = digest(suite.inputs)?;
        if !all && named.is_empty() && recorded(suite.name) == Some(inputs.clone()) {
            say(&format!("SKIPPED: suite `{}`: its inputs have not changed since it passed", suite.name));
            continue;
        }
        say(&format!("suite `{}`, at most {} minutes", suite.name, suite.limit.as_secs() / 60));
        match supervise(suite) {
            Ok(()) => record(suite.name, inputs)?,
            Err(error) => {
                say(&error);
                failed.push(suite.name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("suites failed: {}", failed.join(", "))) }
}

/// Runs a suite as its chore, in a process group that ends with the limit.
fn supervise(suite: &Suite) -> Result<(), String> {
    // By cargo: the tests' build may have put another `xtask` in the place of this one.
    let mut child = Command::new(env!("CARGO"))
        .args(["xtask", suite.name])
        .current_dir(root())
        .process_group(0)
        .spawn()
        .map_err(|error| format!("can't start suite `{}`: {error}", suite.name))?;
    let deadline = Instant::now() + suite.limit;
    loop {
        match child.try_wait().map_err(|error| format!("suite `{}`: {error}", suite.name))? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("suite `{}` failed: {status}", suite.name)),
            None if Instant::now() >= deadline => return Err(end(suite, &mut child)),
            None => sleep(Duration::from_millis(200)),
        }
    }
}

/// Ends a suite that ran past its limit, with everything that it started.
fn end(suite: &Suite, child: &mut Child) -> String {
    let group = format!("-{}", child.id());
    drop(Command::new("kill").args(["-KILL", "--", &group]).status());
    drop(child.wait());
    format!("suite `{}` took longer than {} minutes and was ended", suite.name, suite.limit.as_secs() / 60)
}

/// Returns the digest of the files that git tracks below `inputs`, as they are on the disk.
fn digest(inputs: &[&str]) -> Result<String, String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--"])
        .args(inputs)
        .current_dir(root())
        .output()
        .map_err(|error| format!("can't run git: {error}"))?;
    let mut digest = Sha256::new();
    for name in listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let path = root().join(String::from_utf8_lossy(name).as_ref());
        // A file that is gone counts, too: its name is hashed without a content.
        let content = fs::read(&path).unwrap_or_default();
        digest.update(name);
        digest.update([0]);
        digest.update(Sha256::digest(content));
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn record_file() -> PathBuf {
    root().join("xtask/passed.json")
}

fn records() -> Map<String, Value> {
    let text = fs::read_to_string(record_file()).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn recorded(suite: &str) -> Option<String> {
    records().get(suite)?.as_str().map(ToOwned::to_owned)
}

/// Records that a suite passed with these inputs.
fn record(suite: &str, inputs: String) -> Result<(), String> {
    let mut records = records();
    records.insert(suite.to_owned(), inputs.into());
    let text = format!("{:#}\n", Value::Object(records));
    fs::write(record_file(), text).map_err(|error| format!("`{}`: {error}", record_file().display()))
}
