//! Arguments of `exec`: the file, looked up on the command's own PATH, and all strings as C strings.
//!
//! The search is done here and not by `posix_spawnp`, which would use the host's PATH.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::ffi::Image;
use crate::command::{Command, Program};
use crate::error::SpawnError;

/// The directories searched if the command's environment has no PATH, as in `execvp`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Converts the command to the form that the kernel takes.
pub(super) fn image(command: &Command) -> Result<Image, SpawnError> {
    // Checked first: a name with a NUL byte would only be "not found".
    let argv = argv(&command.program)?;
    let path = locate(command)?;
    Ok(Image {
        path: c_string("the program", path.as_os_str().as_bytes())?,
        argv,
        env: command.env.iter().map(|(name, value)| variable(name, value)).collect::<Result<_, _>>()?,
        cwd: c_string("the working directory", command.cwd.as_os_str().as_bytes())?,
    })
}

/// Returns the program as written by the user.
pub(super) fn name(command: &Command) -> &OsStr {
    match &command.program {
        Program::Shell { shell, .. } => shell.as_os_str(),
        Program::Exec { program, .. } => program,
    }
}

/// Returns the file that `path` of an [`Image`] names, as the host sees it: a relative one starts at the command's
/// directory.
pub(super) fn file(command: &Command, image: &Image) -> PathBuf {
    command.cwd.join(OsStr::from_bytes(image.path.to_bytes()))
}

fn argv(program: &Program) -> Result<Vec<CString>, SpawnError> {
    let strings: Vec<&OsStr> = match program {
        Program::Shell { shell, script } => vec![shell.as_os_str(), OsStr::new("-c"), script],
        Program::Exec { program, args } => {
            [program.as_os_str()].into_iter().chain(args.iter().map(OsString::as_os_str)).collect()
        }
    };
    strings.into_iter().map(|string| c_string("the argument", string.as_bytes())).collect()
}

fn variable(name: &OsStr, value: &OsStr) -> Result<CString, SpawnError> {
    let joined = [name.as_bytes(), b"=", value.as_bytes()].concat();
    // The value may be a secret: the message names the variable only.
    CString::new(joined).map_err(|_| nul_byte("the environment variable", name.as_bytes()))
}

fn c_string(place: &'static str, bytes: &[u8]) -> Result<CString, SpawnError> {
    CString::new(bytes).map_err(|_| nul_byte(place, bytes))
}

fn nul_byte(place: &'static str, bytes: &[u8]) -> SpawnError {
    SpawnError::NulByte { place, text: String::from_utf8_lossy(bytes).replace('\0', "\\0") }
}

fn locate(command: &Command) -> Result<PathBuf, SpawnError> {
    let name = name(command);
    if name.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    search(command, name)
}

fn search(command: &Command, name: &OsStr) -> Result<PathBuf, SpawnError> {
    let path = search_path(command);
    let mut refused = None;
    for candidate in candidates(command, name) {
        match candidate.is_file() {
            true if is_executable(&candidate) => return Ok(candidate),
            true => refused = refused.or(Some(candidate)),
            false => (),
        }
    }
    Err(match refused {
        Some(path) => SpawnError::NotExecutable { path },
        None => SpawnError::ProgramMissing {
            program: name.to_string_lossy().into_owned(),
            searched: format!("PATH is `{}`", path.to_string_lossy()),
        },
    })
}

/// Returns the files at which a program without a path is looked for, in their order.
fn candidates(command: &Command, name: &OsStr) -> Vec<PathBuf> {
    if name.is_empty() {
        return Vec::new();
    }
    let path = search_path(command);
    // An empty entry is the working directory, by POSIX.
    let entries = path.as_bytes().split(|byte| *byte == b':');
    entries.map(|entry| command.cwd.join(OsStr::from_bytes(entry)).join(name)).collect()
}

/// Returns the files that are looked at to find the program, in their order; the last one is the program, if there is one.
pub(super) fn looked_at(command: &Command) -> Vec<PathBuf> {
    let name = name(command);
    if name.as_bytes().contains(&b'/') {
        return vec![command.cwd.join(name)];
    }
    let mut files = candidates(command, name);
    let found = files.iter().position(|file| file.is_file() && is_executable(file));
    files.truncate(found.map_or(files.len(), |at| at + 1));
    files
}

/// Returns the last PATH of the environment, the one that a shell would import.
fn search_path(command: &Command) -> OsString {
    let found = command.env.iter().rev().find(|(name, _)| name == "PATH");
    found.map_or_else(|| OsString::from_vec(DEFAULT_PATH.into()), |(_, value)| value.clone())
}

/// Checks with the rights of the effective user, which is the one that executes.
pub(super) fn is_executable(path: &Path) -> bool {
    accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
