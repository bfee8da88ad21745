//! Long suites. Each runs when its inputs have changed since it last passed, as `xtask/passed.json` records.
//!
//! A suite runs as a process group of its own under a limit, so that one that hangs ends instead of the whole run.
//!
//! INVARIANT: only a suite that passed whole is recorded. One that left a part out, because a registry could not be reached or a
//! program is missing, says so and runs again the next time.

use crate::{root, say};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A suite that is too long for every run.
struct Suite {
    /// The chore that runs it.
    name: &'static str,
    limit: Duration,
    chore: fn(&[String]) -> Result<(), String>,
    /// Packages that it builds: their directories count, and those of all packages of the workspace that they depend on.
    packages: &'static [&'static str],
    /// Further paths below the root.
    inputs: &'static [&'static str],
}

const SUITES: [Suite; 9] = [
    Suite {
        name: "agents",
        limit: Duration::from_mins(15),
        chore: crate::agents::suite,
        packages: &["becket-cli", "becket-proof"],
        inputs: &[
            "examples/guarded-repo",
            "xtask/src/agents",
            "xtask/src/agents.rs",
            "xtask/src/installed.rs",
            "xtask/src/program.rs",
            "Cargo.toml",
            "Cargo.lock",
        ],
    },
    Suite {
        name: "bindings",
        limit: Duration::from_mins(40),
        chore: crate::bindings::run,
        packages: &["becket-node", "becket-python", "becket-cli"],
        inputs: &[
            "spec",
            "README.md",
            "docs/guide/node.md",
            "docs/guide/python.md",
            "docs/guide/python-frameworks.md",
            "docs/guide/agent-hooks.md",
            "examples",
            "xtask/src/bindings",
            "xtask/src/bindings.rs",
            "xtask/src/installed.rs",
            "xtask/src/program.rs",
            "Cargo.toml",
            "Cargo.lock",
        ],
    },
    Suite {
        name: "conformance",
        limit: Duration::from_mins(15),
        chore: crate::conformance::run,
        packages: &["becket-mcp"],
        inputs: &[
            "xtask/src/conformance.rs",
            "xtask/src/conformance_suite.rs",
            "xtask/src/installed.rs",
            "Cargo.toml",
            "Cargo.lock",
        ],
    },
    Suite {
        name: "deny",
        limit: Duration::from_mins(15),
        chore: crate::deny::run,
        packages: &[],
        inputs: &["Cargo.toml", "Cargo.lock", "deny.toml", "xtask/src/deny.rs"],
    },
    Suite {
        name: "packages",
        limit: Duration::from_mins(25),
        chore: crate::packages::run,
        // A change of the programs changes nothing about how they are packed: it does not make all packages again.
        packages: &[],
        inputs: &[
            "bindings/node/bin",
            "bindings/node/lib/native.js",
            "bindings/node/lib/platform.js",
            "bindings/node/package.json",
            "bindings/python/pyproject.toml",
            "crates/becket-cli/Cargo.toml",
            "crates/becket-cli/src/installation",
            "crates/becket-cli/src/installation.rs",
            "README.md",
            "install.sh",
            "xtask/fixtures/packages",
            "xtask/src/archive.rs",
            "xtask/src/packages",
            "xtask/src/packages.rs",
            "Cargo.toml",
        ],
    },
    Suite {
        name: "page",
        limit: Duration::from_mins(15),
        chore: crate::page::suite,
        packages: &[],
        inputs: &[
            "crates/becket-lab/src/profile",
            "crates/becket-lab/tests/page",
            "crates/becket-fire/src/times",
            "xtask/src/page.rs",
        ],
    },
    Suite {
        name: "replay",
        limit: Duration::from_mins(15),
        chore: crate::replay::suite,
        packages: &["becket-lab"],
        inputs: &["crates/becket-cli/src/commands/replay.rs", "xtask/src/replay.rs", "xtask/src/program.rs"],
    },
    Suite {
        name: "site",
        limit: Duration::from_mins(15),
        chore: crate::site::suite,
        packages: &[],
        inputs: &[
            "docs",
            "schemas",
            "xtask/fixtures/site",
            "xtask/src/installed.rs",
            "xtask/src/page.rs",
            "xtask/src/site",
            "xtask/src/site.rs",
        ],
    },
    Suite {
        name: "workflows",
        limit: Duration::from_mins(15),
        chore: crate::workflows::suite,
        packages: &[],
        inputs: &[
            ".github",
            ".pre-commit-hooks.yaml",
            "action.yml",
            "crates/becket-cli/src/args.rs",
            "crates/becket-cli/src/commands/check",
            "crates/becket-cli/src/commands/check.rs",
            "crates/becket-cli/src/report/github.rs",
            "crates/becket-engine/src/config",
            "xtask/fixtures/workflows",
            "xtask/src/program.rs",
            "xtask/src/workflows",
            "xtask/src/workflows.rs",
        ],
    },
];

