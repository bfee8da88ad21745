//! Finds the change of the settings that changes a decision.

use super::engines::CopyEngine;
use super::places::root_of;
use super::run::ReplayError;
use super::scratch::Scratch;
use super::settings_change::SettingsChanges;
use super::tally::{DifferenceKey, DifferenceTally};
use super::word;
use crate::check;
use crate::runner::Subject;
use crate::transcript::RecordedEvent;
use becket_base::text_file;
use becket_engine::CancellationToken;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The maximum number of differences that are explained.
const MOST: usize = 100;

/// A search over the files between two settings files.
pub(super) struct Bisection<'a> {
    subject: &'a Subject,
    scratch: &'a Scratch,
    changes: SettingsChanges,
    root: PathBuf,
    engines: BTreeMap<usize, CopyEngine>,
}

impl<'a> Bisection<'a> {
    /// Prepares the search, in a separate copy.
    pub(super) fn new(subject: &'a Subject, scratch: &'a Scratch, new: &str) -> Result<Self, ReplayError> {
        let present = text_file::read(&subject.root.join(&subject.settings).join("settings.json"));
        let present = present.unwrap_or_else(|_| "{}".to_owned());
        let parsed = |text: &str| {
            serde_json::from_str(text).map_err(|why| ReplayError::Settings { why: why.to_string() })
        };
        let changes = SettingsChanges::between(parsed(&present)?, parsed(new)?);
        let root = scratch.copy("bisect", None)?;
        Ok(Bisection { subject, scratch, changes, root, engines: BTreeMap::new() })
    }

    /// Describes the change behind each difference.
    pub(super) async fn run(
        &mut self,
        differences: &BTreeMap<DifferenceKey, DifferenceTally>,
        cancel: &CancellationToken,
    ) -> Result<BTreeMap<DifferenceKey, String>, ReplayError> {
        let mut found = BTreeMap::new();
        for (key, difference) in differences.iter().take(MOST) {
            let Some(example) = &difference.counted.example else { continue };
            if let Some(number) = self.culprit(key, &example.event, cancel).await? {
                found.insert(key.clone(), self.changes.describe(number).to_owned());
            }
        }
        Ok(found)
    }

    /// Returns the number of the first change after which the decision is the new one.
    async fn culprit(
        &mut self,
        key: &DifferenceKey,
        event: &RecordedEvent,
        cancel: &CancellationToken,
    ) -> Result<Option<usize>, ReplayError> {
        let (mut low, mut high) = (0, self.changes.len());
        let ends = (self.decided(low, event, cancel).await?, self.decided(high, event, cancel).await?);
        if ends != (Some(key.before), Some(key.after)) {
            return Ok(None);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.decided(middle, event, cancel).await? == Some(key.before) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(Some(low))
    }

    async fn decided(
        &mut self,
        changes: usize,
        event: &RecordedEvent,
        cancel: &CancellationToken,
    ) -> Result<Option<&'static str>, ReplayError> {
        if !self.engines.contains_key(&changes) {
            let file = self.root.join(&self.subject.settings).join("settings.json");
            let text = self.changes.first(changes).to_string();
            fs::write(&file, text).map_err(|why| ReplayError::Write { path: file, why })?;
            let engine = CopyEngine::load(self.subject, self.scratch, self.root.clone())?;
            self.engines.insert(changes, engine);
        }
        let Some(copy) = self.engines.get(&changes) else { return Ok(None) };
        let Some(fired) = copy.event(event, root_of(&event.root, &self.subject.root)) else {
            return Ok(None);
        };
        let outcome = copy.engine.fire_until(&fired, cancel).await;
        Ok(Some(word::one_word(check::decided(&outcome))))
    }
}
