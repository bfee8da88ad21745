//! The form of a case.
//!
//! Strings in what is wanted may hold `…`, which stands for anything; `[ROOT]` stands for the directory that holds `home`,
//! `project` and `managed`, in what is given and in what is wanted. See [`crate::pattern`] for how values are compared.

use becket_testkit::messages_api::Turn;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One case: a place, and the runs in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The rules that it proves.
    pub(crate) rules: Vec<String>,
    /// The settings of the project, of the user, of policy, of the command line.
    #[serde(default)]
    pub(crate) settings: Value,
    #[serde(default)]
    pub(crate) user: Value,
    #[serde(default)]
    pub(crate) policy: Value,
    #[serde(default)]
    pub(crate) flag: Value,
    /// Events with a hook that looks on (`hook see`, the user's).
    #[serde(default)]
    pub(crate) see: Vec<String>,
    /// The hooks that do something, by event; they stand in the settings of the project unless they say otherwise.
    #[serde(default)]
    pub(crate) hooks: BTreeMap<String, Vec<Hook>>,
    /// What `hook NAME` does, for hooks that stand in files.
    #[serde(default)]
    pub(crate) texts: BTreeMap<String, String>,
    /// Files below the root.
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

/// A hook that records what it is told, and then does this.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hook {
    /// `hook NAME` is its command; made up from the event where it is not given.
    pub(crate) name: Option<String>,
    pub(crate) matcher: Option<String>,
    /// Text for `sh`; `$IN` holds its input.
    #[serde(default, rename = "do")]
    pub(crate) does: String,
    /// Whose settings it stands in: `project`, `user`, `policy` or `flag`.
    #[serde(default = "project", rename = "in")]
    pub(crate) of: String,
    /// Further keys of the handler.
    #[serde(default)]
    pub(crate) with: Map<String, Value>,
}

fn project() -> String {
    "project".to_owned()
}

/// A run that comes after another one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Then {
    /// Files that are changed before.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) run: Run,
    pub(crate) want: Want,
}

/// How the program is run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Run {
    /// None where prompts come from stdin, or there is none.
    pub(crate) prompt: Option<String>,
    pub(crate) args: Vec<String>,
    pub(crate) stdin: String,
    pub(crate) env: BTreeMap<String, String>,
    /// What the model says.
    pub(crate) turns: Vec<Turn>,
    /// The turns of a scripted model, in the place of a server.
    pub(crate) script: Option<Value>,
    /// Nobody listens where the server should be.
    pub(crate) nobody: bool,
    /// Without the arguments for lines of JSON.
    pub(crate) plain: bool,
    /// A signal that is sent in the middle.
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
    /// Once this file is there, below the root.
    pub(crate) when: Option<String>,
    /// Once so many requests have come.
    #[serde(default)]
    pub(crate) requests: usize,
    /// `INT`, `TERM`.
    pub(crate) send: String,
}

/// What has to come of it. What is not mentioned has a strict default: exit code 0, nothing on stderr, no notices, all turns
/// taken.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Want {
    pub(crate) code: i32,
    /// The `result` line, the last one of several.
    pub(crate) result: Value,
    /// Lines of stdout that come in this order, among others.
    pub(crate) lines: Vec<Value>,
    /// Lines that must not come.
    pub(crate) no_lines: Vec<Value>,
    /// All notices to the user, in this order.
    pub(crate) notices: Vec<String>,
    /// The names of the events whose hooks were run, one for each hook that was.
    pub(crate) events: Option<Vec<String>>,
    /// The same where hooks of several events run at once: in any order.
    pub(crate) ran: Option<Vec<String>>,
    /// What hooks were told: each matches a record of its own.
    pub(crate) inputs: Vec<Value>,
    /// What the model was told in the last request, whole (see `seen`).
    pub(crate) told: Option<Vec<String>>,
    /// The same of other requests, by number from 1.
    pub(crate) told_at: BTreeMap<usize, Vec<String>>,
    /// Parts of the system prompt of the first request.
    pub(crate) system: Vec<String>,
    /// Tools that the first request offers, and some that it must not.
    pub(crate) offered: Vec<String>,
    pub(crate) not_offered: Vec<String>,
    /// How many requests there were; as many as there are turns where it is not said.
    pub(crate) requests: Option<usize>,
    /// What files below the root hold; null: they are not there.
    pub(crate) files: BTreeMap<String, Value>,
    /// What stderr holds, in this order; nothing at all where none is given.
    pub(crate) stderr: Vec<String>,
    /// All of stdout, of a plain run.
    pub(crate) stdout: Option<String>,
    /// Lines of the transcript, in this order, among others.
    pub(crate) transcript: Vec<Value>,
}
