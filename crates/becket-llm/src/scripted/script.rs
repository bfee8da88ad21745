//! The form of a script.

use crate::error::ModelError;
use crate::message::Object;
use crate::model::Capabilities;
use crate::response::{StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file that is larger is no script.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Why there is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file can't be read.
    #[error("can't read the script `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no script.
    #[error("{file}:{line}:{column}: {message}")]
    Form {
        /// The file, or the name given to the text.
        file: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
}

/// What a scripted model answers, turn by turn.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    #[serde(default = "unnamed")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) pick: Pick,
    #[serde(default)]
    pub(super) capabilities: Can,
    pub(super) turns: Vec<Turn>,
}

fn unnamed() -> String {
    "scripted".to_owned()
}

/// Which turn a request takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pick {
    /// The next.
    #[default]
    Next,
    /// The first that fits.
    Fitting,
}

/// What the model claims to be able to.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Can {
    #[serde(default = "yes")]
    tools: bool,
    #[serde(default = "yes")]
    json_schema: bool,
}

fn yes() -> bool {
    true
}

impl Default for Can {
    fn default() -> Self {
        Self { tools: true, json_schema: true }
    }
}

impl Can {
    pub(super) fn capabilities(self) -> Capabilities {
        Capabilities { tools: self.tools, json_schema: self.json_schema }
    }
}

/// One turn of a script.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    #[serde(default)]
    pub(super) expect: Vec<String>,
    pub(super) text: Option<String>,
    pub(super) json: Option<Value>,
    pub(super) thinking: Option<String>,
    #[serde(default)]
    pub(super) tool_uses: Vec<Call>,
    pub(super) stop: Option<Ending>,
    #[serde(default)]
    pub(super) usage: Tokens,
    pub(super) error: Option<Failure>,
    #[serde(default)]
    pub(super) delay_ms: u64,
    pub(super) endless: Option<Endless>,
}

impl Turn {
    /// A turn that says this.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// A turn that says this, as JSON.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self { json: Some(value), ..Self::default() }
    }

    /// A turn that asks for this tool.
    #[must_use]
    pub fn tool(name: impl Into<String>, input: Object) -> Self {
        Self { tool_uses: vec![Call { id: None, name: name.into(), input }], ..Self::default() }
    }

    /// A turn that never says anything.
    #[must_use]
    pub fn silence() -> Self {
        Self { endless: Some(Endless::Silence), ..Self::default() }
    }

    /// This turn for requests that hold this text.
    #[must_use]
    pub fn expecting(mut self, text: impl Into<String>) -> Self {
        self.expect.push(text.into());
        self
    }

    /// This turn after a wait.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self
    }
}

/// A tool that is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) input: Object,
}

/// Why a turn ends, in the words of a script.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) enum Ending {
    #[serde(rename = "end_turn")]
    Done,
    #[serde(rename = "max_tokens")]
    CutOff,
    #[serde(rename = "stop_sequence")]
    Stopped,
    #[serde(rename = "tool_use")]
    Tools,
    #[serde(rename = "refusal")]
    Refused,
    #[serde(rename = "pause_turn")]
    Paused,
}

impl From<Ending> for StopReason {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Done => Self::EndTurn,
            Ending::CutOff => Self::MaxTokens,
            Ending::Stopped => Self::StopSequence,
            Ending::Tools => Self::ToolUse,
            Ending::Refused => Self::Refusal,
            Ending::Paused => Self::PauseTurn,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
    cache_read: u64,
    cache_write: u64,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cache_read: tokens.cache_read,
            cache_write: tokens.cache_write,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Endless {
    Silence,
    Text,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Unauthorized,
    RateLimited,
    Overloaded,
    BadRequest,
    NotFound,
    Connection,
    Truncated,
    BadAnswer,
    Server,
}

/// How a turn fails.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    kind: Kind,
    #[serde(default = "scripted")]
    message: String,
    retry_after_s: Option<u32>,
}

fn scripted() -> String {
    "the script says so".to_owned()
}

impl Failure {
    pub(super) fn error(&self, from: &str) -> ModelError {
        let (from, message) = (from.to_owned(), self.message.clone());
        let retry_after = self.retry_after_s.map(|seconds| Duration::from_secs(seconds.into()));
        match self.kind {
            Kind::Unauthorized => ModelError::Unauthorized { from, status: 401, message },
            Kind::RateLimited => ModelError::RateLimited { from, retry_after, message },
            Kind::Overloaded => ModelError::Overloaded { from, retry_after, message },
            Kind::BadRequest => ModelError::BadRequest { from, message },
            Kind::NotFound => ModelError::NotFound { model: from.clone(), from, message },
            Kind::Connection => ModelError::Connection { from, message },
            Kind::Truncated => ModelError::Truncated { from },
            Kind::BadAnswer => ModelError::BadAnswer { from, message },
            Kind::Server => ModelError::Provider { from, status: Some(500), kind: String::new(), message },
        }
    }
}

impl Script {
    /// A script of these turns, taken one after the other.
    #[must_use]
    pub fn new(name: impl Into<String>, turns: Vec<Turn>) -> Self {
        Self { name: name.into(), pick: Pick::Next, capabilities: Can::default(), turns }
    }

    /// This script, but each request takes the first turn that fits it, as often as it does.
    #[must_use]
    pub fn picking_the_fitting(mut self) -> Self {
        self.pick = Pick::Fitting;
        self
    }

    /// This script for a model that can do less.
    #[must_use]
    pub fn with_capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = Can { tools: capabilities.tools, json_schema: capabilities.json_schema };
        self
    }

    /// Reads a file.
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

    /// Reads a text; `file` is how errors call it.
    ///
    /// # Errors
    /// [`ScriptError::Form`].
    pub fn from_text(text: &str, file: &str) -> Result<Self, ScriptError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let script: Self = serde_json::from_str(text).map_err(|error| {
            let whole = error.to_string();
            let message =
                whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message).to_owned();
            ScriptError::Form { file: file.to_owned(), line: error.line(), column: error.column(), message }
        })?;
        script.checked(file)
    }

    /// What serde can't see: a turn that says two things at once.
    fn checked(self, file: &str) -> Result<Self, ScriptError> {
        for (index, turn) in self.turns.iter().enumerate() {
            let says = turn.text.is_some() || turn.json.is_some() || !turn.tool_uses.is_empty();
            let problem = match (turn.text.is_some() && turn.json.is_some(), says, &turn.error, &turn.endless)
            {
                (true, ..) => "both `text` and `json`",
                (_, true, Some(_), _) => "both an answer and an `error`",
                (_, _, Some(_), Some(_)) => "both an `error` and `endless`",
                (_, true, _, Some(_)) => "both an answer and `endless`",
                (_, false, None, None) => "neither an answer nor an `error` nor `endless`",
                _ => continue,
            };
            let message = format!("turn {} has {problem}", index + 1);
            return Err(ScriptError::Form { file: file.to_owned(), line: 1, column: 1, message });
        }
        Ok(self)
    }
}