/// The exit code of a suite that passed without some of its parts.
const IN_PART: u8 = 3;

/// True if the suite that this process runs has left a part out.
static LEFT_OUT: AtomicBool = AtomicBool::new(false);

/// Says that a part of a suite is left out, and why. The suite is not recorded as passed.
pub(crate) fn leave_out(part: &str, reason: &str) {
    LEFT_OUT.store(true, Ordering::Relaxed);
    say(&format!("SKIPPED: {part}: {reason}"));
}

/// `cargo xtask suite NAME`: the process of one suite.
pub(crate) fn run_one(arguments: &[String]) -> ExitCode {
    let suite = SUITES.iter().find(|suite| arguments == [suite.name]);
    let done =
        suite.map_or_else(|| Err("`suite` takes the name of a suite".to_owned()), |suite| (suite.chore)(&[]));
    match done {
        Ok(()) if LEFT_OUT.load(Ordering::Relaxed) => ExitCode::from(IN_PART),
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// Runs the suites whose inputs have changed; with `--all`, all of them; with names, those. None starts after `start_by`:
/// it is skipped, and runs the next time.
///
/// # Errors
/// A suite failed or took longer than its limit. The others have run.
pub(crate) fn run(arguments: &[String], start_by: Option<Instant>) -> Result<(), String> {
    let all = arguments.iter().any(|argument| argument == "--all");
    let named: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| SUITES.iter().all(|suite| suite.name != **name)) {
        let known = SUITES.map(|suite| suite.name).join("`, `");
        return Err(format!("`{unknown}` is not a suite: the suites are `{known}`"));
    }
    let is_wanted = |suite: &&Suite| named.is_empty() || named.iter().any(|name| *name == suite.name);
    let is_asked_for = all || !named.is_empty();
    let mut failed = Vec::new();
    for suite in SUITES.iter().filter(is_wanted) {
        if let Err(error) = run_if_changed(suite, is_asked_for, start_by) {
            say(&error);
            failed.push(suite.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("suites failed: {}", failed.join(", "))) }
}

/// Runs a suite unless it passed with the same inputs, and records that it passed.
fn run_if_changed(suite: &Suite, is_asked_for: bool, start_by: Option<Instant>) -> Result<(), String> {
    let inputs = digest(suite).inspect_err(|why| say(&format!("suite `{}` runs: {why}", suite.name))).ok();
    let records = Records::at(&root().join("xtask/passed.json"));
    if let (Some(passed), false) = (records.passed(suite.name, inputs.as_deref()), is_asked_for) {
        let again = format!("`cargo xtask suites {}` runs it", suite.name);
        say(&format!(
            "SKIPPED: suite `{}`: its inputs are those with which it passed last, in {} s; {again}",
            suite.name, passed.seconds
        ));
        return Ok(());
    }
    let started = Instant::now();
    if start_by.is_some_and(|start_by| started > start_by) {
        say(&format!(
            "SKIPPED: suite `{name}`: this run has no time left for it; it runs the next time, or by `cargo xtask suites {name}`",
            name = suite.name
        ));
        return Ok(());
    }
    say(&format!("suite `{}`, at most {} minutes", suite.name, suite.limit.as_secs() / 60));
    // Not by the path of this process: a suite may have built another xtask in its place.
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "xtask", "--", "suite", suite.name]).current_dir(root());
    let ended = supervise(suite.name, suite.limit, &mut command)?;
    let seconds = started.elapsed().as_secs();
    match (ended, inputs) {
        (SuiteEnd::Passed, Some(inputs)) => {
            say(&format!("suite `{}` passed after {seconds} s", suite.name));
            records.record(suite.name, PassRecord { inputs, seconds })
        }
        (SuiteEnd::Passed, None) => Ok(()),
        (SuiteEnd::PassedInPart, _) => {
            say(&format!("suite `{}` passed without the parts named above, and will run again", suite.name));
            Ok(())
        }
    }
}

