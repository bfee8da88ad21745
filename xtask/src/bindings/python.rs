//! The Python package: its wheel is built, installed outside of this workspace, and tested there.
//!
//! | step | tool |
//! |---|---|
//! | the program `becket`, without debug information, is put next to the module | cargo, strip |
//! | the wheel | maturin, in the workspace's target directory, so that crates are built once |
//! | the tests, those of the wheel included | pytest |
//! | the types, of the package and of its tests | mypy, pyright |
//!
//! Benchmarks have a separate package next to it, built with the profile `bench`.

use super::{BenchError, Build};
use crate::installed::{Places, text};
use crate::suites::leave_out;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds, installs and tests.
pub(super) fn test(root: &Path) -> Result<(), String> {
    let package = root.join("bindings/python");
    let places = Places::of_python(root);
    let python = interpreter(&places)?;
    let target = target(root)?;
    program(&package)?;
    let wheel = wheel(&package, &target, &python, Build::Dev)?;
    install(&python, &wheel, &["--force-reinstall"])?;
    let tested = |module: &str, arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(["-m", module]).args(arguments).current_dir(&package);
        command.env("BECKET_TEST_ROOT", root);
        run(&mut command, &format!("{module} of the Python package"))
    };
    tested("pytest", &["-p", "no:cacheprovider", "-rs"])?;
    tested("mypy", &["--cache-dir", &text(&target.join("bindings/mypy")), "-p", "becket"])?;
    pyright(&places, &package, &python)
}

/// Returns the command for `cargo xtask bench`.
///
/// # Errors
/// Errors if the Python tools are missing here, or if something can't be built.
pub(super) fn bench(root: &Path) -> Result<Command, BenchError> {
    let package = root.join("bindings/python");
    let python = interpreter(&Places::of_python(root)).map_err(BenchError::Missing)?;
    let target = target(root)?;
    // The program is not measured, so an old one may stay in the wheel.
    let scripts = package.join("data/scripts");
    fs::create_dir_all(&scripts).map_err(|error| format!("`{}`: {error}", scripts.display()))?;
    let wheel = wheel(&package, &target, &python, Build::Bench)?;
    let place = root.join("target/bindings/python/release");
    drop(fs::remove_dir_all(&place));
    install(&python, &wheel, &["--target", &text(&place)])?;
    let mut bench = Command::new(python);
    bench.arg(package.join("benches/callback.py")).env("PYTHONPATH", place);
    Ok(bench)
}

/// Returns the interpreter, with the dependencies of tests and builds.
fn interpreter(places: &Places) -> Result<PathBuf, String> {
    places.pypi_with(&["requirements.txt", "requirements-adapters.txt"], &["--no-compile"])
}

/// Installs the wheel, with these options.
fn install(python: &Path, wheel: &Path, options: &[&str]) -> Result<(), String> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]);
    run(pip.args(options).arg(wheel), "installing the wheel of Python")
}

