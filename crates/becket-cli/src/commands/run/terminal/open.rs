//! Takes over the terminal, and asks whether the folder is trusted before anything of it runs (G3).

use super::super::options::Output;
use super::handle::{AnswerKind, InUse, Terminal, ToPut, UserAnswer};
use super::thread::Setup;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use crate::report::style::{FAINT, HEAD, plain, styled};
use crate::session::Session;
use crate::trust;
use becket_engine::config::Request;
use becket_engine::{CancellationToken, Profile};

/// The history file, in Becket's own directory.
const HISTORY: &str = "history";

/// Returns the terminal if the session needs one; dropping the second value restores it.
pub(in crate::commands::run) fn opened(
    output: Output,
    session: &Session,
    around: &Surroundings,
    out: &Out,
    cancel: &CancellationToken,
) -> Option<(Terminal, InUse)> {
    match output {
        Output::Screen(_) => {}
        Output::Text(_) | Output::Json | Output::Stream(_) => return None,
    }
    let own = Request::new(Profile::becket(), session.environment().clone(), &session.start);
    let history = around.process.home.as_ref().and_then(|_| own.user_directory());
    Some(Terminal::open(Setup {
        out: *out,
        history: history.map(|directory| directory.join(HISTORY)),
        start: session.start.clone(),
        cancel: cancel.clone(),
        is_dumb: around.is_dumb(),
    }))
}

/// Asks the user whether the folder is trusted, and records a yes.
///
/// # Errors
/// Errors if the folder is not trusted: then nothing may run.
pub(in crate::commands::run) fn is_trusted(terminal: &Terminal, session: &Session) -> Result<(), CliError> {
    let request = session.request();
    let folder = trust::folder(&request);
    let head = format!(
        "{}\n\n  {}\n\n{}\n",
        styled(HEAD, "Do you trust what is in this folder?"),
        plain(&folder.display().to_string()),
        styled(
            FAINT,
            "Trusting it lets its hooks and MCP servers run as you, and applies its permission rules. Nothing has run yet."
        )
    );
    let options = ["no, leave", "yes, and remember it"].map(str::to_owned).to_vec();
    match terminal.put_and_wait(ToPut::new(head, AnswerKind::One(options))) {
        UserAnswer::Chose(places) if places == [1] => {}
        UserAnswer::Chose(_) | UserAnswer::Text(_) | UserAnswer::Nothing | UserAnswer::Interrupted => {
            return Err(CliError::NotTrusted { folder });
        }
    }
    if let Err(why) = trust::record(&request) {
        terminal.warns(&format!("this is not remembered: {why}"));
    }
    Ok(())
}
