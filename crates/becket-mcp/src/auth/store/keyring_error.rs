//! Errors of the system's keyring. No message contains any of its content.

use std::sync::Arc;
use std::time::Duration;

/// The keyring of the system can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// There is no keyring, or it can't be reached. This does not lose its content.
    #[error(
        "this system's keyring can't be reached: {why}; start it, or log in with the tokens kept in a file"
    )]
    Absent {
        /// The cause.
        why: String,
    },
    /// The keyring is locked and was not unlocked.
    #[error(
        "this system's keyring is locked: {why}; unlock it and try again, or log in with the tokens kept in a file"
    )]
    Locked {
        /// The keyring's message.
        why: String,
    },
    /// The keyring is available and refuses the operation.
    #[error("this system's keyring refuses: {why}")]
    Refused {
        /// The keyring's message.
        why: String,
    },
    /// The text is too long for the keyring.
    #[error(
        "this system's keyring takes no more than {most} bytes, and the tokens have more: log in with the tokens kept in a file"
    )]
    TooLong {
        /// The limit, in bytes.
        most: u32,
    },
    /// The keyring has not answered in time, perhaps because it waits for its password. The operation may still
    /// happen.
    #[error("this system's keyring has not answered within {} s: see whether it asks for its password, and try again", limit.as_secs_f64())]
    Silent {
        /// The time limit.
        limit: Duration,
    },
    /// There are several entries instead of one.
    #[error("this system's keyring has {count} entries `{label}`: remove them there and log in again")]
    Ambiguous {
        /// The label of the entries.
        label: Arc<str>,
        /// The number of entries.
        count: usize,
    },
    /// The content of the entry was not written by this program. It is never overwritten: it may be needed.
    #[error(
        "what this system's keyring has as `{label}` is damaged (line {line}, column {column}): remove it there and log in again"
    )]
    Damaged {
        /// The label of the entry.
        label: Arc<str>,
        /// The line of the error, from 1; 0 if unknown.
        line: usize,
        /// The column; 0 if unknown.
        column: usize,
    },
    /// The entry was written by a newer version of this program.
    #[error(
        "what this system's keyring has as `{label}` has the format {found}, and {known} is the newest known here: update this program"
    )]
    Newer {
        /// The label of the entry.
        label: Arc<str>,
        /// The format of the entry.
        found: u64,
        /// The newest format that is known here.
        known: u64,
    },
}
