//! The Node package: it is packed as npm packs it, installed outside of this workspace, and tested there.
//!
//! | step | tool |
//! |---|---|
//! | the engine, without debug information, is put into the package | cargo, strip |
//! | the package is packed, and unpacked next to the dependencies of the tests | npm, tar |
//! | the tests, those of the packed file included | `node --test` |
//! | the types, of the package and of a program that uses them | tsc |
//!
//! Benchmarks have a separate package next to it, built with the profile `bench`.

use super::python::{run, target};
use super::{BenchError, Build};
use crate::installed::{Places, text, there_is};
use crate::suites::leave_out;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds, installs and tests.
pub(super) fn test(root: &Path) -> Result<(), String> {
    let package = root.join("bindings/node");
    let place = root.join("target/bindings/node/npm");
    let missing = Places::of_node(root).npm("npm").err();
    let program = crate::program::becket()?;
    let packed = built(root, &package, Build::Dev)?;
    installed(&package, &packed, &place, "tests")?;
    let mut tests = Command::new("node");
    tests.arg("--test").current_dir(place.join("tests"));
    tests.env("BECKET_TEST_ROOT", root).env("BECKET_TEST_PACKED", &packed);
    tests.env("BECKET_TEST_PROGRAM", program);
    if let Some(reason) = &missing {
        leave_out("the types and the adapters of the Node package", reason);
        tests.env("BECKET_TEST_NODE_SKIP", reason);
    }
    run(&mut tests, "the tests of the Node package")?;
    if missing.is_some() {
        return Ok(());
    }
    let mut types = Command::new("node");
    types.arg(place.join("node_modules/typescript/bin/tsc")).args(["--project", "tests/tsconfig.json"]);
    run(types.current_dir(&place), "tsc of the Node package")
}

/// Returns the command for `cargo xtask bench`.
///
/// # Errors
/// Errors if Node or npm are missing here, or if something can't be built.
pub(super) fn bench(root: &Path) -> Result<Command, BenchError> {
    there_is("node").and_then(|()| there_is("npm")).map_err(BenchError::Missing)?;
    let package = root.join("bindings/node");
    let packed = built(root, &package, Build::Bench)?;
    let place = root.join("target/bindings/node/release");
    installed(&package, &packed, &place, "benches")?;
    let mut bench = Command::new("node");
    bench.arg(place.join("benches/callback.mjs"));
    Ok(bench)
}

/// Builds the package; returns the file that npm would publish.
fn built(root: &Path, package: &Path, build: Build) -> Result<PathBuf, String> {
    engine(root, build)?;
    packed(package, &root.join("target/bindings/node").join(build.directory()))
}

/// Puts the engine where the package loads it from, and returns its path.
pub(super) fn engine(root: &Path, build: Build) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "becket-node", "--profile", build.profile()]);
    run(cargo.current_dir(root), "building the engine for Node")?;
    let named =
        Command::new("node").args(["-p", "`becket.${process.platform}-${process.arch}.node`"]).output();
    let named = named.map_err(|error| format!("can't run node: {error}"))?;
    let wanted = root.join("bindings/node").join(String::from_utf8_lossy(&named.stdout).trim());
    let name = format!("{}becket_node{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let made = target(root)?.join(build.directory()).join(name);
    let stripped = Command::new("strip").arg("--strip-debug").arg("-o").arg(&wanted).arg(&made).status();
    if !stripped.is_ok_and(|status| status.success()) {
        fs::copy(&made, &wanted).map_err(|error| format!("`{}`: {error}", made.display()))?;
    }
    Ok(wanted)
}

/// Packs the package into `place`; returns the file.
fn packed(package: &Path, place: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(place).map_err(|error| format!("`{}`: {error}", place.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--loglevel=error", "--pack-destination"]).arg(place).current_dir(package);
    let packed = npm.stderr(Stdio::inherit()).output().map_err(|error| format!("can't run npm: {error}"))?;
    let name = String::from_utf8_lossy(&packed.stdout).trim().to_owned();
    if packed.status.success() {
        Ok(place.join(name))
    } else {
        Err("`npm pack` failed: see above".to_owned())
    }
}

/// Puts the package next to the dependencies of its `programs`, and the programs there, too.
fn installed(package: &Path, packed: &Path, place: &Path, programs: &str) -> Result<(), String> {
    let (module, copied) = (place.join("node_modules/becket"), place.join(programs));
    for directory in [&module, &copied] {
        drop(fs::remove_dir_all(directory));
        fs::create_dir_all(directory).map_err(|error| format!("`{}`: {error}", directory.display()))?;
    }
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(packed).args(["--strip-components=1", "-C"]).arg(&module);
    run(&mut tar, "unpacking the Node package")?;
    let mut copy = Command::new("cp");
    copy.arg("-R").arg(format!("{}/.", text(&package.join(programs)))).arg(&copied);
    run(&mut copy, &format!("copying the {programs} of the Node package"))
}
