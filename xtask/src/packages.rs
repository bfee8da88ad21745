//! `cargo xtask packages`: the packages of a release for this machine, each installed, run and removed here.
//!
//! | package | made by | tested with |
//! |---|---|---|
//! | archive | tar | `install.sh` |
//! | Debian package | cargo-deb | dpkg, in a separate root |
//! | npm packages | npm | `npm install` and `npx`, without network |
//! | wheel | maturin | uv and pip, without network |
//! | SBOM | cargo-cyclonedx | – |
//! | formula of Homebrew | this chore | `ruby -c` |
//! | crates | `cargo package` | – |
//!
//! They are in `target/packages/out`, with `SHA256SUMS`. A step whose tools are missing is left out, with a message.

mod crates;
mod debian;
mod first_steps;
mod formula;
mod installed_copy;
mod npm;
mod sbom;
mod script;
mod wheel;

use crate::bindings::{self, Build};
use crate::installed::{run as run_quietly, text};
use crate::suites::leave_out;
use crate::{archive, program, root, say};
pub(crate) use installed_copy::InstalledCopy;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of the packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The steps of a release that can't run on any machine of this project.
const NOT_RUN: [&str; 4] = [
    "`brew install` of the formula: there is no Homebrew here",
    "the programs and packages of macOS and Windows, and of Linux on arm64",
    "publishing, to crates.io, npm, PyPI and Homebrew",
    "apt: the package was installed by dpkg, into a root of its own",
];

/// The directories of the packages.
struct Place {
    /// The finished packages.
    out: PathBuf,
    /// The directory in which they are built and installed.
    work: PathBuf,
    /// The programs: the small `becket`, and `becket-full`.
    programs: PathBuf,
    /// The target of the programs.
    target: String,
    build: Build,
}

/// Builds and tests all packages: with the programs that the tests run, or with `--dist` those built by `dist`.
///
/// # Errors
/// Errors if a package can't be built, or does not work.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let build = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Build::Dev,
        ["--dist"] => Build::Bench,
        _ => return Err("`packages` takes no arguments, or `--dist`".to_owned()),
    };
    let place = Place::prepare(build)?;
    let mut failed = Vec::new();
    let mut step = |name: &str, done: Result<(), StepError>| match done {
        Ok(()) => say(&format!("{name}: made, and tried")),
        // A release without one of its packages is not one.
        Err(StepError::Missing(why)) if build != Build::Bench => leave_out(name, &why),
        Err(StepError::Missing(why) | StepError::Failed(why)) => {
            say(&format!("{name}: FAILED: {why}"));
            failed.push(name.to_owned());
        }
    };
    step("archive and install.sh", script::run(&place));
    step("Debian package", debian::run(&place));
    step("npm packages", npm::run(&place));
    step("wheel", wheel::run(&place));
    step("SBOM", sbom::run(&place));
    step("formula of Homebrew", formula::run(&place));
    step("crates", crates::run(&place));
    sums(&place.out)?;
    NOT_RUN.iter().for_each(|what| say(&format!("NOT RUN: {what}")));
    say(&format!("the packages are in {}", place.out.display()));
    if failed.is_empty() { Ok(()) } else { Err(format!("packages failed: {}", failed.join(", "))) }
}

/// Runs `cargo xtask release-files DIRECTORY`: the formula of Homebrew and `SHA256SUMS` for the archives of all
/// targets.
///
/// # Errors
/// Errors if there are no archives with their sums, or if a file can't be written.
pub(crate) fn release_files(arguments: &[String]) -> Result<(), String> {
    let [directory] = arguments else {
        return Err("`release-files` takes the directory of the archives".to_owned());
    };
    let directory = Path::new(directory);
    formula::write(directory, directory)?;
    sums(directory)
}

/// The reason why a package was not built or tested.
enum StepError {
    /// This machine lacks something.
    Missing(String),
    /// Something failed.
    Failed(String),
}

impl From<String> for StepError {
    fn from(why: String) -> Self {
        StepError::Failed(why)
    }
}

