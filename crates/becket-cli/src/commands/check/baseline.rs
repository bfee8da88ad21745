//! A baseline: findings that are known, so that only new ones are reported.
//!
//! A finding is recognised by its file, code and message, and not by its line: edits elsewhere in the file don't make it
//! new. If the same finding occurs more often than before, the additional ones are reported.

use crate::error::CliError;
use becket_engine::config::Diagnostic;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The content of a baseline file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Baseline {
    /// The format version, which is 1.
    version: u32,
    findings: Vec<KnownFinding>,
}

/// A group of equal findings in one file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFinding {
    file: String,
    code: String,
    message: String,
    count: usize,
}

type FindingKey = (String, String, String);

const VERSION: u32 = 1;

impl Baseline {
    /// Collects findings; files below `root` are recorded relative to it.
    pub(super) fn of(found: &[Diagnostic], root: &Path) -> Self {
        let mut counts: BTreeMap<FindingKey, usize> = BTreeMap::new();
        for diagnostic in found {
            *counts.entry(key(diagnostic, root)).or_default() += 1;
        }
        let findings = counts
            .into_iter()
            .map(|((file, code, message), count)| KnownFinding { file, code, message, count })
            .collect();
        Self { version: VERSION, findings }
    }

    /// Reads a baseline file.
    ///
    /// # Errors
    /// Errors if the file can't be read, or is not a baseline of this version.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let text = becket_base::text_file::read(path)?;
        let fault = |why: String| CliError::Baseline { path: path.to_owned(), why };
        let baseline: Self = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
        if baseline.version == VERSION {
            Ok(baseline)
        } else {
            Err(fault(format!("it has version {}, and this program reads {VERSION}", baseline.version)))
        }
    }

    /// Writes the baseline to a file.
    ///
    /// # Errors
    /// Errors if the file can't be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), CliError> {
        let fault = |why: String| CliError::Baseline { path: path.to_owned(), why };
        let text = serde_json::to_string_pretty(self).map_err(|error| fault(error.to_string()))?;
        std::fs::write(path, text + "\n").map_err(|error| fault(error.to_string()))
    }

    /// Removes the findings that the baseline contains.
    pub(super) fn remove_known(self, found: &mut Vec<Diagnostic>, root: &Path) {
        let mut known: BTreeMap<FindingKey, usize> = self
            .findings
            .into_iter()
            .map(|finding| ((finding.file, finding.code, finding.message), finding.count))
            .collect();
        found.retain(|diagnostic| match known.get_mut(&key(diagnostic, root)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            Some(_) | None => true,
        });
    }
}

fn key(diagnostic: &Diagnostic, root: &Path) -> FindingKey {
    let file = diagnostic.file.strip_prefix(root).unwrap_or(&diagnostic.file);
    (file.to_string_lossy().into_owned(), diagnostic.code.to_owned(), diagnostic.message.clone())
}
