//! `becket completions`: a script for a shell, generated from the description of the arguments.

use crate::args::Cli;
use crate::error::CommandResult;
use crate::out::Out;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints the script.
pub(crate) fn run(shell: Shell, out: &Out) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "becket", &mut script);
    out.print_raw(&script)?;
    Ok(0)
}
