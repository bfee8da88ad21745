//! `proved.json`: the last run of each agent that went as expected, for `docs/guide/agents.md`.

use super::ProvedAgent;
use super::results::Results;
use crate::root;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;

/// A run that went as expected.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ProvedRun {
    /// The version of the agent.
    pub(crate) version: String,
    /// The day, as `2026-11-24`.
    pub(crate) date: String,
    /// The results.
    #[serde(flatten)]
    pub(crate) results: Results,
}

impl ProvedRun {
    /// Reads the file.
    ///
    /// # Errors
    /// Errors if it does not have the expected form.
    pub(crate) fn all() -> Result<BTreeMap<String, ProvedRun>, String> {
        let file = root().join("xtask/src/agents/proved.json");
        let text = fs::read_to_string(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", file.display()))
    }
}

/// Records a run with today's date.
pub(super) fn record(name: &str, (agent, results): ProvedAgent) -> Result<(), String> {
    let mut all = ProvedRun::all()?;
    let date = jiff::Zoned::now().date().to_string();
    all.insert(name.to_owned(), ProvedRun { version: agent.version, date, results });
    let file = root().join("xtask/src/agents/proved.json");
    let text = serde_json::to_string_pretty(&all).map_err(|error| error.to_string())?;
    fs::write(&file, text + "\n").map_err(|error| format!("`{}`: {error}", file.display()))
}