/// The end of a suite that did not fail.
#[derive(Debug, PartialEq, Eq)]
enum SuiteEnd {
    Passed,
    PassedInPart,
}

/// Runs a suite in a process group that ends with the limit.
fn supervise(name: &str, limit: Duration, command: &mut Command) -> Result<SuiteEnd, String> {
    let mut child =
        command.process_group(0).spawn().map_err(|error| format!("can't start suite `{name}`: {error}"))?;
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait().map_err(|error| format!("suite `{name}`: {error}"))? {
            Some(status) if status.success() => return Ok(SuiteEnd::Passed),
            Some(status) if status.code() == Some(IN_PART.into()) => return Ok(SuiteEnd::PassedInPart),
            Some(status) => return Err(format!("suite `{name}` failed: {status}")),
            None if Instant::now() >= deadline => {
                end(&mut child);
                return Err(format!("suite `{name}` took longer than {} s and was ended", limit.as_secs()));
            }
            None => sleep(Duration::from_millis(200)),
        }
    }
}

/// Ends a suite that ran past its limit, with everything in its process group.
fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    drop(Command::new("kill").args(["-KILL", "--", &group]).status());
    drop(child.wait());
}

/// Returns the digest of the inputs of a suite, as they are on the disk, and of the platform.
///
/// # Errors
/// The inputs can't be listed, so nothing is known about them.
fn digest(suite: &Suite) -> Result<String, String> {
    let mut paths: BTreeSet<PathBuf> = suite.inputs.iter().map(PathBuf::from).collect();
    paths.extend(directories(suite.packages)?);
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"])
        .args(&paths)
        .current_dir(root())
        .output()
        .map_err(|error| format!("can't run git: {error}"))?;
    let names: BTreeSet<&[u8]> =
        listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
    if !listed.status.success() || names.is_empty() {
        return Err("git does not list its inputs".to_owned());
    }
    let mut digest = Sha256::new();
    digest.update(format!("{} {}\n", std::env::consts::OS, std::env::consts::ARCH));
    for name in names {
        let path = root().join(String::from_utf8_lossy(name).as_ref());
        // A file that is gone counts, too: its name is hashed without a content.
        let content = fs::read(&path).unwrap_or_default();
        digest.update(name);
        digest.update([0]);
        digest.update(Sha256::digest(content));
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the directories of packages of the workspace, and of those that they depend on, below the root.
fn directories(packages: &[&str]) -> Result<Vec<PathBuf>, String> {
    if packages.is_empty() {
        return Ok(Vec::new());
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root());
    let output = cargo.output().map_err(|error| format!("can't run cargo: {error}"))?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("`cargo metadata`: {error}"))?;
    let all: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|package| Some((package["name"].as_str()?, package)))
        .collect();
    let (mut found, mut waiting) = (BTreeSet::new(), packages.to_vec());
    while let Some(name) = waiting.pop() {
        let package = all.get(name).ok_or_else(|| format!("`{name}` is not a package of the workspace"))?;
        if found.insert(name) {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            waiting.extend(
                dependencies.filter(|one| one["path"].is_string()).filter_map(|one| one["name"].as_str()),
            );
        }
    }
    let directory = |name: &&str| {
        let manifest = Path::new(all[name]["manifest_path"].as_str()?);
        Some(manifest.parent()?.strip_prefix(root()).ok()?.to_owned())
    };
    Ok(found.iter().filter_map(directory).collect())
}

