//! Context that an agent does not take before a call, kept until the hook about the call's result.
//!
//! One private file for each session holds it by the id of the call. It is locked while it is changed, since calls of one
//! session may run at the same time, and removed with the session.

use crate::error::CliError;
use crate::session::Session;
use becket_base::file_lock;
use becket_base::private_file;
use becket_base::text_file::read_if_there;
use becket_dialects::{CarriedContext, derived_id};
use becket_model::SessionId;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The calls of one session whose context is kept. An older one has had no result for so many calls that it has none.
const CALLS: usize = 64;

/// Keeps context for the result of a call.
///
/// # Errors
/// Errors if the file can't be written: without the context the call is not as its hooks want it.
pub(super) fn keep(session: &Session, id: &SessionId, carried: &CarriedContext) -> Result<(), CliError> {
    change(session, id, |calls| {
        while calls.len() >= CALLS {
            let oldest = calls.keys().next().cloned().unwrap_or_default();
            calls.shift_remove(&oldest);
        }
        calls.insert(carried.call.clone(), json!(carried.context));
    })
}

/// Returns the context that is kept for the result of a call, and removes it.
///
/// # Errors
/// Errors if the file can't be read or written.
pub(super) fn take(session: &Session, id: &SessionId, call: &str) -> Result<Option<String>, CliError> {
    if !file(session, id).is_some_and(|file| file.exists()) {
        return Ok(None);
    }
    let mut taken = None;
    change(session, id, |calls| taken = calls.shift_remove(call))?;
    Ok(taken.and_then(|context| context.as_str().map(str::to_owned)))
}

/// Removes everything that is kept for a session.
pub(super) fn forget(session: &Session, id: &SessionId) {
    if let Some(file) = file(session, id) {
        for file in [lock_of(&file), file] {
            // It may never have been there.
            let _ = std::fs::remove_file(file);
        }
    }
}

fn change(
    session: &Session,
    id: &SessionId,
    work: impl FnOnce(&mut Map<String, Value>),
) -> Result<(), CliError> {
    let file = file(session, id).ok_or(CliError::NoSessionDirectory)?;
    let fail = |path: &Path, why| CliError::Write { path: path.to_owned(), why };
    let _lock = file_lock::lock_private(&lock_of(&file)).map_err(|why| fail(&lock_of(&file), why))?;
    let text = read_if_there(&file)?.unwrap_or_default();
    // What is broken is of no use to anything: it starts again.
    let mut calls: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    work(&mut calls);
    private_file::replace(&file, Value::Object(calls).to_string().as_bytes()).map_err(|why| fail(&file, why))
}

fn lock_of(file: &Path) -> PathBuf {
    file.with_extension("lock")
}

/// The file of a session, in the user's directory of the profile. Its name is derived: an id may hold anything.
fn file(session: &Session, id: &SessionId) -> Option<PathBuf> {
    let name = derived_id(id.as_str(), &Map::new());
    Some(session.request().user_directory()?.join("becket/carried").join(name).with_extension("json"))
}
