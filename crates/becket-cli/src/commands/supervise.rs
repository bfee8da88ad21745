//! `becket supervise`: the supervisor of one command line of `run`. Rules arrive over a socket that it inherits, and
//! questions and denials are sent back over it.

use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use std::ffi::OsString;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn run(command: &[OsString], around: &Surroundings) -> CommandResult {
    use super::exec::search_path;
    use becket_exec::Program;
    use becket_exec::line::{channel, supervise};

    let channel = channel(becket_process::Command::CHANNEL).map_err(CliError::usage)?;
    let (Some((name, arguments)), Some(directory)) = (command.split_first(), around.process.cwd.clone())
    else {
        return Err(CliError::usage("a program is missing, or the working directory is gone"));
    };
    let program = Program {
        name: name.clone(),
        arguments: arguments.to_vec(),
        variables: around.process.vars.clone(),
        directory,
    };
    supervise(channel, &program, search_path(around)).map_err(CliError::usage)
}

/// Not supported on this platform: command lines have no supervisor.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) fn run(_: &[OsString], _: &Surroundings) -> CommandResult {
    Err(CliError::usage("programs can be supervised on Linux only"))
}
