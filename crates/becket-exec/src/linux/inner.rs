//! The run of a program inside of another supervisor, which has taken over the rules: it traces the program, and this
//! process only waits for it and ends whatever it leaves running.

use std::io;

use rustix::process::{WaitOptions, wait};

use super::child::Child;
use super::command::Command;
use super::host_process::{self, HostProcess};
use super::sandbox::Sandbox;
use super::{ptrace, tracer};
use crate::error::StartError;
use crate::exit_status::ExitStatus;
use crate::host::Host;
use crate::supervisor::{Program, Supervisor};

/// Runs the program to its end.
pub(super) fn run(
    supervisor: &Supervisor,
    program: &Program,
    command: &Command,
    host: &mut dyn Host,
) -> Result<ExitStatus, StartError> {
    if supervisor.gate.conditions.for_programs().next().is_some() {
        return Err(StartError::NestedHooks);
    }
    let sandbox = Sandbox::of_rights(&supervisor.rights)?;
    let signals = host_process::block_sigchld()?;
    let child = Child::start(command, &sandbox, &signals, None)?;
    let process = HostProcess::supervise(child.id(), signals);
    host.started();
    child.proceed()?;
    let status = end_of(child.id());
    drop(process);
    match child.failed(program) {
        Some(error) => Err(error),
        None => Ok(status?),
    }
}

/// Waits for the program, and ends everything that it left running.
fn end_of(main: libc::pid_t) -> io::Result<ExitStatus> {
    let mut status = None;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, ended))) if process.as_raw_pid() == main => {
                status = Some(match (ended.exit_status(), ended.terminating_signal()) {
                    (Some(code), _) => ExitStatus::Exited(u8::try_from(code).unwrap_or(u8::MAX)),
                    (None, signal) => ExitStatus::Killed(signal.unwrap_or(libc::SIGKILL)),
                });
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::CHILD) => {
                return status.ok_or_else(|| io::Error::other("its end was not reported"));
            }
            Err(why) => return Err(why.into()),
        }
        if status.is_some() {
            tracer::children().into_iter().for_each(ptrace::kill);
        }
    }
}
