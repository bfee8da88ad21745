//! An engine for a copy of the project, with the interceptor of a replay.

use super::scratch::Scratch;
use super::stage::Stage;
use crate::runner::{CaseError, Subject};
use crate::transcript::RecordedEvent;
use becket_engine::Engine;
use becket_model::Event;
use becket_model::wire::input;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::places::Places;

/// A configuration in a copy of its project.
pub(super) struct CopyEngine {
    pub(super) engine: Engine,
    pub(super) stage: Arc<Stage>,
    pub(super) root: PathBuf,
}

impl CopyEngine {
    /// Loads the configuration in a copy.
    pub(super) fn load(subject: &Subject, scratch: &Scratch, root: PathBuf) -> Result<Self, CaseError> {
        let stage = Arc::new(Stage::new(scratch.trace()));
        let builder = (subject.builder)(&root, scratch.environment()).intercept(stage.clone());
        let engine = builder.build().map_err(|error| CaseError::Start { why: error.why })?;
        Ok(CopyEngine { engine, stage, root })
    }

    /// Returns a recorded event as it would be in the copy; `None` if its input does not fit the event.
    pub(super) fn event(&self, event: &RecordedEvent, recorded_root: &str) -> Option<Event> {
        let copy = self.root.to_string_lossy();
        let places = Places { recorded: recorded_root, copy: &copy };
        made(event, places.placed(&event.fields), &self.root)
    }
}

fn made(event: &RecordedEvent, mut fields: Map<String, Value>, root: &Path) -> Option<Event> {
    crate::samples::fill(&mut fields, event.kind.spec(), root, root);
    input::from_value(Value::Object(fields)).ok()
}