impl Place {
    /// Puts the programs where all packages get them from, without debug information.
    fn prepare(build: Build) -> Result<Self, String> {
        let target = bindings::target(root())?;
        let work = target.join("packages");
        let place = Place {
            out: work.join("out"),
            programs: work.join("programs"),
            target: host_target(),
            build,
            work,
        };
        for directory in [&place.out, &place.programs] {
            fresh(directory)?;
        }
        let (small, full) = match build {
            Build::Dev => {
                let full = program::becket()?;
                let mut cargo = Command::new(env!("CARGO"));
                // With the features of the full one, so that no library is built twice.
                cargo.args(["build", "--quiet", "--workspace", "--bin", "becket-fire", "--test", "cli"]);
                bindings::run_step(cargo.current_dir(root()), "building the small program")?;
                (full.with_file_name("becket-fire"), full)
            }
            Build::Bench => {
                let dist = target.join("dist-out");
                (dist.join("becket"), dist.join("becket-full"))
            }
        };
        strip(&small, &place.programs.join("becket"))?;
        strip(&full, &place.programs.join("becket-full"))?;
        Ok(place)
    }

    fn full(&self) -> PathBuf {
        self.programs.join("becket-full")
    }

    /// Returns an empty directory for a step.
    fn fresh(&self, name: &str) -> Result<PathBuf, String> {
        let directory = self.work.join(name);
        fresh(&directory)?;
        Ok(directory)
    }
}

/// Copies a program without its debug information.
fn strip(from: &Path, to: &Path) -> Result<(), String> {
    let stripped = Command::new("strip").arg("-o").arg(to).arg(from).status();
    if stripped.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    copy(from, to)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("`{}` to `{}`: {error}", from.display(), to.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))
}

fn create(directory: &Path) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|error| format!("`{}`: {error}", directory.display()))
}

/// Empties a directory, and creates it.
fn fresh(directory: &Path) -> Result<(), String> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("`{}`: {error}", directory.display()));
        }
        _ => {}
    }
    create(directory)
}

/// Returns the target of the programs of this machine.
fn host_target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Returns what a command prints.
///
/// # Errors
/// Errors if it can't be run, or fails.
fn stdout_of(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("can't run `{program}`: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("`{program}` failed: {} {}", text(&output.stderr), text(&output.stdout))),
    }
}

/// Checks that a package has left nothing behind.
fn check_gone(path: &Path) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(format!("`{}` was left", path.display())),
        Err(_) => Ok(()),
    }
}

/// Installs a tool of cargo below `target`, once.
fn cargo_tool(name: &str, version: &str) -> Result<PathBuf, StepError> {
    let tools = bindings::target(root())?.join("tools");
    let tool = tools.join("bin").join(name);
    let is_there = || {
        let installed = fs::read_to_string(tools.join(".crates.toml")).unwrap_or_default();
        tool.is_file() && installed.contains(&format!("\"{name} {version} "))
    };
    if !is_there() {
        say(&format!("installing {name}"));
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["install", "--locked", "--quiet", "--debug", name, "--version", version, "--root"]);
        run_quietly(cargo.arg(&tools).current_dir("/")).map_err(StepError::Missing)?;
    }
    Ok(tool)
}

/// Writes `SHA256SUMS` for the files of a directory.
fn sums(directory: &Path) -> Result<(), String> {
    let entries = fs::read_dir(directory).map_err(|error| format!("`{}`: {error}", directory.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "SHA256SUMS" && !name.ends_with(".sha256"))
        .collect();
    names.sort();
    let summed = stdout_of(Command::new("sha256sum").args(&names).current_dir(directory))?;
    write(&directory.join("SHA256SUMS"), &format!("{summed}\n"))
}

/// Packs the archive of the programs.
fn pack(place: &Place) -> Result<(), String> {
    for name in ["becket", "becket-full"] {
        copy(&place.programs.join(name), &place.out.join(name))?;
    }
    archive::pack(&place.out, &place.target)?;
    for name in ["becket", "becket-full"] {
        fs::remove_file(place.out.join(name)).map_err(|error| format!("`{name}`: {error}"))?;
    }
    write(&place.out.join("VERSION"), &format!("{VERSION}\n"))
}

/// Returns the `file` URL of a directory.
fn file_url(directory: &Path) -> String {
    format!("file://{}", text(directory))
}
