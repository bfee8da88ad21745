//! The full program beside this one. It is found by the location of this program, never by `PATH`.

use becket_fire::own_program::FULL;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The end of an attempt to become the full program.
pub(super) enum Exec {
    /// The full program ran as a child, and this is its exit code: on systems on which a process can't be replaced.
    #[cfg_attr(unix, expect(dead_code, reason = "a process of Unix is replaced"))]
    Ended(ExitCode),
    /// The full program was not started.
    Failed(String),
}

/// Replaces this process by the full program with the same arguments. Its stdin begins with what was read of it.
pub(super) fn replace_process(arguments: &[OsString], read: Option<&[u8]>) -> Exec {
    let prepared =
        place().and_then(|full| Ok((input(read).map_err(|error| unstarted(&full, &error))?, full)));
    match prepared {
        Ok((stdin, full)) => started(&full, arguments, stdin),
        Err(why) => Exec::Failed(why),
    }
}

/// Returns the location of the full program, which is not this one: otherwise it would start itself forever.
fn place() -> Result<PathBuf, String> {
    let own =
        std::env::current_exe().map_err(|error| format!("the place of this program is unknown: {error}"))?;
    let full = own.with_file_name(FULL);
    match (full.canonicalize(), own.canonicalize()) {
        (Err(error), _) => Err(unstarted(&full, &error)),
        (Ok(found), Ok(own)) if found == own => Err(unstarted(&full, &"it is this program")),
        (Ok(_), _) => Ok(full),
    }
}

fn unstarted(full: &Path, why: &dyn std::fmt::Display) -> String {
    format!(
        "the full program `{}` can't be started: {why}; install both programs in one directory",
        full.display()
    )
}

/// Returns the part of stdin that was read as a file; the rest of stdin is empty.
fn input(read: Option<&[u8]>) -> io::Result<Stdio> {
    match read {
        None => Ok(Stdio::inherit()),
        Some(bytes) => anonymous_file(bytes).map(Stdio::from),
    }
}

#[cfg(target_os = "linux")]
fn anonymous_file(bytes: &[u8]) -> io::Result<File> {
    use std::io::{Seek, Write};
    let mut file = File::from(rustix::fs::memfd_create("stdin", rustix::fs::MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn anonymous_file(bytes: &[u8]) -> io::Result<File> {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(unix)]
fn started(full: &Path, arguments: &[OsString], stdin: Stdio) -> Exec {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(full);
    if let Some(name) = arguments.first() {
        command.arg0(name);
    }
    let error = command.args(arguments.iter().skip(1)).stdin(stdin).exec();
    Exec::Failed(unstarted(full, &error))
}

#[cfg(not(unix))]
fn started(full: &Path, arguments: &[OsString], stdin: Stdio) -> Exec {
    match Command::new(full).args(arguments.iter().skip(1)).stdin(stdin).status() {
        Ok(status) => Exec::Ended(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2).into()),
        Err(error) => Exec::Failed(unstarted(full, &error)),
    }
}
