//! A hook's announcement that it continues in the background: `{"async": true, "asyncTimeout": 30}`, alone on its first
//! line (A2).
//!
//! Strict on purpose: a line with any other field is an answer, so that no denial is mistaken for an announcement.

use serde_json::{Map, Value};
use std::time::Duration;

const DEFAULT: Duration = Duration::from_secs(15);
/// The maximum length of the line in bytes; a longer first line is an answer and is not parsed twice.
const LONGEST: usize = 1024;
/// The number from which a limit is read as milliseconds.
const SECONDS_END: f64 = 1000.0;

/// The announcement of a hook that it continues in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Announcement {
    /// The time for which it may still run.
    pub limit: Duration,
    /// The number of bytes of stdout that the announcement takes, its line end included; the rest is the answer.
    pub length: usize,
    /// A warning for the hook's author.
    pub warning: Option<String>,
}

/// Returns the announcement at the beginning of `stdout`, if there is one.
///
/// Once the first line is complete, the result no longer changes, however much is printed later.
pub fn announcement(stdout: &[u8]) -> Option<Announcement> {
    let end = stdout.iter().position(|byte| *byte == b'\n').map_or(stdout.len(), |at| at + 1);
    let line = std::str::from_utf8(&stdout[..end]).ok().filter(|line| line.len() <= LONGEST)?;
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let object: Map<String, Value> = serde_json::from_str(line).ok()?;
    if !object.keys().all(|key| key == "async" || key == "asyncTimeout") {
        return None;
    }
    if object.get("async") != Some(&Value::Bool(true)) {
        return None;
    }
    let (limit, warning) = limit(object.get("asyncTimeout"))?;
    Some(Announcement { limit, length: end, warning })
}

fn limit(value: Option<&Value>) -> Option<(Duration, Option<String>)> {
    match value {
        None | Some(Value::Null) => Some((DEFAULT, None)),
        Some(value) => {
            let number = value.as_f64().filter(|number| *number > 0.0)?;
            if number < SECONDS_END {
                return Some((Duration::try_from_secs_f64(number).ok()?, None));
            }
            let warning =
                format!("`asyncTimeout: {value}` is read as milliseconds; it is a number of seconds");
            Some((Duration::try_from_secs_f64(number / 1000.0).ok()?, Some(warning)))
        }
    }
}
