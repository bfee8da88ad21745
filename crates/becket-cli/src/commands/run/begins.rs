//! The session to open, and the directory of stored sessions.

use super::context::RunContext;
use crate::args::RunSessionArgs;
use crate::error::CliError;
use crate::report::style::one_line;
use becket_agent::session::{OpenError, SetupTrigger, Start};
use becket_agent::transcript::{ResumableSession, Store, StoreError};
use becket_engine::Profile;
use becket_engine::config::Request;
use std::path::PathBuf;

/// The number of sessions in the error about an unknown one.
const NAMED: usize = 3;
/// The number of characters of a prompt that are shown.
const PROMPT: usize = 50;

/// Returns the directory of transcripts, in Becket's own directory of the user; `None` without a home directory: then
/// nothing is stored.
pub(super) fn store(at: RunContext<'_>) -> Option<Store> {
    own_directory(at).map(Store::new)
}

/// Becket's own directory of the user, whatever the dialect.
pub(super) fn own_directory(at: RunContext<'_>) -> Option<PathBuf> {
    let request = Request::new(Profile::becket(), at.session.environment().clone(), &at.session.start);
    request.user_directory()
}

/// Returns the session that the arguments select.
///
/// # Errors
/// Errors if a session that should be copied does not exist.
pub(super) fn start(
    args: &RunSessionArgs,
    store: Option<&Store>,
    at: RunContext<'_>,
) -> Result<Start, CliError> {
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

/// Returns the trigger of the Setup hooks that run first, if any.
pub(super) fn setup(args: &RunSessionArgs) -> Option<SetupTrigger> {
    match (args.init || args.init_only, args.maintenance) {
        (true, _) => Some(SetupTrigger::Init),
        (false, true) => Some(SetupTrigger::Maintenance),
        (false, false) => None,
    }
}

/// Converts the reason why there is no session; an unknown session's error lists the existing ones.
pub(super) fn not_opened(error: &OpenError, store: Option<&Store>, at: RunContext<'_>) -> CliError {
    let why = match (&at.args.session.resume, store) {
        (Some(given), Some(store)) => {
            not_found(error, given, &store.list(&at.session.start).unwrap_or_default())
        }
        (_, _) => error.to_string(),
    };
    CliError::Session { why }
}

/// Returns the reason why the session of that id is not opened, with the existing ones if it does not exist.
pub(super) fn not_found(error: &OpenError, given: &str, known: &[ResumableSession]) -> String {
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

/// Describes a session so that a user recognises it.
fn named(session: &ResumableSession) -> String {
    match session.title.as_ref().or(session.prompt.as_ref()) {
        Some(words) => format!("`{}` ({})", session.id, one_line(words, PROMPT)),
        None => format!("`{}`", session.id),
    }
}
