//! The format of a case.
//!
//! Strings in expectations may hold `…`, which stands for anything; `[ROOT]` stands for the directory that holds `home`,
//! `project` and `managed`, in inputs and in expectations. See [`crate::pattern`] for the comparison of values.

use becket_testkit::messages_api::Turn;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A case: a place, and the runs in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The rules that the case proves.
    pub(crate) rules: Vec<String>,
    /// The settings of the project; `user`, `policy` and `flag` are those of the other sources.
    #[serde(default)]
    pub(crate) settings: Value,
    #[serde(default)]
    pub(crate) user: Value,
    #[serde(default)]
    pub(crate) policy: Value,
    #[serde(default)]
    pub(crate) flag: Value,
    /// The events with an observing hook (`hook see`, in the user's settings).
    #[serde(default)]
    pub(crate) see: Vec<String>,
    /// The active hooks, by event; they are in the settings of the project by default.
    #[serde(default)]
    pub(crate) hooks: BTreeMap<String, Vec<Hook>>,
    /// The scripts of `hook NAME`, for hooks in files.
    #[serde(default)]
    pub(crate) texts: BTreeMap<String, String>,
    /// The files below the root.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// A command that prepares the project, by `sh`.
    pub(crate) prepare: Option<String>,
    #[serde(default)]
    pub(crate) run: Run,
    #[serde(default)]
    pub(crate) want: Want,
    /// Further runs in the same place.
    #[serde(default)]
    pub(crate) then: Vec<Then>,
}

/// A hook that records its input, and then runs a script.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hook {
    /// The name in the command `hook NAME`; derived from the event by default.
    pub(crate) name: Option<String>,
    pub(crate) matcher: Option<String>,
    /// A script for `sh`; `$IN` contains the input.
    #[serde(default, rename = "do")]
    pub(crate) does: String,
    /// The settings that contain it: `project`, `user`, `policy` or `flag`.
    #[serde(default = "project", rename = "in")]
    pub(crate) of: String,
    /// Further keys of the handler.
    #[serde(default)]
    pub(crate) with: Map<String, Value>,
}

fn project() -> String {
    "project".to_owned()
}

/// A run that follows another one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Then {
    /// The files that are changed before the run.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) run: Run,
    pub(crate) want: Want,
}

/// The arguments and input of a run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Run {
    /// The prompt; `None` if prompts come from stdin, or there is no prompt.
    pub(crate) prompt: Option<String>,
    pub(crate) args: Vec<String>,
    pub(crate) stdin: String,
    pub(crate) env: BTreeMap<String, String>,
    /// The answers of the model.
    pub(crate) turns: Vec<Turn>,
    /// The turns of a scripted model, instead of a server.
    pub(crate) script: Option<Value>,
    /// True if no server listens at the model's address.
    pub(crate) nobody: bool,
    /// True to run without the arguments for lines of JSON.
    pub(crate) plain: bool,
    /// A signal that is sent during the run.
    pub(crate) signal: Option<Signal>,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            prompt: Some("hi".to_owned()),
            args: Vec::new(),
            stdin: String::new(),
            env: BTreeMap::new(),
            turns: Vec::new(),
            script: None,
            nobody: false,
            plain: false,
            signal: None,
        }
    }
}

/// A signal to the program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signal {
    /// The signal is sent once this file exists, below the root.
    pub(crate) when: Option<String>,
    /// The signal is sent once this many requests have arrived.
    #[serde(default)]
    pub(crate) requests: usize,
    /// The signal, `INT` or `TERM`.
    pub(crate) send: String,
}

/// The expected results. A missing field has a strict default: exit code 0, nothing on stderr, no notices, all turns
/// taken.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Want {
    pub(crate) code: i32,
    /// The `result` line, the last one of several.
    pub(crate) result: Value,
    /// The lines of stdout that occur in this order, among others.
    pub(crate) lines: Vec<Value>,
    /// The lines that must not occur.
    pub(crate) no_lines: Vec<Value>,
    /// All notices to the user, in this order.
    pub(crate) notices: Vec<String>,
    /// The names of the events whose hooks ran, one for each run.
    pub(crate) events: Option<Vec<String>>,
    /// The same if hooks of several events run concurrently: in any order.
    pub(crate) ran: Option<Vec<String>>,
    /// The inputs of hooks: each matches a separate record.
    pub(crate) inputs: Vec<Value>,
    /// The complete messages of the last request to the model (see `seen`).
    pub(crate) told: Option<Vec<String>>,
    /// The complete messages of other requests, by number from 1.
    pub(crate) told_at: BTreeMap<usize, Vec<String>>,
    /// Parts of the system prompt of the first request.
    pub(crate) system: Vec<String>,
    /// The tools that the first request offers, and some that it must not offer.
    pub(crate) offered: Vec<String>,
    pub(crate) not_offered: Vec<String>,
    /// The number of requests; by default the number of turns.
    pub(crate) requests: Option<usize>,
    /// The content of files below the root; null: they do not exist.
    pub(crate) files: BTreeMap<String, Value>,
    /// The texts on stderr, in this order; by default it is empty.
    pub(crate) stderr: Vec<String>,
    /// All of stdout, for a plain run.
    pub(crate) stdout: Option<String>,
    /// Lines of the transcript, in this order, among others.
    pub(crate) transcript: Vec<Value>,
}
