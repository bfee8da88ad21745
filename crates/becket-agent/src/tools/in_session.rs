//! The tools on files as a session has them: with what it has read, with effects and suggestions of their own.

use super::ledger::Ledger;
use super::reach;
use super::tool::{Call, Input, Tool as Deed};
use crate::surroundings::Surroundings;
use crate::tool_call::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A tool's access to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Reads,
    Edits,
}

/// One tool in a session.
pub(crate) struct InSession {
    pub(crate) deed: &'static dyn Deed,
    pub(crate) does: Does,
    pub(crate) host: Arc<Surroundings>,
    pub(crate) ledger: Arc<Ledger>,
}

impl InSession {
    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let RunningCall { session, id: _, input, own, cancel, limit } = running;
        let call = Call {
            host: &self.host,
            session,
            input: Input(input),
            cancel,
            ledger: Some(&self.ledger),
            written: self.written(session, input, own),
        };
        match tokio::time::timeout(limit, self.deed.run(call)).await {
            Ok(answer) if answer.is_error => Err(ToolFailure::new(answer.text)),
            Ok(answer) => Ok(ToolOutput::text(answer.text, answer.response)),
            Err(_) => Err(ToolFailure::new(format!("it took longer than {} s", limit.as_secs_f64()))),
        }
    }

    /// Returns the path as the model wrote it, unless it was rewritten.
    fn written<'a>(
        &self,
        session: &Session,
        input: &Map<String, Value>,
        own: &'a Map<String, Value>,
    ) -> Option<&'a str> {
        let written = Input(own).text("file_path")?;
        let path = becket_engine::absolute(written, &session.cwd, self.host.environment.home());
        (path.to_str() == Input(input).text("file_path")).then_some(written)
    }

    fn file(input: &Map<String, Value>) -> &Path {
        Path::new(Input(input).text("file_path").unwrap_or_default())
    }

    /// Returns the directory that a read searches.
    fn directory(session: &Session, input: &Map<String, Value>) -> PathBuf {
        match Input(input).text("file_path") {
            Some(file) => Path::new(file).parent().unwrap_or(Path::new("/")).to_path_buf(),
            None => {
                let root = Input(input).root(session);
                let parent = root.parent().filter(|_| root.is_file()).map(Path::to_path_buf);
                parent.unwrap_or(root)
            }
        }
    }
}

impl Tool for InSession {
    fn name(&self) -> &str {
        self.deed.spec().name
    }

    fn spec(&self) -> ToolSpec {
        self.deed.spec().for_model()
    }

    fn hints(&self) -> Hints {
        let reads = self.does == Does::Reads;
        Hints { read_only: reads, destructive: !reads, open_world: false, together: reads }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.deed.spec().validate(input).map_err(|error| error.to_string())?;
        self.deed.check(Input(input))
    }

    fn defaults(&self) -> Map<String, Value> {
        self.deed.spec().defaults()
    }

    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        match self.does {
            Does::Reads if self.deed.runs_unasked(&self.host, session, Input(input)) => Effect::Reads,
            Does::Reads => Effect::Acts,
            Does::Edits => reach::of_edit(&self.host, session, Self::file(input)),
        }
    }

    fn suggestions(&self, session: &Session, input: &Map<String, Value>) -> Vec<PermissionUpdate> {
        match self.does {
            Does::Reads => reach::after_read(&self.host, session, &Self::directory(session, input)),
            Does::Edits => reach::after_edit(&self.host, session, Self::file(input)),
        }
    }

    fn touches(&self, input: &Map<String, Value>) -> Option<PathBuf> {
        Input(input).text("file_path").map(PathBuf::from).filter(|path| path.is_absolute())
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = self.deed.text_of(value);
        let text =
            text.ok_or_else(|| format!("it does not have the shape of the output of `{}`", self.name()))?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}
