//! Which session is opened, and where sessions are stored.

use super::assembled::At;
use crate::args::RunSessionArgs;
use crate::error::CliError;
use crate::report::style::one_line;
use becket_agent::session::{OpenError, SetupTrigger, Start};
use becket_agent::transcript::{Listed, Store, StoreError};
use becket_engine::Profile;
use becket_engine::config::Request;
use std::path::PathBuf;

/// How many sessions are named to somebody who looks for one.
const NAMED: usize = 3;
/// How much of a prompt is shown, in characters.
const PROMPT: usize = 50;

/// Where transcripts are kept: Becket's own directory of the user. None where there is no home: then nothing is stored.
pub(super) fn store(at: At<'_>) -> Option<Store> {
    own_directory(at).map(Store::new)
}

/// Becket's own directory of the user, whatever the dialect.
pub(super) fn own_directory(at: At<'_>) -> Option<PathBuf> {
    let request = Request::new(Profile::becket(), at.session.environment().clone(), &at.session.start);
    request.user_directory()
}

/// What the arguments say of the session.
///
/// # Errors
/// A session that is to be copied is not there.
pub(super) fn start(args: &RunSessionArgs, store: Option<&Store>, at: At<'_>) -> Result<Start, CliError> {
    let copies = args.fork_session;
    match (&args.resume, args.continue_last) {
        (Some(id), _) if copies => Ok(Start::Fork { id: id.clone() }),
        (Some(id), _) => Ok(Start::Resume { id: id.clone() }),
        (None, true) if copies => {
            let latest = store.map(|store| store.latest(&at.session.start)).transpose();
            let latest = latest.map_err(|error| CliError::Session { why: error.to_string() })?.flatten();
            let id = latest.ok_or_else(|| {
                let why = "there is no session of this directory to copy".to_owned();
                CliError::Session { why }
            })?;
            Ok(Start::Fork { id })
        }
        (None, true) => Ok(Start::Continue),
        (None, false) => Ok(Start::New),
    }
}

/// Whether Setup hooks run first.
pub(super) fn setup(args: &RunSessionArgs) -> Option<SetupTrigger> {
    match (args.init || args.init_only, args.maintenance) {
        (true, _) => Some(SetupTrigger::Init),
        (false, true) => Some(SetupTrigger::Maintenance),
        (false, false) => None,
    }
}

/// Why there is no session. Whoever looks for one that is not there is told which there are.
pub(super) fn not_opened(error: &OpenError, store: Option<&Store>, at: At<'_>) -> CliError {
    let why = match (&at.args.session.resume, store) {
        (Some(given), Some(store)) => {
            not_found(error, given, &store.list(&at.session.start).unwrap_or_default())
        }
        (_, _) => error.to_string(),
    };
    CliError::Session { why }
}

/// Why the session of that id is not opened, and which there are beside it where it is not there.
pub(super) fn not_found(error: &OpenError, given: &str, known: &[Listed]) -> String {
    match error {
        OpenError::Store(StoreError::Unknown { .. } | StoreError::BadId { .. }) => {}
        OpenError::Store(_) | OpenError::List(_) | OpenError::NotStored | OpenError::Worktree(_) => {
            return error.to_string();
        }
    }
    let named: Vec<String> = known.iter().take(NAMED).map(named).collect();
    let there_are = match named.is_empty() {
        true => "this directory has none".to_owned(),
        false => format!("the newest of this directory: {}", named.join(", ")),
    };
    format!("there is no session `{given}`; {there_are}")
}

/// A session, so that somebody knows it again.
fn named(session: &Listed) -> String {
    match session.title.as_ref().or(session.prompt.as_ref()) {
        Some(words) => format!("`{}` ({})", session.id, one_line(words, PROMPT)),
        None => format!("`{}`", session.id),
    }
}
