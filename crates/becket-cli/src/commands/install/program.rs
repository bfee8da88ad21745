//! The program that entries start: one that a shell will still find tomorrow, with the same major version.

use super::context::on_path;
use crate::args::InstallArgs;
use crate::env::Surroundings;
use crate::error::CliError;
use becket_install::{Scope, check_program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the program to register.
///
/// # Errors
/// Errors if there is no such program that will last.
pub(super) fn to_register(
    args: &InstallArgs,
    scope: Scope,
    around: &Surroundings,
) -> Result<String, CliError> {
    let found = on_path("becket", around);
    if scope == Scope::Project {
        return match found {
            Some(program) => checked_version(&program).map(|()| "becket".to_owned()),
            None => Err(refused(
                "no `becket` is on PATH, where the hooks of a project look for it: put it there first",
            )),
        };
    }
    let candidates: Vec<PathBuf> = match &args.program {
        Some(program) => vec![around.absolute(program)],
        None => found.into_iter().chain(around.program.clone()).collect(),
    };
    let mut why = refused("this program does not know its own path: name one with `--program`");
    for program in candidates {
        match checked(&program, around) {
            Ok(program) => return Ok(program),
            Err(error) => why = error,
        }
    }
    Err(why)
}

fn refused(why: impl ToString) -> CliError {
    CliError::Program { why: why.to_string() }
}

fn checked(program: &Path, around: &Surroundings) -> Result<String, CliError> {
    check_program(program, &temporary(around)).map_err(refused)?;
    checked_version(program)?;
    let text = program.to_str().ok_or_else(|| refused("its path is not UTF-8"))?;
    Ok(text.to_owned())
}

/// Returns the directories for temporary files, except a well-known one that contains the home directory.
fn temporary(around: &Surroundings) -> Vec<PathBuf> {
    let known = ["/tmp", "/private/tmp", "/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm"];
    let holds_home = |path: &Path| around.process.home.as_ref().is_some_and(|home| home.starts_with(path));
    let all = known.into_iter().map(PathBuf::from).filter(|path| !holds_home(path));
    all.chain([around.process.temp.clone()]).collect()
}

/// Checks that a program is a becket of this major version.
fn checked_version(program: &Path) -> Result<(), CliError> {
    let version = version_of(program).map_err(|why| refused(format!("`{}` {why}", program.display())))?;
    match major_of(&version) == Some(env!("CARGO_PKG_VERSION_MAJOR")) {
        true => Ok(()),
        false => Err(refused(format!(
            "`{}` is becket {version}, and this one is {}: install one version only",
            program.display(),
            env!("CARGO_PKG_VERSION")
        ))),
    }
}

/// Returns the version that a program reports.
///
/// # Errors
/// Errors if the program can't be run, or is not becket.
pub(crate) fn version_of(program: &Path) -> Result<String, String> {
    let ended = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let ended = ended.map_err(|error| format!("can't be run: {error}"))?;
    let text = String::from_utf8_lossy(&ended.stdout);
    let version = text.trim().strip_prefix("becket ").filter(|_| ended.status.success());
    version.map(str::to_owned).ok_or_else(|| "is not becket".to_owned())
}

/// Returns the major version.
pub(crate) fn major_of(version: &str) -> Option<&str> {
    version.split('.').next()
}
