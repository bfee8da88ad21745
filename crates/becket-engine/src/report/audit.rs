//! The audit of verdicts: each is passed to the log of the host before the host acts on it.

use crate::config::AuditSetting;
use crate::report::outcome::Outcome;
use becket_model::Event;
use std::fmt;

/// A log of verdicts, which the host keeps.
pub trait AuditLog: Send + Sync + fmt::Debug {
    /// Records a verdict.
    ///
    /// # Errors
    /// Errors if the verdict is not recorded, with the reason for the user.
    fn record(&self, setting: &AuditSetting, verdict: &AuditedVerdict<'_>) -> Result<(), NotRecorded>;
}

/// A verdict for the log.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AuditedVerdict<'a> {
    /// The event as the host fired it.
    pub event: &'a Event,
    /// Its outcome.
    pub outcome: &'a Outcome,
    /// The digest of the configuration in force: of each file, its source, its path and its text.
    pub policy: &'a str,
}

impl<'a> AuditedVerdict<'a> {
    /// Creates a verdict for the log.
    pub const fn new(event: &'a Event, outcome: &'a Outcome, policy: &'a str) -> Self {
        AuditedVerdict { event, outcome, policy }
    }
}

/// The reason why a verdict is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotRecorded(pub String);

/// The log of a host that acts on no verdict, for tests and replays of hooks. It records nothing and never fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotAudited;

impl AuditLog for NotAudited {
    fn record(&self, _: &AuditSetting, _: &AuditedVerdict<'_>) -> Result<(), NotRecorded> {
        Ok(())
    }
}
