//! `becket completions`: a script for a shell, generated from the description of the arguments.

use crate::error::CommandResult;
use crate::help;
use crate::out::Out;
use clap_complete::Shell;

/// Prints the script.
pub(crate) fn run(shell: Shell, out: &Out) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "becket", &mut script);
    out.print_raw(&script)?;
    Ok(0)
}