/// A suite that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PassRecord {
    /// The digest of its inputs.
    inputs: String,
    /// The duration.
    seconds: u64,
}

/// The suites that passed, in a file.
struct Records {
    file: PathBuf,
    all: BTreeMap<String, PassRecord>,
}

impl Records {
    /// Reads the file. One that is missing or can't be read records nothing.
    fn at(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        Records { file: file.to_owned(), all: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// Returns the record of a suite if it passed with these inputs.
    fn passed(&self, suite: &str, inputs: Option<&str>) -> Option<&PassRecord> {
        self.all.get(suite).filter(|passed| inputs == Some(passed.inputs.as_str()))
    }

    fn record(mut self, suite: &str, passed: PassRecord) -> Result<(), String> {
        self.all.insert(suite.to_owned(), passed);
        let text = serde_json::to_string_pretty(&self.all).map_err(|error| error.to_string())?;
        fs::write(&self.file, text + "\n").map_err(|error| format!("`{}`: {error}", self.file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_suite_passes_passes_in_part_fails_or_ends_at_its_limit() {
        let run = |script: &str, limit| supervise("x", limit, &mut shell(script));
        let long = Duration::from_mins(1);
        assert_eq!(run("exit 0", long), Ok(SuiteEnd::Passed));
        assert_eq!(run("exit 3", long), Ok(SuiteEnd::PassedInPart));
        assert!(run("exit 1", long).unwrap_err().contains("failed"));
        assert!(run("kill -9 $$", long).unwrap_err().contains("failed"));
        let started = Instant::now();
        let why = run("sleep 600 & sleep 600", Duration::from_millis(300)).unwrap_err();
        assert!(why.contains("took longer") && started.elapsed() < long, "{why}");
    }

    #[test]
    fn a_record_counts_for_the_same_inputs_alone() {
        let dir = std::env::temp_dir().join(format!("becket-suites-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let file = dir.join("passed.json");
        let passed = PassRecord { inputs: "a".into(), seconds: 7 };
        assert_eq!(Records::at(&file).passed("x", Some("a")), None);
        Records::at(&file).record("x", passed.clone()).unwrap();
        let records = Records::at(&file);
        assert_eq!(records.passed("x", Some("a")), Some(&passed));
        for (suite, inputs) in [("x", Some("b")), ("x", None), ("y", Some("a"))] {
            assert_eq!(records.passed(suite, inputs), None, "{suite} {inputs:?}");
        }
        for broken in ["", "{", r#"{"x": "a"}"#, "[]"] {
            fs::write(&file, broken).unwrap();
            assert_eq!(Records::at(&file).passed("x", Some("a")), None, "{broken}");
        }
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn inputs_are_there_and_follow_the_dependencies() {
        for suite in &SUITES {
            for input in suite.inputs {
                assert!(root().join(input).exists(), "{}: `{input}` is gone", suite.name);
            }
            assert_eq!(digest(suite), digest(suite));
        }
        let found = directories(&["becket-python"]).unwrap();
        for expected in
            ["bindings/python", "crates/becket-embed", "crates/becket-engine", "crates/becket-model"]
        {
            assert!(found.contains(&PathBuf::from(expected)), "{expected}: {found:?}");
        }
        assert!(directories(&["becket-nothing"]).is_err());
    }
}
