//! The audit log: every verdict as a line of JSON, each with the hash of the line before it.
//!
//! A [`VerdictLog`] is the log of an engine. [`verify`] reads a log as an outsider would: it follows the chain, and
//! compares it with the [`Checkpoint`]s that were signed and kept in a second place.
//!
//! INVARIANT: a line is written whole or recorded as torn, by any number of processes; nothing is dropped silently
//! except the oldest files of a log that has reached its limit. Records contain only the hash of a tool's input, never
//! the input, and anything that looks like a secret is redacted.
//!
//! The log proves nothing against someone who can write both the log and the key: give the key to another user, or
//! keep it elsewhere.

mod chain;
mod checkpoint;
mod finding;
mod key;
mod log_place;
mod record;
mod recovery;
mod summary;
mod verdict_log;
mod verify;
mod writer;

pub use chain::{GENESIS, digest};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use finding::{Finding, FindingKind};
pub use key::{KeyError, SigningKey, VerifyingKey};
pub use log_place::LogPlace;
pub use record::{
    AuditRecord, RecordBody, RecordedHandler, TornLines, VERSION, VerdictRecord, WrittenRecord,
};
pub use summary::{WithheldSummary, withheld};
pub use verdict_log::{RecordObserver, VerdictLog};
pub use verify::{Report, VerifyError, records, verify};
pub use writer::{AuditError, AuditWriter, RotationLimits};
