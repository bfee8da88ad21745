//! A supervisor that outlives its line, with the programs that are exempt from ending with it (protocol.md E7).
//!
//! The process that the host has started must end with the line, and a tracer can't hand its processes on. So a second
//! process supervises from the start, and the first one waits for the end of the line.

#![expect(unsafe_code, reason = "fork has no safe interface")]

use std::fs::OpenOptions;
use std::io;
use std::os::fd::OwnedFd;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, set_parent_process_death_signal, setsid};

/// The handle with which the second process ends the first one.
#[derive(Debug)]
pub(crate) struct FirstProcess(OwnedFd);

/// Continues in a second process; the first one only waits, and never returns. It ends with the code that
/// [`FirstProcess::end`] gives it, and if it ends before that, so does the second one.
///
/// INVARIANT: this process has one thread, so the second one may do anything.
pub(crate) fn split() -> io::Result<FirstProcess> {
    let (wait, end) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: there is no other thread, whose locks could be held in the child.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop(wait);
            set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(FirstProcess(end))
        }
        _ => {
            drop(end);
            wait_for_end(&wait)
        }
    }
}

/// Waits, ignoring the signals that end a line in good order: the second process is in the same group, and passes them
/// on.
fn wait_for_end(wait: &OwnedFd) -> ! {
    let mut code = [0];
    // SAFETY: these calls change the disposition of signals, and end this process.
    unsafe {
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            libc::signal(signal, libc::SIG_IGN);
        }
        loop {
            match rustix::io::read(wait, &mut code) {
                Ok(1) => libc::_exit(code[0].into()),
                Err(rustix::io::Errno::INTR) => {}
                // The second process has died, and everything with it.
                Ok(_) | Err(_) => libc::_exit(128 + libc::SIGKILL),
            }
        }
    }
}

impl FirstProcess {
    /// Ends the first process and lets this one live on, outside of its session and without the streams of the line.
    pub(crate) fn end(self, code: u8) -> io::Result<()> {
        setsid()?;
        let null = OpenOptions::new().write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdout(&null)?;
        rustix::stdio::dup2_stderr(&null)?;
        set_parent_process_death_signal(None)?;
        rustix::io::write(&self.0, &[code])?;
        Ok(())
    }
}
