//! The session to open, and the directory of stored sessions.

use super::context::RunContext;
use crate::args::RunSessionArgs;
use crate::error::CliError;
use crate::report::style::one_line;
use becket_agent::checkpoints::Checkpoints;
use becket_agent::session::{OpenError, SetupTrigger, Start};
use becket_agent::transcript::{ResumableSession, RewindPoint, Store, StoreError};
use becket_engine::Profile;
use becket_engine::config::Request;
use std::path::PathBuf;

/// The variable by which the SDKs ask for copies of edited files.
const CHECKPOINTS: &str = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
/// The number of sessions that the error about an unknown one lists.
const NAMED: usize = 3;
/// The number of characters of a prompt that are shown.
const PROMPT: usize = 50;

/// Returns the directory of transcripts; `None` without a home directory, in which case nothing is stored. In profile
/// `claude` it is that of Claude Code, in the same layout, so that the SDKs find them; otherwise the user's Becket
/// directory.
pub(super) fn store(at: RunContext<'_>) -> Option<Store> {
    let own = own_directory(at)?;
    let request = at.session.request();
    let is_claude = request.profile.directory == Profile::claude().directory;
    Some(match request.user_directory().filter(|_| is_claude) {
        Some(shared) => Store::shared(shared, own),
        None => Store::new(own),
    })
}

/// Returns the store for copies of edited files, if the host wants them.
pub(super) fn checkpoints(at: RunContext<'_>) -> Option<Checkpoints> {
    let is_wanted =
        at.session.environment().var(CHECKPOINTS).is_some_and(|value| value == "true" || value == "1");
    own_directory(at).filter(|_| is_wanted).map(|own| Checkpoints::new(own.join("file-history")))
}

/// Returns the message that a session is rewound to.
///
/// # Errors
/// Errors if the message is not named by a UUID, or no session is resumed.
pub(super) fn rewind_point(args: &RunSessionArgs) -> Result<Option<RewindPoint>, CliError> {
    let invalid = |argument: &str, given: &str| {
        CliError::usage(format!(
            "`{argument}={given}` is not a UUID: name a message of the session by its uuid"
        ))
    };
    let Some(message) = &args.resume_session_at else {
        return match &args.resume_drops_turn {
            Some(_) => Err(CliError::usage(
                "`--resume-drops-turn` checks `--resume-session-at`: name the last message that is kept",
            )),
            None => Ok(None),
        };
    };
    if args.resume.is_none() && !args.continue_last {
        return Err(CliError::usage("`--resume-session-at` is about a session: name it with `--resume ID`"));
    }
    if uuid::Uuid::try_parse(message).is_err() {
        return Err(invalid("--resume-session-at", message));
    }
    match &args.resume_drops_turn {
        Some(drops) if uuid::Uuid::try_parse(drops).is_err() => Err(invalid("--resume-drops-turn", drops)),
        drops => Ok(Some(RewindPoint { message: message.clone(), drops: drops.clone() })),
    }
}

/// Returns the user's Becket directory, whatever the dialect.
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

/// Converts the reason why no session was opened; the error for an unknown session lists the existing ones.
pub(super) fn not_opened(error: &OpenError, store: Option<&Store>, at: RunContext<'_>) -> CliError {
    let why = match (&at.args.session.resume, store) {
        (Some(given), Some(store)) => {
            not_found(error, given, &store.list(&at.session.start).unwrap_or_default())
        }
        (_, _) => error.to_string(),
    };
    CliError::Session { why }
}

/// Returns the reason why the session with that id is not opened, with the existing ones if it does not exist.
pub(super) fn not_found(error: &OpenError, given: &str, known: &[ResumableSession]) -> String {
    match error {
        OpenError::Store(StoreError::Unknown { .. } | StoreError::BadId { .. }) => {}
        OpenError::Store(_)
        | OpenError::List(_)
        | OpenError::NotStored
        | OpenError::Worktree(_)
        | OpenError::Servers(_) => return error.to_string(),
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
