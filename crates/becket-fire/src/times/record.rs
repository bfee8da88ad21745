//! The record of one event.

use serde::{Deserialize, Serialize};

/// The version of records that this build writes; it reads this and earlier ones.
pub const VERSION: u32 = 1;
/// The maximum length of a line of a log, in bytes.
pub const LONGEST_LINE: u64 = 1 << 20;

/// The runs of one event. It contains names and times, and no input or output of a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeRecord {
    /// The version of the record. It is the first member of a line.
    pub version: u32,
    /// The host that fired the event: `run`, `serve`, `fire`, `test`, `mcp`, or `transcript` if it was read from one.
    pub host: String,
    /// The start of the event, in microseconds since 1970.
    pub at: u64,
    /// The id of the session.
    pub session: String,
    /// The event.
    pub event: String,
    /// The value that matchers were tested against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The time from the event to its verdict, in microseconds; 0 if it did not wait for these runs.
    pub us: u64,
    /// The runs.
    pub runs: Vec<RunTime>,
}

/// One run of a handler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTime {
    /// The name of the hook.
    pub hook: String,
    /// The position of its definition.
    #[serde(default)]
    pub place: String,
    /// Its status, in one word; `observed` if its answer had no effect.
    pub status: String,
    /// Its start, in microseconds after that of the event.
    #[serde(default)]
    pub from: u64,
    /// The time that it took, in microseconds.
    pub us: u64,
    /// Set if the event did not wait for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
}
