//! Context that an agent does not accept before a call, kept until the hook about the call's result, and context of
//! hooks that ended after their event, kept until the next answer that accepts it.
//!
//! One private file for each session contains it by the id of the call. It is locked while it is changed, since calls
//! of one session may run at the same time, and removed with the session.

use crate::{FiringError, Launch};
use becket_base::file_lock;
use becket_base::private_file;
use becket_base::text_file::read_if_there;
use becket_dialects::CarriedContext;
use becket_model::{EventKind, SessionId};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The directory of the files, below the user's directory of settings.
const DIRECTORY: &str = "becket/carried";
/// The maximum number of calls of one session whose context is kept. An older call has waited for so many others that
/// it will have no result.
const CALLS: usize = 64;

/// The key of texts that hooks add after their event; no call has this id.
const LATE: &str = "becket-late";
/// The age at which a file belongs to a session whose end was never reported.
const ABANDONED: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The events whose answers contain late texts of hooks: these are for the model, and start no turn.
const LATE_EVENTS: [EventKind; 4] = [
    EventKind::UserPromptSubmit,
    EventKind::PreToolUse,
    EventKind::PostToolUse,
    EventKind::PostToolUseFailure,
];

/// Returns true if context is kept for the answers of any session of the user.
pub fn is_kept(launch: &Launch) -> bool {
    let directory = launch.request().user_directory().map(|directory| directory.join(DIRECTORY));
    let entries = directory.and_then(|directory| std::fs::read_dir(directory).ok());
    entries.is_some_and(|mut entries| entries.next().is_some())
}

/// Keeps texts that hooks add after their event.
///
/// # Errors
/// Errors if the file can't be written.
pub fn keep_late(launch: &Launch, id: &SessionId, texts: Vec<String>) -> Result<(), FiringError> {
    if texts.is_empty() {
        return Ok(());
    }
    change(launch, id, |calls| {
        let before = calls.get(LATE).and_then(Value::as_str).map(str::to_owned);
        let all: Vec<String> = before.into_iter().chain(texts).collect();
        calls.insert(LATE.to_owned(), json!(all.join("\n")));
    })
}

/// Returns the texts that hooks added after their event, if the answer about an event may contain them, and removes
/// them. An unusable file loses them, since nothing depends on them.
pub fn take_late(launch: &Launch, id: &SessionId, kind: EventKind) -> Option<String> {
    let takes = LATE_EVENTS.contains(&kind);
    if takes { take(launch, id, LATE).ok().flatten() } else { None }
}

/// Keeps context for the result of a call.
///
/// # Errors
/// Errors if the file can't be written: without the context the call is not as its hooks intended.
pub fn keep(launch: &Launch, id: &SessionId, carried: &CarriedContext) -> Result<(), FiringError> {
    change(launch, id, |calls| {
        while calls.len() >= CALLS {
            let oldest = calls.keys().find(|key| *key != LATE).cloned().unwrap_or_default();
            calls.shift_remove(&oldest);
        }
        calls.insert(carried.call.clone(), json!(carried.context));
    })
}

/// Returns the context kept for the result of a call, and removes it.
///
/// # Errors
/// Errors if the file can't be read or written.
pub fn take(launch: &Launch, id: &SessionId, call: &str) -> Result<Option<String>, FiringError> {
    if !file(launch, id).is_some_and(|file| file.exists()) {
        return Ok(None);
    }
    let mut taken = None;
    change(launch, id, |calls| taken = calls.shift_remove(call))?;
    Ok(taken.and_then(|context| context.as_str().map(str::to_owned)))
}

/// Removes everything that is kept for a session, and files of abandoned sessions.
pub fn forget(launch: &Launch, id: &SessionId) {
    let Some(file) = file(launch, id) else { return };
    let directory = file.parent().map(Path::to_owned).unwrap_or_default();
    for file in [lock_of(&file), file] {
        // It may never have existed.
        let _ = std::fs::remove_file(file);
    }
    let is_abandoned = |entry: &std::fs::DirEntry| {
        let changed = entry.metadata().and_then(|found| found.modified());
        let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age > ABANDONED)
    };
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten().filter(is_abandoned) {
        // Another process may have removed it.
        let _ = std::fs::remove_file(entry.path());
    }
}

fn change(
    launch: &Launch,
    id: &SessionId,
    work: impl FnOnce(&mut Map<String, Value>),
) -> Result<(), FiringError> {
    let file = file(launch, id).ok_or(FiringError::NoUserDirectory)?;
    let fail = |path: &Path, why| FiringError::Write { path: path.to_owned(), why };
    let _lock = file_lock::lock_private(&lock_of(&file)).map_err(|why| fail(&lock_of(&file), why))?;
    let text = read_if_there(&file)?.unwrap_or_default();
    // Broken content is useless: the file starts empty.
    let mut calls: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    work(&mut calls);
    private_file::replace(&file, Value::Object(calls).to_string().as_bytes()).map_err(|why| fail(&file, why))
}

fn lock_of(file: &Path) -> PathBuf {
    file.with_extension("lock")
}

/// Returns the file of a session.
fn file(launch: &Launch, id: &SessionId) -> Option<PathBuf> {
    Some(launch.path_of_session(DIRECTORY, id)?.with_extension("json"))
}
