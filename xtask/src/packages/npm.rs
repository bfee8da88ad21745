//! The npm packages: `becket`, which is the Node package with a launcher of the programs, and a package for each platform with
//! the programs and the engine of that platform: `@becket/linux-x64`.

use super::{InstalledCopy, Place, StepError, VERSION, check_gone, copy, create, stdout_of, write};
use crate::bindings;
use crate::installed::{run as run_quietly, text, there_is};
use crate::root;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The platforms with a package, as Node names them, with the targets of their programs.
const PLATFORMS: [(&str, &str, &str); 3] = [
    ("linux", "x64", "x86_64-unknown-linux-gnu"),
    ("linux", "arm64", "aarch64-unknown-linux-gnu"),
    ("darwin", "arm64", "aarch64-apple-darwin"),
];

/// Builds the packages, installs both without network, runs them, and removes them.
pub(super) fn run(place: &Place) -> Result<(), StepError> {
    there_is("npm").map_err(StepError::Missing)?;
    let work = place.fresh("npm")?;
    let (system, processor, _) = PLATFORMS
        .into_iter()
        .find(|(.., target)| *target == place.target)
        .ok_or_else(|| StepError::Missing(format!("there is no npm package for {}", place.target)))?;
    let of_platform = platform_package(place, &work, system, processor)?;
    let main = main_package(place, &work)?;
    let project = work.join("project");
    create(&project)?;
    write(&project.join("package.json"), "{\"private\": true}\n")?;
    let mut install = Command::new("npm");
    install.args(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    stdout_of(install.arg(&main).arg(&of_platform).current_dir(&project))?;
    let npx =
        stdout_of(Command::new("npx").args(["--offline", "becket", "--version"]).current_dir(&project))?;
    if npx != format!("becket {VERSION}") {
        return Err(format!("`npx becket --version` says `{npx}`").into());
    }
    InstalledCopy::new(&project.join("node_modules/.bin/becket"), None)?.check("npm")?;
    check_engine(&project)?;
    check_refusals(&project, system, processor)?;
    let mut remove = Command::new("npm");
    let name = format!("@becket/{system}-{processor}");
    remove.args(["uninstall", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "becket", &name]);
    stdout_of(remove.current_dir(&project))?;
    check_gone(&project.join("node_modules/.bin/becket"))?;
    check_gone(&project.join("node_modules/@becket").join(format!("{system}-{processor}")))?;
    Ok(())
}

/// Packs the programs and the engine of this platform.
fn platform_package(place: &Place, work: &Path, system: &str, processor: &str) -> Result<PathBuf, String> {
    let package = work.join(format!("{system}-{processor}"));
    create(&package.join("bin"))?;
    for program in ["becket", "becket-full"] {
        copy(&place.programs.join(program), &package.join("bin").join(program))?;
    }
    let engine = bindings::node_engine(root(), place.build)?;
    let name = engine.file_name().unwrap_or_default();
    copy(&engine, &package.join(name))?;
    let mut manifest = json!({
        "name": format!("@becket/{system}-{processor}"),
        "version": VERSION,
        "description": format!("The programs and the engine of becket for {system} on {processor}"),
        "license": "MIT OR Apache-2.0",
        "repository": repository()?,
        "os": [system],
        "cpu": [processor],
        "files": ["bin", "*.node"],
    });
    if system == "linux" {
        manifest["libc"] = json!(["glibc"]);
    }
    write(&package.join("package.json"), &format!("{manifest:#}\n"))?;
    texts(&package)?;
    pack(&package, &place.out)
}

/// Packs the Node package, without an engine.
fn main_package(place: &Place, work: &Path) -> Result<PathBuf, String> {
    let (source, package) = (root().join("bindings/node"), work.join("becket"));
    create(&package)?;
    for directory in ["lib", "bin"] {
        run_quietly(Command::new("cp").arg("-R").arg(source.join(directory)).arg(&package))?;
    }
    copy(&source.join("README.md"), &package.join("README.md"))?;
    let mut manifest = manifest()?;
    let optional: Map<String, Value> = PLATFORMS
        .into_iter()
        .map(|(system, processor, _)| (format!("@becket/{system}-{processor}"), json!(VERSION)))
        .collect();
    manifest["optionalDependencies"] = Value::Object(optional);
    if manifest["version"] != VERSION {
        return Err(format!("`bindings/node/package.json` has another version than {VERSION}"));
    }
    write(&package.join("package.json"), &format!("{manifest:#}\n"))?;
    texts(&package)?;
    pack(&package, &place.out)
}

fn manifest() -> Result<Value, String> {
    let file = root().join("bindings/node/package.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", file.display()))
}

fn repository() -> Result<Value, String> {
    Ok(manifest()?["repository"].clone())
}

fn texts(package: &Path) -> Result<(), String> {
    ["LICENSE-MIT", "LICENSE-APACHE"]
        .into_iter()
        .try_for_each(|file| copy(&root().join(file), &package.join(file)))
}

fn pack(package: &Path, out: &Path) -> Result<PathBuf, String> {
    let mut npm = Command::new("npm");
    npm.args(["pack", "--loglevel=error", "--pack-destination"]).arg(out).current_dir(package);
    stdout_of(&mut npm).map(|name| out.join(name))
}

/// Checks that the engine of the platform's package is found.
fn check_engine(project: &Path) -> Result<(), String> {
    let program =
        "import { HookEngine } from 'becket'; new HookEngine({ settingSources: [] }); console.log('ready')";
    let said =
        stdout_of(Command::new("node").args(["--input-type=module", "-e", program]).current_dir(project))?;
    if said == "ready" { Ok(()) } else { Err(format!("the engine says `{said}`")) }
}

/// Checks the exit of the launcher on a platform without a package, and if the package of this one is missing.
fn check_refusals(project: &Path, system: &str, processor: &str) -> Result<(), String> {
    let other = project.join("other.cjs");
    write(&other, "Object.defineProperty(process, 'arch', { value: 'mips' });\n")?;
    let preloaded = ["--require", &text(&other)];
    check_refusal(project, &preloaded, &format!("no programs for {system} on mips"))?;
    let package = project.join("node_modules/@becket").join(format!("{system}-{processor}"));
    let aside = project.join("aside");
    let rename = |from: &Path, to: &Path| {
        fs::rename(from, to).map_err(|error| format!("`{}`: {error}", from.display()))
    };
    rename(&package, &aside)?;
    let refused = check_refusal(project, &[], &format!("`@becket/{system}-{processor}` is not installed"));
    rename(&aside, &package)?;
    refused
}

/// Checks that the launcher reports why it starts nothing, and that as a hook it denies.
fn check_refusal(project: &Path, options: &[&str], expected: &str) -> Result<(), String> {
    for (arguments, code) in [(&["--version"][..], 1), (&["fire", "--stdin-event"], 2)] {
        let mut node = Command::new("node");
        node.args(options).arg("node_modules/becket/bin/becket.js").args(arguments).current_dir(project);
        let output = node.output().map_err(|error| format!("can't run node: {error}"))?;
        let printed = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(code) || !printed.contains(expected) {
            return Err(format!(
                "`becket {}` ends with {} and prints `{printed}` instead of `{expected}`",
                arguments.join(" "),
                output.status
            ));
        }
    }
    Ok(())
}
