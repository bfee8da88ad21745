//! Why the keyring of the system does not do. Nothing of what it keeps is in any of the words.

use std::sync::Arc;
use std::time::Duration;

/// The keyring of the system can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// There is none, or it can't be reached. What was kept there is not lost by that.
    #[error(
        "this system's keyring can't be reached: {why}; start it, or log in with the tokens kept in a file"
    )]
    Absent {
        /// Why.
        why: String,
    },
    /// It is locked, and nobody has unlocked it.
    #[error(
        "this system's keyring is locked: {why}; unlock it and try again, or log in with the tokens kept in a file"
    )]
    Locked {
        /// What it says.
        why: String,
    },
    /// It is there and does not do what it is asked.
    #[error("this system's keyring refuses: {why}")]
    Refused {
        /// What it says.
        why: String,
    },
    /// It takes no text that long.
    #[error(
        "this system's keyring takes no more than {most} bytes, and the tokens have more: log in with the tokens kept in a file"
    )]
    TooLong {
        /// The most that it takes, in bytes.
        most: u32,
    },
    /// It has not answered in time; perhaps it waits for its password. What was asked of it may still happen.
    #[error("this system's keyring has not answered within {} s: see whether it asks for its password, and try again", limit.as_secs_f64())]
    Silent {
        /// The longest it is waited for.
        limit: Duration,
    },
    /// There are several entries where there may be one.
    #[error("this system's keyring has {count} entries `{label}`: remove them there and log in again")]
    Ambiguous {
        /// What it shows them as.
        label: Arc<str>,
        /// How many.
        count: usize,
    },
    /// What it keeps is nothing of ours. It is never overwritten: what is in it may be needed.
    #[error(
        "what this system's keyring has as `{label}` is damaged (line {line}, column {column}): remove it there and log in again"
    )]
    Damaged {
        /// What it shows it as.
        label: Arc<str>,
        /// Where the text stops making sense, from 1; 0 where that is not known.
        line: usize,
        /// The same in the line.
        column: usize,
    },
    /// A newer version of this program wrote it.
    #[error(
        "what this system's keyring has as `{label}` has the format {found}, and {known} is the newest known here: update this program"
    )]
    Newer {
        /// What it shows it as.
        label: Arc<str>,
        /// Its format.
        found: u64,
        /// The newest one that is known here.
        known: u64,
    },
}