/// Returns the target directory of the workspace.
pub(crate) fn target(root: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root);
    let metadata = cargo.output().map_err(|error| format!("can't run cargo: {error}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&metadata.stdout).map_err(|error| format!("`cargo metadata`: {error}"))?;
    let target = metadata["target_directory"].as_str().ok_or("`cargo metadata` names no target directory")?;
    Ok(PathBuf::from(target))
}

/// Builds the wheel with these programs.
pub(super) fn wheel_with(root: &Path, build: Build, programs: &[PathBuf]) -> Result<PathBuf, String> {
    let package = root.join("bindings/python");
    let python = interpreter(&Places::of_python(root))?;
    let scripts = scripts(&package)?;
    for program in programs {
        let to = scripts.join(program.file_name().unwrap_or_default());
        fs::copy(program, &to).map_err(|error| format!("`{}`: {error}", program.display()))?;
    }
    let wheel = wheel(&package, &target(root)?, &python, build);
    // The next wheel gets its own programs.
    drop(fs::remove_dir_all(&scripts));
    wheel
}

/// Returns the directory from which maturin takes programs, empty.
fn scripts(package: &Path) -> Result<PathBuf, String> {
    let scripts = package.join("data/scripts");
    drop(fs::remove_dir_all(&scripts));
    fs::create_dir_all(&scripts).map_err(|error| format!("`{}`: {error}", scripts.display()))?;
    Ok(scripts)
}

/// Puts the program where maturin expects it.
fn program(package: &Path) -> Result<(), String> {
    let made = crate::program::becket()?;
    let wanted = scripts(package)?.join("becket");
    let mut strip = Command::new("strip");
    let stripped = strip.arg("-o").arg(&wanted).arg(&made).status();
    if !stripped.is_ok_and(|status| status.success()) {
        fs::copy(&made, &wanted).map_err(|error| format!("`{}`: {error}", made.display()))?;
    }
    Ok(())
}

/// Builds the wheel.
fn wheel(package: &Path, target: &Path, python: &Path, build: Build) -> Result<PathBuf, String> {
    let wheels = target.join("bindings/wheels").join(build.directory());
    drop(fs::remove_dir_all(&wheels));
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--strip"]);
    match build {
        Build::Dev => drop(maturin.args(["--profile", build.profile()])),
        // `cargo rustc`, which maturin calls, builds the harness of benchmarks for a profile named `bench`.
        Build::Bench => drop(maturin.arg("--release").args(bench_profile_as_release(package)?)),
    }
    maturin.arg("--manifest-path").arg(package.join("Cargo.toml"));
    maturin.arg("--target-dir").arg(target).arg("--out").arg(&wheels);
    run(maturin.args(["--interpreter", "python3"]).current_dir(package), "building the wheel of Python")?;
    let mut made = fs::read_dir(&wheels).map_err(|error| format!("`{}`: {error}", wheels.display()))?;
    let wheel = made.next().and_then(Result::ok);
    wheel.map(|wheel| wheel.path()).ok_or_else(|| format!("maturin left no wheel in `{}`", wheels.display()))
}

/// Returns the options that give the profile `release` the settings of `bench`.
fn bench_profile_as_release(package: &Path) -> Result<Vec<String>, String> {
    let manifest = package.ancestors().nth(2).unwrap_or(package).join("Cargo.toml");
    let fail = |error: &dyn std::fmt::Display| format!("`{}`: {error}", manifest.display());
    let text = fs::read_to_string(&manifest).map_err(|error| fail(&error))?;
    let parsed: toml_edit::DocumentMut = text.parse().map_err(|error| fail(&error))?;
    let bench = parsed.get("profile").and_then(|profiles| profiles.get("bench")?.as_table_like());
    let mut settings = Vec::new();
    add_settings("profile.release", bench.ok_or_else(|| fail(&"it has no profile `bench`"))?, &mut settings);
    Ok(settings.into_iter().flat_map(|setting| ["--config".to_owned(), setting]).collect())
}

/// Adds the settings of a table, each with its dotted key: cargo takes no tables as arguments.
fn add_settings(prefix: &str, table: &dyn toml_edit::TableLike, settings: &mut Vec<String>) {
    for (key, value) in table.iter() {
        match value.as_table_like() {
            Some(below) => add_settings(&format!("{prefix}.{key}"), below, settings),
            None => settings.push(format!("{prefix}.{key}={}", value.to_string().trim())),
        }
    }
}

/// Runs the second type checker.
fn pyright(places: &Places, package: &Path, python: &Path) -> Result<(), String> {
    let program = match places.npm("npm") {
        Ok(modules) => modules.join("pyright/index.js"),
        Err(reason) => {
            leave_out("pyright of the Python package", &reason);
            return Ok(());
        }
    };
    let mut node = Command::new("node");
    node.arg(program).arg("--pythonpath").arg(python).current_dir(package);
    run(&mut node, "pyright of the Python package")
}

/// Runs a step to its end.
pub(crate) fn run(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{what}: can't run it: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{what} failed: see above")) }
}
