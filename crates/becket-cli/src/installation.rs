//! Determines how this copy of becket was installed, from facts: the places of its programs, and the files of an
//! installer.
//!
//! INVARIANT: an installation that no fact identifies is [`InstallMethod::Unknown`], never a guess: only a copy that
//! `install.sh` has installed is replaced.

mod records;
#[cfg(test)]
mod tests;

use records::{cargo_source, clone_of_build, is_in_debian_list, is_in_homebrew, npm_place, wheel_installer};
use std::fs;
use std::path::{Path, PathBuf};

/// The file that `install.sh` creates beside the programs.
pub(crate) const MARKER: &str = ".becket-install.json";

/// The names of the programs of a release.
pub(crate) const SMALL: &str = if cfg!(windows) { "becket.exe" } else { "becket" };
pub(crate) use becket_fire::own_program::FULL;

/// The commit of this build, if the build specified it.
pub(crate) const COMMIT: Option<&str> = option_env!("BECKET_COMMIT");

/// The installation of this copy of becket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Installation {
    /// The path of the full program, which is running; without links.
    pub(crate) full: PathBuf,
    /// The small program beside it. If it is missing, `becket` is the full program.
    pub(crate) small: Option<PathBuf>,
    pub(crate) method: InstallMethod,
}

/// The way in which a copy was installed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InstallMethod {
    /// `install.sh`, in this directory.
    Script {
        /// The directory of the programs.
        directory: PathBuf,
    },
    /// `cargo install`, from this source.
    Cargo {
        /// The source, as arguments of `cargo install`.
        source: String,
    },
    /// The Debian package.
    Debian,
    /// The Homebrew formula.
    Homebrew,
    /// The npm package.
    Npm(NpmPlace),
    /// The wheel of the Python package.
    Wheel(WheelInstaller),
    /// A build of a clone, in its target directory.
    Build {
        /// The root of the clone, if it is known.
        clone: Option<PathBuf>,
    },
    /// The method is not known.
    Unknown,
}

/// The place of an npm package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NpmPlace {
    Global,
    Project,
    /// The cache of `npx`.
    Cache,
}

/// The installer of a wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WheelInstaller {
    Pip,
    Pipx,
    Uv,
    UvTool,
}

impl Installation {
    /// Returns the installation of a running program.
    pub(crate) fn of(program: &Path) -> Self {
        let full = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        let is_beside = full.file_name().is_some_and(|name| name == FULL);
        let small = Some(full.with_file_name(SMALL)).filter(|small| is_beside && small.is_file());
        let method = InstallMethod::of(&full);
        Installation { full, small, method }
    }
}

impl InstallMethod {
    /// Returns the installation method of a program, whose path must not contain links.
    fn of(program: &Path) -> Self {
        if is_in_debian_list(program) {
            return InstallMethod::Debian;
        }
        if is_in_homebrew(program) {
            return InstallMethod::Homebrew;
        }
        if let Some(installer) = wheel_installer(program) {
            return InstallMethod::Wheel(installer);
        }
        if let Some(place) = npm_place(program) {
            return InstallMethod::Npm(place);
        }
        if let Some(source) = cargo_source(program) {
            return InstallMethod::Cargo { source };
        }
        match program.parent() {
            Some(directory) if is_marked(directory) => {
                InstallMethod::Script { directory: directory.to_owned() }
            }
            Some(directory) => clone_of_build(directory)
                .map_or(InstallMethod::Unknown, |clone| InstallMethod::Build { clone }),
            None => InstallMethod::Unknown,
        }
    }

    /// Returns the name for reports.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            InstallMethod::Script { .. } => "install.sh",
            InstallMethod::Cargo { .. } => "cargo",
            InstallMethod::Debian => "debian",
            InstallMethod::Homebrew => "homebrew",
            InstallMethod::Npm(_) => "npm",
            InstallMethod::Wheel(_) => "wheel",
            InstallMethod::Build { .. } => "build",
            InstallMethod::Unknown => "unknown",
        }
    }

    /// Returns the name for sentences.
    pub(crate) const fn title(&self) -> &'static str {
        match self {
            InstallMethod::Script { .. } => "install.sh",
            InstallMethod::Cargo { .. } => "cargo install",
            InstallMethod::Debian => "the Debian package",
            InstallMethod::Homebrew => "Homebrew",
            InstallMethod::Npm(_) => "the npm package",
            InstallMethod::Wheel(_) => "the Python package",
            InstallMethod::Build { .. } => "a build of a clone",
            InstallMethod::Unknown => "unknown",
        }
    }

    /// Returns the command that updates such a copy; `None` if there is none.
    pub(crate) fn update_command(&self) -> Option<String> {
        let command = match self {
            InstallMethod::Script { .. } => "becket self update",
            InstallMethod::Cargo { source } => return Some(format!("cargo install {source}")),
            InstallMethod::Debian => "apt install --only-upgrade becket",
            InstallMethod::Homebrew => "brew upgrade becket",
            InstallMethod::Npm(NpmPlace::Global) => "npm install --global becket@latest",
            InstallMethod::Npm(NpmPlace::Project) => "npm update becket",
            InstallMethod::Npm(NpmPlace::Cache) => "npx becket@latest",
            InstallMethod::Wheel(WheelInstaller::Pip) => "pip install --upgrade becket",
            InstallMethod::Wheel(WheelInstaller::Pipx) => "pipx upgrade becket",
            InstallMethod::Wheel(WheelInstaller::Uv) => "uv pip install --upgrade becket",
            InstallMethod::Wheel(WheelInstaller::UvTool) => "uv tool upgrade becket",
            InstallMethod::Build { clone: Some(clone) } => {
                return Some(format!("git -C {} pull && cargo build", clone.display()));
            }
            InstallMethod::Build { clone: None } => "git pull && cargo build",
            InstallMethod::Unknown => return None,
        };
        Some(command.to_owned())
    }
}

/// Returns true if `install.sh` has installed the programs of a directory.
fn is_marked(directory: &Path) -> bool {
    let marker: Option<serde_json::Value> =
        fs::read(directory.join(MARKER)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    marker.is_some_and(|marker| marker["installer"] == "install.sh")
}

/// Returns the target of this build, as in the names of releases.
pub(crate) fn target() -> String {
    let processor = std::env::consts::ARCH;
    if cfg!(target_os = "linux") {
        format!("{processor}-unknown-linux-{}", if cfg!(target_env = "musl") { "musl" } else { "gnu" })
    } else if cfg!(target_os = "macos") {
        format!("{processor}-apple-darwin")
    } else if cfg!(windows) {
        format!("{processor}-pc-windows-{}", if cfg!(target_env = "msvc") { "msvc" } else { "gnu" })
    } else {
        format!("{processor}-unknown-{}", std::env::consts::OS)
    }
}
