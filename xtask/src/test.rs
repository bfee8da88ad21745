//! `cargo xtask test`: installs what the tests need, then runs every test.

use crate::installed::apt;
use crate::{mcp_fixture, model_fixture, root, say, sdk_fixture, suites};
use quick_junit::{Report, TestCaseStatus};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Programs that tests start, with the Debian package of each.
const NEEDED: [(&str, &str); 8] = [
    ("git", "git"),
    ("python3", "python3"),
    ("tmux", "tmux"),
    ("bash", "bash"),
    ("groff", "groff-base"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("nvim", "neovim"),
];

/// The time after which no further suite starts, so that a run on a slow machine ends within its 90 minutes.
const SUITES_START_WITHIN: Duration = Duration::from_mins(50);

/// Installs the missing programs, runs all tests, then the suites whose inputs have changed. With arguments, which go
/// to the test runner, only the tests.
///
/// # Errors
/// Errors if some tests failed, or if something they need is missing.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    install(&missing())?;
    let started = Instant::now();
    // Fixtures are downloaded, and compiling needs the processors, so both run at the same time.
    let (environment, built) = std::thread::scope(|scope| {
        let fixtures = scope.spawn(fixtures);
        let built = succeed(&mut cargo(&["test", "--workspace", "--no-run", "--quiet"]));
        (fixtures.join().map_err(|_| "preparing the fixtures failed: see above".to_owned()), built)
    });
    built.map_err(|_| "the tests don't compile: see above".to_owned())?;
    let environment = environment??;
    say(&format!("tests built and fixtures ready after {} s", started.elapsed().as_secs()));
    let report = test_report();
    drop(std::fs::remove_file(&report));
    let tests =
        succeed(runner(arguments).envs(environment)).map_err(|message| failures(&report).unwrap_or(message));
    let others = if arguments.is_empty() {
        vec![documentation(), suites::run(&[], Some(started + SUITES_START_WITHIN))]
    } else {
        Vec::new()
    };
    say(&format!("done after {} s", started.elapsed().as_secs()));
    let failed: Vec<String> = std::iter::once(tests).chain(others).filter_map(Result::err).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Returns the path of the report that nextest writes with the profile in use.
#[expect(clippy::disallowed_methods, reason = "a chore of the workspace, started by a person")]
fn test_report() -> PathBuf {
    let profile = std::env::var("NEXTEST_PROFILE").unwrap_or_else(|_| "default".to_owned());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("nextest").join(profile).join("junit.xml")
}

/// The number of last lines of a failed test's output that are repeated.
const REPEATED_LINES: usize = 12;

/// Returns the names of the failed tests with the end of their output, or `None` if no report names them.
fn failures(report: &Path) -> Option<String> {
    let file = std::fs::File::open(report).ok()?;
    let report = Report::deserialize(std::io::BufReader::new(file)).ok()?;
    let cases =
        report.test_suites.iter().flat_map(|suite| suite.test_cases.iter().map(move |case| (suite, case)));
    let failed = cases.filter(|(_, case)| matches!(case.status, TestCaseStatus::NonSuccess { .. }));
    let texts: Vec<String> = failed
        .map(|(suite, case)| {
            let output = [&case.system_out, &case.system_err].into_iter().flatten();
            let lines: Vec<&str> = output.flat_map(|text| text.as_str().lines()).collect();
            let last = &lines[lines.len().saturating_sub(REPEATED_LINES)..];
            format!("FAILED: {} {}\n    {}", suite.name.as_str(), case.name.as_str(), last.join("\n    "))
        })
        .collect();
    (!texts.is_empty()).then(|| format!("{}\nfailed tests: {}", texts.join("\n"), texts.len()))
}

/// Prepares the models, servers and SDKs that tests start; returns the variables that name them.
fn fixtures() -> Result<Vec<(&'static str, OsString)>, String> {
    let mut environment = model_fixture::prepare(root()).environment()?;
    let texts = mcp_fixture::prepare(root()).environment.into_iter().chain(sdk_fixture::prepare(root()));
    environment.extend(texts.map(|(name, value)| (name, value.into())));
    Ok(environment)
}

/// Returns the test runner: cargo-nextest, which gives each test a separate process, or else cargo.
///
/// Most tests wait for processes, so more of them run at once than there are processors.
fn runner(arguments: &[String]) -> Command {
    let threads = (4 * std::thread::available_parallelism().map_or(2, usize::from)).to_string();
    let has_nextest = cargo(&["nextest", "--version"]).output().is_ok_and(|output| output.status.success());
    let mut command = if has_nextest {
        let mut command = cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]);
        command.env("NEXTEST_TEST_THREADS", &threads);
        command
    } else {
        cargo(&["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"])
    };
    command.args(arguments).env("RUST_TEST_THREADS", threads);
    if let Some(path) = python_first() {
        command.env("PATH", path);
    }
    command
}

