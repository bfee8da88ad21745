//! The format of a script.

use super::turn::Turn;
use crate::model::Capabilities;
use crate::spec::ModelSpec;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The maximum size of a script.
const LARGEST: u64 = 16 * 1024 * 1024;

/// A script that could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file can't be read.
    #[error("can't read the script `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// The file is not a valid script.
    #[error("{file}:{line}:{column}: {message}")]
    Form {
        /// The file, or the name given to the text.
        file: String,
        /// The line of the error, from 1.
        line: usize,
        /// The column of the error, from 1.
        column: usize,
        /// The error in the script.
        message: String,
    },
}

/// The answers of a scripted model, turn by turn.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    #[serde(default = "unnamed")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) pick: TurnChoice,
    #[serde(default)]
    pub(super) capabilities: ClaimedCapabilities,
    #[serde(default)]
    pub(super) spec: ModelSpec,
    pub(super) turns: Vec<Turn>,
}

fn unnamed() -> String {
    "scripted".to_owned()
}

/// The rule that selects the turn for a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TurnChoice {
    /// The next turn.
    #[default]
    Next,
    /// The first turn that fits the request.
    Fitting,
}

/// The capabilities that the model claims.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimedCapabilities {
    #[serde(default = "yes")]
    tools: bool,
    #[serde(default = "yes")]
    json_schema: bool,
}

fn yes() -> bool {
    true
}

impl Default for ClaimedCapabilities {
    fn default() -> Self {
        Self { tools: true, json_schema: true }
    }
}

impl ClaimedCapabilities {
    pub(super) fn capabilities(self) -> Capabilities {
        Capabilities { tools: self.tools, json_schema: self.json_schema }
    }
}

impl Script {
    /// Creates a script of these turns, which are used in order.
    #[must_use]
    pub fn new(name: impl Into<String>, turns: Vec<Turn>) -> Self {
        Self {
            name: name.into(),
            pick: TurnChoice::Next,
            capabilities: ClaimedCapabilities::default(),
            spec: ModelSpec::default(),
            turns,
        }
    }

    /// Selects the first turn that fits each request; a turn may be used more than once.
    #[must_use]
    pub fn picking_the_fitting(mut self) -> Self {
        self.pick = TurnChoice::Fitting;
        self
    }

    /// Sets the capabilities that the model claims.
    #[must_use]
    pub fn with_capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities =
            ClaimedCapabilities { tools: capabilities.tools, json_schema: capabilities.json_schema };
        self
    }

    /// Sets the size and price that the model claims.
    #[must_use]
    pub fn with_spec(mut self, spec: ModelSpec) -> Self {
        self.spec = spec;
        self
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// See [`ScriptError`].
    pub fn from_file(path: &Path) -> Result<Self, ScriptError> {
        let failed = |source| ScriptError::Read { path: path.to_owned(), source };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if metadata.len() > LARGEST {
            return Err(failed(std::io::Error::other(format!("it is larger than {LARGEST} bytes"))));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        Self::from_text(&text, &path.display().to_string())
    }

    /// Reads a script from a text; `file` is its name in errors.
    ///
    /// # Errors
    /// [`ScriptError::Form`].
    pub fn from_text(text: &str, file: &str) -> Result<Self, ScriptError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // serde would read the turns as the fields of a script.
        if let Some(turns) = text.trim_start().strip_prefix('[') {
            let before = &text[..text.len() - turns.len() - 1];
            let (line, column) = (
                before.matches('\n').count() + 1,
                before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1,
            );
            let message =
                r#"a script is an object with its turns, `{"name": "offline", "turns": [...]}`, not a list"#;
            return Err(ScriptError::Form {
                file: file.to_owned(),
                line,
                column,
                message: message.to_owned(),
            });
        }
        let script: Self = serde_json::from_str(text).map_err(|error| {
            let whole = error.to_string();
            let message =
                whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message).to_owned();
            ScriptError::Form { file: file.to_owned(), line: error.line(), column: error.column(), message }
        })?;
        script.checked(file)
    }

    /// Checks rules that serde can't express.
    fn checked(self, file: &str) -> Result<Self, ScriptError> {
        for (index, turn) in self.turns.iter().enumerate() {
            let Some(problem) = turn.problem() else { continue };
            let message = format!("turn {} has {problem}", index + 1);
            return Err(ScriptError::Form { file: file.to_owned(), line: 1, column: 1, message });
        }
        Ok(self)
    }
}
