//! The log of an engine, through which the verdicts of every host are recorded.

use crate::log_place::LogPlace;
use crate::record::{RecordBody, VerdictRecord, WrittenRecord};
use crate::writer::{AuditWriter, CheckpointPlan, RotationLimits};
use becket_engine::config::AuditSetting;
use becket_engine::{AuditLog, AuditedVerdict, NotRecorded};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// An observer of a log, such as a copy of it elsewhere.
///
/// The verdict waits for it, so it must not block: it passes the record to another thread.
pub trait RecordObserver: Send + Sync + std::fmt::Debug {
    /// Receives a record that was written to the file.
    fn written(&self, record: WrittenRecord);
}

/// A log in the place that the configuration names.
#[derive(Debug)]
pub struct VerdictLog {
    home: Option<PathBuf>,
    observer: Option<Arc<dyn RecordObserver>>,
    writer: Mutex<Option<OpenedLog>>,
}

/// A writer and the place that it was opened for.
#[derive(Debug)]
struct OpenedLog {
    place: LogPlace,
    limits: RotationLimits,
    writer: AuditWriter,
}

impl VerdictLog {
    /// Creates the log of a user with this home directory.
    #[must_use]
    pub fn new(home: Option<PathBuf>) -> Self {
        VerdictLog { home, observer: None, writer: Mutex::default() }
    }

    /// Sends every record to an observer once it is in the file.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn RecordObserver>) -> Self {
        VerdictLog { observer: Some(observer), ..self }
    }
}

impl AuditLog for VerdictLog {
    fn record(&self, setting: &AuditSetting, verdict: &AuditedVerdict<'_>) -> Result<(), NotRecorded> {
        let place = LogPlace::of(setting, self.home.as_deref());
        let place = place.ok_or_else(|| {
            NotRecorded("the user has no home directory: set `directory` of the setting `audit`".to_owned())
        })?;
        let body = RecordBody::Verdict(Box::new(VerdictRecord::new(verdict)));
        let limits = RotationLimits { bytes: setting.max_bytes, files: setting.max_files };
        let checkpoints = setting.key.as_deref().map(|key| CheckpointPlan {
            key,
            every: setting.checkpoint_every,
            second_place: setting.checkpoints.as_deref(),
        });
        let mut opened = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.as_ref().is_none_or(|opened| opened.place != place || opened.limits != limits) {
            let writer = AuditWriter::new(place.clone(), limits);
            *opened = Some(OpenedLog { place, limits, writer });
        }
        let Some(opened) = &mut *opened else { return Ok(()) };
        let appended = opened.writer.append_with(body, checkpoints);
        let written = opened.writer.take_written();
        if let Some(observer) = &self.observer {
            written.into_iter().for_each(|record| observer.written(record));
        }
        appended.map_err(|why| NotRecorded(why.to_string()))
    }
}
