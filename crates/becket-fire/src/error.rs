//! The reasons why an event has no answer.

use becket_base::text_file::Unread;
use std::io;
use std::path::PathBuf;

/// The reason why the hooks of an event did not all run, or their answer was not written.
#[derive(Debug, thiserror::Error)]
pub enum FiringError {
    /// There is no runtime.
    #[error("the runtime can't be started: {0}")]
    Runtime(io::Error),
    /// The reader of stdout is gone, or the disk is full.
    #[error("the output can't be written: {0}")]
    Output(#[from] io::Error),
    /// A private file of the user is needed, and there is no directory for it.
    #[error("there is no home directory for the files that hooks share; set HOME")]
    NoUserDirectory,
    /// A file that is kept between two hooks can't be read.
    #[error("{0}")]
    Unread(#[from] Unread),
    /// A file that is kept between two hooks can't be written.
    #[error("`{}` can't be written: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// The input is not JSON, or not the payload of a hook.
    #[error("the event on stdin can't be read: {why}")]
    Payload {
        /// The cause.
        why: String,
    },
    /// The configuration forbids the start.
    #[error("{why}")]
    Start {
        /// The cause.
        why: String,
    },
    /// The ID of a call can't be made.
    #[error("the system returned no random bytes: {why}")]
    NoRandomness {
        /// The cause.
        why: String,
    },
    /// No call with this ID waits for a person.
    #[error(
        "no call `{id}` waits for approval: it was approved already, or hooks asked about it more than an hour ago; let the agent \
         try again"
    )]
    NoOneTimeApproval {
        /// The ID.
        id: String,
    },
    /// No table describes that agent.
    #[error("there is no dialect `{name}`{}; the dialects are {all}", did_you_mean(near))]
    UnknownDialect {
        /// The name.
        name: String,
        /// The nearest name.
        near: Option<String>,
        /// All names.
        all: String,
    },
    /// The entry of an agent is for another major version.
    #[error(
        "the entry was written for becket {installed}.x, but this is becket {}; run `becket install AGENT --repair`",
        env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// The major version of the entry.
        installed: String,
    },
    /// The input is that of another agent than the entry names.
    #[error(
        "the entry is for {title} (`--dialect {name}`), but the input comes from {other}; use `--dialect {other_name}`"
    )]
    OtherDialect {
        /// The agent of the entry.
        title: &'static str,
        /// The name of its dialect.
        name: &'static str,
        /// The agent of the input.
        other: &'static str,
        /// The name of its dialect.
        other_name: &'static str,
    },
    /// The answer of the hooks would have come after the limit of the agent.
    #[error(
        "the hooks took longer than {limit} s and were ended; give them less to do, or raise the limit with `--within`"
    )]
    HookLimit {
        /// The limit in seconds.
        limit: u64,
    },
    /// A signal interrupted the hooks.
    #[error("interrupted; the hooks that still ran were ended, so nothing was decided")]
    Interrupted,
    /// The program has a bug.
    #[error("internal error: this is a bug in becket, please report the output above")]
    Panicked,
}

impl FiringError {
    /// Runs `work` and catches panics: a panic would end the process with a code that a host reads as "nothing to say".
    ///
    /// # Errors
    /// Errors with the error of `work`, or if it panics.
    pub fn unless_it_panics<T, E: From<FiringError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        caught.unwrap_or_else(|_| Err(FiringError::Panicked.into()))
    }
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map_or(String::new(), |near| format!(" (did you mean `{near}`?)"))
}
