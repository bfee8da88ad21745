//! `becket keep`: a second process of `run`, which ends what is left where the first one is killed.
//!
//! Processes are ended, and the directory that only that run has needed is deleted. It reads what runs from stdin, which ends with the run. It gets no variable of the environment, no terminal and no
//! descriptor but its pipe.

use crate::env::Surroundings;
use crate::out::Out;
use crate::run::Done;

#[cfg(not(unix))]
pub(crate) use of_others::{guarded, run};
#[cfg(unix)]
pub(crate) use of_unix::{guarded, run};

#[cfg(unix)]
mod of_unix {
    use super::{Done, Out, Surroundings};
    use becket_process::{Command, Guard, Program};
    use std::ffi::OsStr;
    use std::path::Path;

    /// Waits for the end of the host, and then ends what it has left.
    pub(crate) fn run(private: &Path) -> Done {
        becket_process::keep(std::io::stdin().lock());
        // After a run that has ended by itself there is none.
        drop(std::fs::remove_dir_all(private));
        Ok(0)
    }

    /// Has a second process watch this one, as long as the answer is held. Where there is none the user is told, and the
    /// run goes on.
    pub(crate) fn guarded(private: &Path, around: &Surroundings, out: &Out) -> Option<Guard> {
        let program = around.program.as_ref()?;
        let arguments = [OsStr::new("keep"), private.as_os_str()];
        let keeper = Command::new(Program::exec(program, arguments), "/");
        Guard::start(&keeper)
            .inspect_err(|error| {
                out.tell(&format!(
                    "becket: if this run is killed, nobody ends its hooks and commands: {error}\n"
                ));
            })
            .ok()
    }
}

/// Elsewhere the system ends what a process has started.
#[cfg(not(unix))]
mod of_others {
    use super::{Done, Out, Surroundings};
    use std::path::Path;

    pub(crate) fn run(_: &Path) -> Done {
        Ok(0)
    }

    pub(crate) fn guarded(_: &Path, _: &Surroundings, _: &Out) {}
}
