//! A tool on files, as one row of a table with everything that differs between Read, Edit, Write, Glob and Grep.

use super::call::{FileCall, Input};
use super::ledger::Ledger;
use crate::reach;
use crate::schema::Spec;
use crate::surroundings::Surroundings;
use becket_engine::{Effect, Hints, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::ToolSpec;
use becket_model::Session;
use becket_rules::PermissionUpdate;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The work of one call.
pub(crate) type Work<'a> = BoxFuture<'a, Result<ToolOutput, ToolFailure>>;

/// One row of the table.
pub(crate) struct FileToolSpec {
    pub(crate) spec: &'static Spec,
    pub(crate) access: Access,
    /// Checks rules that the schema can't express; the error names the field.
    pub(crate) check: fn(Input<'_>) -> Result<(), String>,
    /// Returns the text for the model from a response; `None` if the response does not have the expected shape (D11).
    pub(crate) text_of: fn(&Value) -> Option<String>,
    /// Does the work; the input has passed the schema and the check.
    pub(crate) run: for<'a> fn(FileCall<'a>) -> Work<'a>,
}

/// A tool's access to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads the file `file_path`.
    Reads,
    /// Reads the file or everything below the directory `path`.
    Searches,
    /// Edits the file `file_path`.
    Edits,
}

/// A file tool of a host.
pub(crate) struct FileTool {
    pub(crate) of: &'static FileToolSpec,
    pub(crate) host: Arc<Surroundings>,
    /// The files that a session has read, for the tools of sessions.
    pub(crate) ledger: Option<Arc<Ledger>>,
}

impl FileTool {
    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let call = FileCall {
            host: &self.host,
            session: running.session,
            input: Input(running.input),
            cancel: running.cancel,
            ledger: self.ledger.as_ref(),
            written: self.written(running),
        };
        match tokio::time::timeout(running.limit, (self.of.run)(call)).await {
            Ok(answer) => answer,
            Err(_) => Err(ToolFailure::new(format!("it took longer than {} s", running.limit.as_secs_f64()))),
        }
    }

    /// Returns the path as the model wrote it, unless it was rewritten.
    fn written<'a>(&self, running: RunningCall<'a>) -> Option<&'a str> {
        let written = Input(running.own).text("file_path")?;
        let home = self.host.environment.home();
        let path = becket_engine::absolute(written, &running.session.cwd, home);
        (path.to_str() == Input(running.input).text("file_path")).then_some(written)
    }

    fn file(input: &Map<String, Value>) -> Option<&Path> {
        Input(input).text("file_path").map(Path::new)
    }

    /// Returns the directory that a read accesses.
    fn directory(session: &Session, input: &Map<String, Value>) -> PathBuf {
        let target = match Self::file(input) {
            Some(file) => return file.parent().unwrap_or(Path::new("/")).to_path_buf(),
            None => Input(input).root(session),
        };
        let parent = target.parent().filter(|_| target.is_file()).map(Path::to_path_buf);
        parent.unwrap_or(target)
    }
}

impl Tool for FileTool {
    fn name(&self) -> &str {
        self.of.spec.name
    }

    fn spec(&self) -> ToolSpec {
        self.of.spec.for_model()
    }

    fn hints(&self) -> Hints {
        let reads = self.of.access != Access::Edits;
        Hints { read_only: reads, destructive: !reads, open_world: false, together: reads }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.of.spec.validate(input)?;
        (self.of.check)(Input(input))
    }

    fn defaults(&self) -> Map<String, Value> {
        self.of.spec.defaults()
    }

    fn effect(&self, session: &Session, input: &Map<String, Value>) -> Effect {
        let target = Self::file(input);
        let may_read = match self.of.access {
            Access::Reads => target.is_some_and(|file| self.host.may_read(session, file)),
            Access::Searches => self.host.may_read(session, &Input(input).root(session)),
            Access::Edits => return reach::of_edit(&self.host, session, target.unwrap_or(Path::new(""))),
        };
        if may_read { Effect::Reads } else { Effect::Acts }
    }

    fn suggestions(&self, session: &Session, input: &Map<String, Value>) -> Vec<PermissionUpdate> {
        match self.of.access {
            Access::Reads | Access::Searches => {
                reach::after_read(&self.host, session, &Self::directory(session, input))
            }
            Access::Edits => {
                reach::after_edit(&self.host, session, Self::file(input).unwrap_or(Path::new("")))
            }
        }
    }

    fn touches(&self, input: &Map<String, Value>) -> Option<PathBuf> {
        Self::file(input).map(Path::to_path_buf).filter(|path| path.is_absolute())
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = (self.of.text_of)(value);
        let text =
            text.ok_or_else(|| format!("it does not have the shape of the output of `{}`", self.name()))?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}
