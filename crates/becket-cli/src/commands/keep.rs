//! `becket keep`: a second process of `run`, which ends the remaining processes if the first one is killed.
//!
//! It ends the processes, and deletes the directory that only that run needed. It reads the list of processes from
//! stdin, which ends with the run. It gets no environment variables, no terminal and no descriptor except its pipe.

use crate::env::Surroundings;
use crate::error::CommandResult;
use crate::out::Out;

#[cfg(not(unix))]
pub(crate) use of_others::{guarded, run};
#[cfg(unix)]
pub(crate) use of_unix::{guarded, run};

#[cfg(unix)]
mod of_unix {
    use super::{CommandResult, Out, Surroundings};
    use becket_process::{Command, Guard, Program};
    use std::ffi::OsStr;
    use std::path::Path;

    /// Waits until the host has ended, and then ends the processes that it left behind.
    pub(crate) fn run(private: &Path) -> CommandResult {
        becket_process::keep(std::io::stdin().lock());
        // After a run that ended normally, the directory does not exist.
        drop(std::fs::remove_dir_all(private));
        Ok(0)
    }

    /// Starts a second process that watches this one as long as the returned guard exists. If it can't be started the
    /// user is warned, and the run continues.
    pub(crate) fn guarded(private: &Path, around: &Surroundings, out: &Out) -> Option<Guard> {
        let program = around.program.as_ref()?;
        let arguments = [OsStr::new("keep"), private.as_os_str()];
        let keeper = Command::new(Program::exec(program, arguments), "/");
        Guard::start(&keeper)
            .inspect_err(|error| {
                out.eprint(&format!(
                    "becket: if this run is killed, its hooks and commands are not ended: {error}\n"
                ));
            })
            .ok()
    }
}

/// On other systems, the system itself ends the processes.
#[cfg(not(unix))]
mod of_others {
    use super::{CommandResult, Out, Surroundings};
    use std::path::Path;

    pub(crate) fn run(_: &Path) -> CommandResult {
        Ok(0)
    }

    pub(crate) fn guarded(_: &Path, _: &Surroundings, _: &Out) {}
}
