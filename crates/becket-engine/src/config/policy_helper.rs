//! The setting `policyHelper`: a program, named by a managed file, that prints managed settings (C4).

use super::source::tree::{Data, Node, Span};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The key of managed files.
pub(crate) const KEY: &str = "policyHelper";

const DEFAULT_LIMIT: Duration = Duration::from_secs(10);
const SHORTEST_LIMIT: u64 = 1_000;
const SHORTEST_INTERVAL: u64 = 60_000;

/// A program that prints managed settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PolicyHelper {
    /// Its path, absolute and without `.` and `..`.
    pub(crate) path: PathBuf,
    /// The time that it may take.
    pub(crate) limit: Duration,
}

/// The reason why the setting can't be used, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct PolicyHelperError {
    pub(crate) at: Span,
    pub(crate) why: String,
}

impl PolicyHelper {
    /// Reads the value of the setting.
    ///
    /// # Errors
    /// Errors if a part of it is invalid.
    pub(crate) fn of(node: &Node) -> Result<Self, PolicyHelperError> {
        let wrong = |at: &Node, why: String| PolicyHelperError { at: at.span, why };
        if node.as_map().is_none() {
            return Err(wrong(node, format!("`{KEY}` is an object with `path`, not {}", node.kind())));
        }
        let path = node.get("path").ok_or_else(|| wrong(node, format!("`{KEY}` has no `path`")))?;
        let text = path.value.as_text().filter(|text| is_normal(text));
        let text = text.ok_or_else(|| {
            wrong(&path.value, "`path` must be an absolute path without `.` and `..`".to_owned())
        })?;
        let limit = match node.get("timeoutMs") {
            None => DEFAULT_LIMIT,
            Some(member) => {
                let limit = whole(&member.value).filter(|limit| *limit >= SHORTEST_LIMIT);
                let why = format!("`timeoutMs` must be a whole number from {SHORTEST_LIMIT} on");
                Duration::from_millis(limit.ok_or_else(|| wrong(&member.value, why))?)
            }
        };
        if let Some(member) = node.get("refreshIntervalMs") {
            let interval = whole(&member.value);
            let why = format!("`refreshIntervalMs` must be 0 or a whole number from {SHORTEST_INTERVAL} on");
            interval
                .filter(|interval| *interval == 0 || *interval >= SHORTEST_INTERVAL)
                .ok_or_else(|| wrong(&member.value, why))?;
        }
        Ok(PolicyHelper { path: text.into(), limit })
    }

    /// Returns the name of its answer among the files of a configuration.
    pub(crate) fn file(&self) -> PathBuf {
        format!("<{KEY} {}>", self.path.display()).into()
    }
}

fn is_normal(path: &str) -> bool {
    let is_step = |part: &str| matches!(part, "." | "..");
    Path::new(path).is_absolute() && !path.split(std::path::is_separator).any(is_step)
}

fn whole(node: &Node) -> Option<u64> {
    match &node.data {
        Data::Number(number) => number.as_u64(),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    }
}
