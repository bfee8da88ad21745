//! `becket background`: the hooks that run in the background of hosts, according to their session directories.

use crate::args::{BackgroundArgs, Global};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::{human, json};
use crate::session::{self, Session};
use becket_embed::view::Report;
use becket_embed::view::pending::AllPending;
use becket_engine::background_in;
use std::path::PathBuf;
use std::time::SystemTime;

/// The name of the default directory, below the user's.
const DEFAULT: &str = "becket";

/// Prints the pending hooks.
pub(crate) fn run(args: &BackgroundArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let directory = directory(args, &session::launched(global, around)?)?;
    let listed =
        background_in(&directory).map_err(|error| CliError::unread(directory.join("background"), &error))?;
    let pending = AllPending::new(&directory, listed, SystemTime::now());
    if global.json {
        json::print(&Report::Background(pending), out)?;
    } else {
        out.print(&human::pending::render(&pending, around))?;
    }
    Ok(0)
}

/// Returns the given directory, or the default one below the user's directory of the profile.
fn directory(args: &BackgroundArgs, session: &Session) -> Result<PathBuf, CliError> {
    if let Some(given) = &args.session_dir {
        return Ok(session.start.join(given));
    }
    let user = session.request().user_directory().ok_or(CliError::NoSessionDirectory)?;
    Ok(user.join(DEFAULT))
}
