//! The first process: it waits until it is traced, restricts itself and executes the program.

#![expect(unsafe_code, reason = "fork and exec under a tracer have no safe interface")]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::WaitOptions;

use super::command::Command;
use super::namespaces::NamespaceError;
use super::sandbox::Sandbox;
use crate::error::StartError;
use crate::supervisor::Program;

/// The exit code of a child that has executed nothing.
const NOTHING_RUN: libc::c_int = 125;

/// The steps of a child that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Step {
    Directory = 1,
    Sandbox = 2,
    Execute = 3,
    Mounts = 4,
    Network = 5,
}

/// The first process.
#[derive(Debug)]
pub(super) struct Child {
    id: libc::pid_t,
    /// One byte lets the child continue; closing it ends the child.
    go: OwnedFd,
    /// Delivers the step that failed, and the error.
    failure: OwnedFd,
}

impl Child {
    /// Forks. The child can be traced, and does nothing until [`Child::proceed`]. It sends the listener of its network
    /// to `proxy`.
    pub(super) fn start(
        command: &Command,
        sandbox: &Sandbox,
        signals: &libc::sigset_t,
        proxy: Option<&UnixStream>,
    ) -> Result<Self, StartError> {
        let (wait, go) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        let (failure, report) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        let (arguments, variables) = (command.argument_pointers(), command.variable_pointers());
        // SAFETY: the child makes system calls only, on memory that was prepared before the fork, and never returns.
        let id = unsafe { libc::fork() };
        if id == 0 {
            let (wait, go, report) = (wait.as_raw_fd(), go.as_raw_fd(), report.as_raw_fd());
            let proxy = proxy.map(AsFd::as_fd);
            // SAFETY: as above; the pointers are null-terminated lists of C strings that outlive the call.
            unsafe {
                become_program(
                    command,
                    sandbox,
                    signals,
                    &ChildInputs { arguments, variables, wait, go, report, proxy },
                )
            }
        }
        if id < 0 {
            return Err(io::Error::last_os_error().into());
        }
        // The parent's copy is closed, so the read also ends if the child does.
        drop(report);
        rustix::io::retry_on_intr(|| rustix::io::read(&failure, &mut [0])).map_err(io::Error::from)?;
        Ok(Self { id, go, failure })
    }

    pub(super) fn id(&self) -> libc::pid_t {
        self.id
    }

    /// Lets the child continue: it is traced now.
    pub(super) fn proceed(&self) -> io::Result<()> {
        rustix::io::write(&self.go, b"g")?;
        Ok(())
    }

    /// Ends a child that was not let continue, and waits for its end.
    pub(super) fn abandon(self) {
        drop(self.go);
        let _ = rustix::process::waitpid(rustix::process::Pid::from_raw(self.id), WaitOptions::empty());
    }

    /// Returns the reason why the child has executed nothing; `why` is the tracer's error.
    pub(super) fn start_error(self, why: io::Error, program: &Program) -> StartError {
        self.failed(program).unwrap_or(StartError::System(why))
    }

    /// Returns the error of a child that has ended without executing its program.
    pub(super) fn failed(&self, program: &Program) -> Option<StartError> {
        Some(match self.failure()? {
            (Step::Directory, why) => StartError::Directory { directory: program.directory.clone(), why },
            (Step::Sandbox, why) => StartError::NoSeccomp(why),
            (Step::Mounts, why) => StartError::Mounts(why),
            (Step::Network, why) => StartError::Network(why),
            (Step::Execute, why) => StartError::NotExecutable { file: PathBuf::from(&program.name), why },
        })
    }

    /// Returns the step of the child that failed, and the error, once the child has executed its program or ended.
    fn failure(&self) -> Option<(Step, io::Error)> {
        let mut report = [0; 5];
        let read = rustix::io::read(&self.failure, &mut report);
        if read != Ok(report.len()) {
            return None;
        }
        let [step, error @ ..] = report;
        let step = match step {
            step if step == Step::Directory as u8 => Step::Directory,
            step if step == Step::Sandbox as u8 => Step::Sandbox,
            step if step == Step::Mounts as u8 => Step::Mounts,
            step if step == Step::Network as u8 => Step::Network,
            _ => Step::Execute,
        };
        Some((step, io::Error::from_raw_os_error(i32::from_ne_bytes(error))))
    }
}

/// Memory and descriptors for the child.
struct ChildInputs<'p> {
    arguments: Vec<*const libc::c_char>,
    variables: Vec<*const libc::c_char>,
    wait: libc::c_int,
    go: libc::c_int,
    report: libc::c_int,
    proxy: Option<BorrowedFd<'p>>,
}

/// Executes the program, or ends the process.
///
/// # Safety
/// May only be called after a fork, with lists that end with a null pointer: it allocates nothing, and takes no lock.
unsafe fn become_program(
    command: &Command,
    sandbox: &Sandbox,
    signals: &libc::sigset_t,
    inputs: &ChildInputs<'_>,
) -> ! {
    // SAFETY: system calls on prepared memory; the descriptors are this process's own copies.
    unsafe {
        libc::close(inputs.go);
        let report_to = BorrowedFd::borrow_raw(inputs.report);
        // The process may be closed to tracers (`PR_SET_DUMPABLE`), which a fork inherits. Its files below `/proc`
        // would belong to root then, too.
        libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0);
        let _ = rustix::io::write(report_to, b"r");
        let mut byte = MaybeUninit::<u8>::uninit();
        if libc::read(inputs.wait, byte.as_mut_ptr().cast(), 1) != 1 {
            libc::_exit(NOTHING_RUN);
        }
        // The runtime of Rust ignores it; programs expect to be ended by it.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_SETMASK, signals, std::ptr::null_mut());
        let failed = if let Err(why) = sandbox.enter_namespaces(inputs.proxy) {
            let (step, why) = match why {
                NamespaceError::Mounts(why) => (Step::Mounts, why),
                NamespaceError::Network(why) => (Step::Network, why),
            };
            *libc::__errno_location() = why.raw_os_error().unwrap_or(libc::EPERM);
            step
        } else if libc::chdir(command.directory.as_ptr()) != 0 {
            Step::Directory
        } else if sandbox.enter().is_err() {
            Step::Sandbox
        } else {
            libc::execve(command.file.as_ptr(), inputs.arguments.as_ptr(), inputs.variables.as_ptr());
            Step::Execute
        };
        let error = (*libc::__errno_location()).to_ne_bytes();
        let report = [failed as u8, error[0], error[1], error[2], error[3]];
        // Nothing else can be done about a report that fails.
        let _ = rustix::io::write(report_to, &report);
        libc::_exit(NOTHING_RUN)
    }
}