/// Returns the search path with the directory of the Python interpreter first, or `None` if that is already the case.
///
/// A version manager such as pyenv starts some forty processes before the interpreter, and tests start hundreds
/// of hooks in Python.
#[expect(clippy::disallowed_methods, reason = "a chore of the workspace, started by a person")]
fn python_first() -> Option<OsString> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let interpreter = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let directory = interpreter.parent().filter(|directory| directory.is_absolute())?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).find(|dir| dir.join("python3").is_file());
    if first.as_deref() == Some(directory) {
        return None;
    }
    let rest = std::env::split_paths(&path);
    std::env::join_paths(std::iter::once(directory.to_owned()).chain(rest)).ok()
}

/// Runs the examples in the documentation, which nextest leaves out.
fn documentation() -> Result<(), String> {
    let passed = succeed(&mut cargo(&["test", "--workspace", "--doc", "--quiet", "--no-fail-fast"]));
    passed.map_err(|_| "examples in the documentation failed: `cargo test --workspace --doc`".to_owned())
}

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).current_dir(root());
    cargo
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("can't run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("some tests failed: see above".to_owned()) }
}

fn missing() -> Vec<(&'static str, &'static str)> {
    NEEDED.into_iter().filter(|(program, _)| !on_path(program)).collect()
}

#[expect(clippy::disallowed_methods, reason = "a chore of the workspace, started by a person")]
fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Installs programs through apt if it exists; otherwise reports which are missing.
fn install(missing: &[(&str, &str)]) -> Result<(), String> {
    if missing.is_empty() {
        return Ok(());
    }
    let programs = missing.iter().map(|(program, _)| *program).collect::<Vec<_>>().join(", ");
    if !Path::new("/usr/bin/apt-get").exists() {
        return Err(format!("the tests start {programs}: install what is missing and run this again"));
    }
    say(&format!("installing what the tests start: {programs}"));
    apt(&["update", "-q"])?;
    let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    apt(&[&["install", "-q", "-y", "--no-install-recommends"], packages.as_slice()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quick_junit::{NonSuccessKind, TestCase, TestSuite};

    #[test]
    fn failed_tests_are_named_with_the_end_of_their_output() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(failures(file.path()), None, "no report");
        let mut suite = TestSuite::new("becket-cli::cli");
        suite.add_test_case(TestCase::new("fire::passes", TestCaseStatus::success()));
        let mut failed = TestCase::new("fire::fails", TestCaseStatus::non_success(NonSuccessKind::Failure));
        failed.set_system_err((0..40).map(|line| format!("line {line}\n")).collect::<String>());
        suite.add_test_case(failed);
        let mut report = Report::new("nextest-run");
        report.add_test_suite(suite);
        report.serialize(file.as_file()).unwrap();
        let text = failures(file.path()).unwrap();
        assert!(text.starts_with("FAILED: becket-cli::cli fire::fails\n"), "{text}");
        assert!(text.ends_with("line 39\nfailed tests: 1"), "{text}");
        assert!(!text.contains("fire::passes") && !text.contains("line 27\n"), "{text}");
    }
}
