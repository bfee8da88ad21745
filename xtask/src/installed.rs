//! Packages from npm and PyPI that chores need: pinned by a lock file with hashes, installed below `target`, once.
//!
//! A marker next to each directory contains the lock file it was installed from. It is written last: an incomplete
//! directory is installed again. No install scripts are run.

use crate::say;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The directories of lock files and of installed packages.
pub(crate) struct Places {
    fixtures: PathBuf,
    target: PathBuf,
}

impl Places {
    /// Returns the places of the workspace at `root`.
    pub(crate) fn of(root: &Path) -> Self {
        Self { fixtures: root.join("crates/becket-mcp/tests/fixtures"), target: root.join("target/mcp") }
    }

    /// Returns the places of the Python package.
    pub(crate) fn of_python(root: &Path) -> Self {
        Self {
            fixtures: root.join("bindings/python/tests/fixtures"),
            target: root.join("target/bindings/python"),
        }
    }

    /// Returns the places of the Node package.
    pub(crate) fn of_node(root: &Path) -> Self {
        Self {
            fixtures: root.join("bindings/node/tests/fixtures"),
            target: root.join("target/bindings/node"),
        }
    }

    /// Returns the places of the agent SDKs.
    pub(crate) fn of_sdks(root: &Path) -> Self {
        Self {
            fixtures: root.join("crates/becket-cli/tests/cli/sdk/fixtures"),
            target: root.join("target/sdk"),
        }
    }

    /// Returns the places of the checkers of workflows.
    pub(crate) fn of_workflows(root: &Path) -> Self {
        Self { fixtures: root.join("xtask/fixtures"), target: root.join("target/checkers") }
    }

    /// Returns the places of the checker of the site.
    pub(crate) fn of_site(root: &Path) -> Self {
        Self { fixtures: root.join("xtask/fixtures/site"), target: root.join("target/site/tools") }
    }

    /// Returns the places of the installers with which packages are tested.
    pub(crate) fn of_packages(root: &Path) -> Self {
        Self { fixtures: root.join("xtask/fixtures/packages"), target: root.join("target/installers") }
    }

    /// Returns the places of the compilers for other targets.
    pub(crate) fn of_targets(root: &Path) -> Self {
        Self { fixtures: root.join("xtask/fixtures/targets"), target: root.join("target/targets") }
    }

    /// Installs the packages in `<fixtures>/<name>/package-lock.json`; returns its `node_modules`.
    pub(crate) fn npm(&self, name: &str) -> Result<PathBuf, String> {
        self.npm_with(name, &[])
    }

    /// Does the same with more options.
    pub(crate) fn npm_with(&self, name: &str, options: &[&str]) -> Result<PathBuf, String> {
        let place = self.target.join(name);
        let wanted = ["package.json", "package-lock.json"].map(|file| self.fixtures.join(name).join(file));
        once(&place, &wanted, || {
            fs::create_dir_all(&place).map_err(|error| error.to_string())?;
            for file in &wanted {
                let name = file.file_name().unwrap_or_default();
                fs::copy(file, place.join(name)).map_err(|error| format!("`{}`: {error}", file.display()))?;
            }
            let mut npm = Command::new("npm");
            npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
            run(npm.args(options).current_dir(&place))
        })?;
        Ok(place.join("node_modules"))
    }

    /// Installs the packages in `<fixtures>/requirements.txt`; returns the interpreter that finds them.
    pub(crate) fn pypi(&self) -> Result<PathBuf, String> {
        self.pypi_with(&["requirements.txt"], &[])
    }

    /// Installs the packages in these lists, one after the other, since a package of a later list may need an earlier
    /// one to build.
    pub(crate) fn pypi_with(&self, lists: &[&str], options: &[&str]) -> Result<PathBuf, String> {
        let (wanted, venv): (Vec<PathBuf>, _) =
            (lists.iter().map(|list| self.fixtures.join(list)).collect(), self.target.join("venv"));
        let python = venv.join("bin/python");
        once(&venv, &wanted, || {
            run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
            for list in &wanted {
                let mut pip = Command::new(&python);
                pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]);
                run(pip.args(options).args(["--disable-pip-version-check", "-r"]).arg(list))?;
            }
            Ok(())
        })?;
        Ok(python)
    }
}

/// Runs `install` unless it has already run with exactly these files.
fn once(
    place: &Path,
    wanted: &[PathBuf],
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let read =
        |file: &PathBuf| fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()));
    let made_from = wanted.iter().map(read).collect::<Result<String, String>>()?;
    let marker = place.join("made-from");
    if fs::read_to_string(&marker).is_ok_and(|before| before == made_from) {
        return Ok(());
    }
    say(&format!("installing in {}", place.display()));
    install()?;
    fs::write(&marker, made_from).map_err(|error| format!("`{}`: {error}", marker.display()))
}

/// Runs a command; if it fails, its first words are the reason.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let program = text(Path::new(command.get_program()));
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("can't run `{program}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let words: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
    Err(format!("`{program}` failed: {}", words.join(" ")))
}

/// Checks that a program can be run.
///
/// # Errors
/// Errors with the reason if it can't.
pub(crate) fn there_is(program: &str) -> Result<(), String> {
    run(Command::new(program).arg("--version"))
}

/// Installs a package of Debian, unless its program already runs.
///
/// # Errors
/// Errors if the program does not run, and the package can't be installed.
pub(crate) fn debian(program: &str, package: &str) -> Result<(), String> {
    if there_is(program).is_ok() {
        return Ok(());
    }
    say(&format!("installing {package}"));
    apt(&["update", "-q"])?;
    apt(&["install", "-q", "-y", "--no-install-recommends", package])?;
    there_is(program)
}

/// Runs apt-get: as root directly, else through sudo.
pub(crate) fn apt(arguments: &[&str]) -> Result<(), String> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.starts_with(b"0\n"));
    let mut command = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        command.arg("apt-get");
    }
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    let status = command.status().map_err(|error| format!("can't run apt-get: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`apt-get {}` failed: see above", arguments.join(" ")))
    }
}

/// Returns a path as a word of a command line.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_made_once_again_after_a_failure_and_when_what_is_wanted_changes() {
        let dir = std::env::temp_dir().join(format!("becket-installed-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let wanted = [dir.join("wanted")];
        fs::write(&wanted[0], "one").unwrap();
        let made = std::cell::Cell::new(0);
        let make = |outcome: Result<(), String>| {
            once(&dir, &wanted, || {
                made.set(made.get() + 1);
                outcome
            })
        };
        assert_eq!(make(Err("no".into())), Err("no".into()));
        assert_eq!((make(Ok(())), make(Ok(())), made.get()), (Ok(()), Ok(()), 2));
        fs::write(&wanted[0], "two").unwrap();
        assert_eq!((make(Ok(())), made.get()), (Ok(()), 3));
        fs::remove_dir_all(dir).unwrap();
    }
}
