//! Conversion from an error number to the cause: the kernel reports "no such file" for four different things.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::exec;
use super::ffi::Image;
use crate::command::Command;
use crate::error::SpawnError;

/// The length of the prefix in which the kernel looks for the interpreter.
const FIRST_LINE: usize = 256;

/// Returns the error for pipes, or for a waiting thread, that could not be created.
pub(super) fn of_pipes(command: &Command, error: io::Error) -> SpawnError {
    match Errno::from_io_error(&error) {
        Some(Errno::MFILE | Errno::NFILE) => SpawnError::TooManyDescriptors,
        Some(Errno::AGAIN | Errno::NOMEM) => SpawnError::TooManyProcesses,
        Some(_) | None => other(command, error),
    }
}

/// Returns the error for rights that could not be taken away.
pub(super) fn not_confined(command: &Command, why: io::Error) -> SpawnError {
    SpawnError::NotConfined { program: program(command), why }
}

/// Returns the error for a process that could not be started.
pub(super) fn of_spawn(command: &Command, image: &Image, error: io::Error) -> SpawnError {
    let file = exec::file(command, image);
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT | Errno::NOTDIR) => missing(command, file),
        Some(Errno::ACCESS | Errno::PERM) => forbidden(command, file, error),
        Some(Errno::NOEXEC) => SpawnError::NoShebang { path: file },
        Some(Errno::TXTBSY) => SpawnError::Busy { path: file },
        Some(Errno::TOOBIG) => SpawnError::TooLong { program: program(command) },
        Some(_) | None => of_pipes(command, error),
    }
}

fn missing(command: &Command, file: PathBuf) -> SpawnError {
    if !command.cwd.is_dir() {
        return SpawnError::CwdGone { cwd: command.cwd.clone() };
    }
    if !file.exists() {
        return SpawnError::ProgramMissing {
            program: program(command),
            searched: format!("there is no `{}`", file.display()),
        };
    }
    match shebang(&file) {
        Some(line) if line.ends_with('\r') => {
            SpawnError::CrlfShebang { path: file, interpreter: line.trim().to_owned() }
        }
        Some(line) => SpawnError::BadInterpreter { path: file, interpreter: line.trim().to_owned() },
        None => SpawnError::LoaderMissing { path: file },
    }
}

fn forbidden(command: &Command, file: PathBuf, error: io::Error) -> SpawnError {
    if !exec::is_executable(&command.cwd) {
        return SpawnError::CwdForbidden { cwd: command.cwd.clone() };
    }
    if !file.is_file() || !exec::is_executable(&file) {
        return SpawnError::NotExecutable { path: file };
    }
    // The script is executable, so the problem is its interpreter.
    match shebang(&file) {
        Some(line) if !interpreter_runs(&line) => {
            SpawnError::BadInterpreter { path: file, interpreter: line.trim().to_owned() }
        }
        Some(_) | None if Errno::from_io_error(&error) == Some(Errno::ACCESS) => {
            SpawnError::NotExecutable { path: file }
        }
        Some(_) | None => other(command, error),
    }
}

fn interpreter_runs(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default();
    let path = Path::new(OsStr::from_bytes(name.as_bytes()));
    path.is_file() && exec::is_executable(path)
}

/// Returns the text after `#!`, with a carriage return if it ends with one.
fn shebang(file: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(FIRST_LINE as u64).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

fn program(command: &Command) -> String {
    exec::name(command).to_string_lossy().into_owned()
}

fn other(command: &Command, source: io::Error) -> SpawnError {
    SpawnError::Other { program: program(command), source }
}
