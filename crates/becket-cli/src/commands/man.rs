//! `becket man`: manual pages, generated from the description of the arguments.

use crate::error::{CliError, CommandResult};
use crate::help;
use crate::out::Out;
use clap_mangen::Man;
use std::path::Path;

/// Prints the main page, or writes all pages into a directory.
pub(crate) fn run(directory: Option<&Path>, out: &Out) -> CommandResult {
    let Some(directory) = directory else {
        let mut page = Vec::new();
        Man::new(help::command()).render(&mut page)?;
        out.print_raw(&page)?;
        return Ok(0);
    };
    let refused = |why| CliError::Write { path: directory.to_owned(), why };
    std::fs::create_dir_all(directory).map_err(refused)?;
    clap_mangen::generate_to(help::command(), directory).map_err(refused)?;
    Ok(0)
}
