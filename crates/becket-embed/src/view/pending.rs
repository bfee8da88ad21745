//! The pending background hooks, as `background` shows them.

use becket_engine::{BackgroundFile, Owner, PendingState, RecordedHook};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The pending hooks of a session directory.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AllPending {
    /// The directory that was searched.
    pub directory: String,
    /// The hooks, oldest first.
    pub hooks: Vec<PendingHook>,
    /// Other files in the directory.
    pub not_listed: Vec<BadFile>,
}

/// One hook.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PendingHook {
    /// The id of its run.
    pub id: String,
    /// The id of its session.
    pub session: String,
    /// The event that it was started for.
    pub event: String,
    /// Its name for people.
    pub label: String,
    /// The origin of its handler.
    pub source: String,
    /// The position of its definition.
    pub at: String,
    /// Its state.
    pub state: State,
    /// The time in that state, in seconds; for a stale hook, the time since its start.
    pub for_s: f64,
    /// Its time limit in seconds.
    pub limit_s: f64,
    /// The process that runs it.
    pub pid: u32,
}

/// The state of a pending hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The hook is running.
    Running,
    /// The hook waits, since its session runs the maximum number of hooks.
    Waiting,
    /// The process that ran it no longer exists, and left this entry behind.
    Stale,
}

/// A file that does not describe a hook.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BadFile {
    /// The file.
    pub file: String,
    /// The reason.
    pub why: String,
}

impl AllPending {
    /// Converts the entries of `directory`, with their state at `now`.
    pub fn new(directory: &Path, listed: Vec<BackgroundFile>, now: SystemTime) -> Self {
        let mut all = AllPending {
            directory: directory.display().to_string(),
            hooks: Vec::new(),
            not_listed: Vec::new(),
        };
        for BackgroundFile { file, hook, .. } in listed {
            match hook {
                Ok(hook) => all.hooks.push(PendingHook::new(hook, now)),
                Err(why) => {
                    let file = file.display().to_string();
                    all.not_listed.push(BadFile { file, why: why.to_string() });
                }
            }
        }
        all
    }
}

impl PendingHook {
    fn new(hook: RecordedHook, now: SystemTime) -> Self {
        PendingHook {
            state: match (hook.owner, hook.state) {
                (Owner::Gone, _) => State::Stale,
                (Owner::Alive | Owner::Unknown, PendingState::Running) => State::Running,
                (Owner::Alive | Owner::Unknown, PendingState::Waiting) => State::Waiting,
            },
            // A clock that was set back must not make it negative.
            for_s: now.duration_since(hook.since).unwrap_or(Duration::ZERO).as_secs_f64(),
            limit_s: hook.limit.as_secs_f64(),
            id: hook.id,
            session: hook.session,
            event: hook.event,
            label: hook.label,
            source: hook.source,
            at: hook.location,
            pid: hook.pid,
        }
    }
}
