//! Conversion of a command to a running process in a job, with its pipes.

use std::ffi::OsStr;
use std::io;
use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::process::{self, Child, Stdio};

use bytes::Bytes;
use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, CREATE_SUSPENDED};

use super::job::{self, Job};
use super::pipes::{Input, Output};
use super::termination::Leader;
use crate::command::{Command, Program};
use crate::error::SpawnError;

/// `ERROR_BAD_EXE_FORMAT`.
const BAD_FORMAT: i32 = 193;
/// `ERROR_SHARING_VIOLATION`.
const SHARING_VIOLATION: i32 = 32;

/// A process that has just started.
pub(crate) struct SpawnedChild {
    pub(crate) leader: Leader,
    pub(crate) stdin: Option<Input>,
    /// All bytes of stdin: a thread writes them.
    pub(crate) unwritten: Bytes,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
}

/// Starts the command. Stdin is kept in any case: its thread exists already.
pub(crate) fn spawn(command: &Command, _keep_stdin: bool) -> Result<SpawnedChild, SpawnError> {
    if command.confinement.is_some() {
        return Err(not_confined(command));
    }
    let mut child = builder(command).spawn().map_err(|error| refusal(command, error))?;
    match adopt(&mut child) {
        Ok((job, stdin, stdout, stderr)) => {
            let leader = Leader::new(child, job).map_err(|error| other(command, error))?;
            Ok(SpawnedChild { leader, stdin, unwritten: command.stdin.clone(), stdout, stderr })
        }
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(other(command, error))
        }
    }
}

fn builder(command: &Command) -> process::Command {
    let mut builder = process::Command::new(name(command));
    match &command.program {
        Program::Shell { script, .. } => builder.arg("-c").arg(script),
        Program::Exec { args, .. } => builder.args(args),
    };
    builder.env_clear().envs(command.env.iter().map(|(name, value)| (name, value))).current_dir(&command.cwd);
    builder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Suspended: it may not start other processes before it is in its job.
    builder.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW);
    builder
}

type AdoptedPipes = (Job, Option<Input>, Output, Output);

fn adopt(child: &mut Child) -> io::Result<AdoptedPipes> {
    let job = Job::new()?;
    job.assign(child.as_handle())?;
    let stdin = child.stdin.take().map(Input::new).transpose()?;
    let stdout = Output::new(child.stdout.take().ok_or_else(no_pipe)?)?;
    let stderr = Output::new(child.stderr.take().ok_or_else(no_pipe)?)?;
    job::resume(child.id())?;
    Ok((job, stdin, stdout, stderr))
}

fn no_pipe() -> io::Error {
    io::Error::other("the new process has no pipe")
}

fn name(command: &Command) -> &OsStr {
    match &command.program {
        Program::Shell { shell, .. } => shell.as_os_str(),
        Program::Exec { program, .. } => program,
    }
}

fn refusal(command: &Command, error: io::Error) -> SpawnError {
    let program = || name(command).to_string_lossy().into_owned();
    match (error.kind(), error.raw_os_error()) {
        _ if !command.cwd.is_dir() => SpawnError::CwdGone { cwd: command.cwd.clone() },
        (io::ErrorKind::NotFound, _) => {
            SpawnError::ProgramMissing { program: program(), searched: "on the command's PATH".into() }
        }
        (_, Some(BAD_FORMAT)) => SpawnError::NoShebang { path: name(command).into() },
        (_, Some(SHARING_VIOLATION)) => SpawnError::Busy { path: name(command).into() },
        (io::ErrorKind::PermissionDenied, _) => SpawnError::NotExecutable { path: name(command).into() },
        (io::ErrorKind::InvalidInput, _) => SpawnError::NulByte { place: "the command", text: program() },
        _ => other(command, error),
    }
}

fn not_confined(command: &Command) -> SpawnError {
    let why = io::Error::new(io::ErrorKind::Unsupported, "there is no way to do so on Windows");
    SpawnError::NotConfined { program: name(command).to_string_lossy().into_owned(), why }
}

fn other(command: &Command, source: io::Error) -> SpawnError {
    SpawnError::Other { program: name(command).to_string_lossy().into_owned(), source }
}
