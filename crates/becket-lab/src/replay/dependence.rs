//! Dependences of a hook's decision other than its input.
//!
//! Probes record what a hook uses: `probes/` has one for programs, one for Python and one for Node. Use is not yet a
//! dependence, since many hooks write the time into a log: so the same call is repeated under another clock and
//! other states of git, and unchanged. A hook that uses something through means that no probe can change is assumed to
//! depend on it.

use crate::handler_name;
use becket_engine::handler::{Action, Handler};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

/// A thing that no transcript records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// The time.
    Clock,
    /// Other machines.
    Network,
    /// The state of the repository.
    Git,
    /// A random source.
    Random,
    /// State that the hook keeps, or anything else that changes from run to run.
    State,
}

impl Dependence {
    /// Returns the dependence in one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Dependence::Clock => "clock",
            Dependence::Network => "network",
            Dependence::Git => "git",
            Dependence::Random => "random",
            Dependence::State => "state",
        }
    }

    fn from_name(word: &str) -> Option<Self> {
        [Self::Clock, Self::Network, Self::Git, Self::Random].into_iter().find(|one| one.as_str() == word)
    }
}

impl fmt::Display for Dependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The known dependences of one handler.
#[derive(Debug, Clone, Default)]
pub(super) struct Dependences {
    /// The things that it uses, and the means.
    pub(super) asked: BTreeMap<Dependence, String>,
    /// The dependences that have changed its decision.
    pub(super) shown: BTreeSet<Dependence>,
    /// The things that it uses through means that no probe can change.
    pub(super) untested: BTreeSet<Dependence>,
    /// The number of calls that were answered again.
    pub(super) probes: u32,
}

impl Dependences {
    /// Reads the texts of a handler: its command, and the script that it runs.
    pub(super) fn of_text(handler: &Handler, root: &Path) -> Self {
        let mut found = Dependences::default();
        if !matches!(handler.action, Action::Command(_)) {
            found.asked.insert(Dependence::Network, format!("it is of the type `{}`", handler.action.name()));
            found.untested.insert(Dependence::Network);
            return found;
        }
        let words = handler_name::words(handler);
        found.read(&words.join(" "));
        for text in words.iter().filter_map(|word| script(word, root)) {
            found.read(&text);
        }
        found
    }

    /// Finds dependences that only the text of a shell script shows, as they are built into the shell.
    fn read(&mut self, text: &str) {
        let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let code = code.join("\n");
        for (means, on) in [
            ("$RANDOM", Dependence::Random),
            ("${RANDOM", Dependence::Random),
            ("$SRANDOM", Dependence::Random),
            ("/dev/urandom", Dependence::Random),
            ("EPOCHSECONDS", Dependence::Clock),
            ("EPOCHREALTIME", Dependence::Clock),
            ("/dev/tcp/", Dependence::Network),
            ("/dev/udp/", Dependence::Network),
            (".git/HEAD", Dependence::Git),
            (".git/refs", Dependence::Git),
        ] {
            if code.contains(means) {
                self.asked.entry(on).or_insert_with(|| format!("`{means}`"));
                if on != Dependence::Random {
                    self.untested.insert(on);
                }
            }
        }
    }

    /// Adds the notes of a probe.
    pub(super) fn note(&mut self, trace: &str) -> BTreeSet<Dependence> {
        let mut noted = BTreeSet::new();
        for (on, what) in trace.lines().filter_map(|line| line.split_once(' ')) {
            if let Some(on) = Dependence::from_name(on) {
                self.asked.entry(on).or_insert_with(|| format!("`{what}`"));
                noted.insert(on);
            }
        }
        if noted.contains(&Dependence::Network) {
            // There is no network, and its answer is not known.
            self.untested.insert(Dependence::Network);
        }
        noted
    }

    /// Returns the reasons why the handler can't be replayed, if any. One that differs from its records depends on
    /// everything that it uses.
    pub(super) fn reasons(&self, differs: bool) -> Vec<(Dependence, String)> {
        let mut reasons = Vec::new();
        for (on, what) in &self.asked {
            if self.shown.contains(on) {
                reasons.push((*on, format!("it asks {what}, and its decision changes with the answer")));
            } else if self.untested.contains(on) {
                reasons.push((*on, format!("{what}: the answer of that time is not known")));
            } else if differs {
                reasons.push((*on, format!("it asks {what}, and decides differently than recorded")));
            }
        }
        if self.shown.contains(&Dependence::State) && !self.shown.contains(&Dependence::Random) {
            let what = "it answers the same call differently when asked again: it keeps state of its own";
            reasons.push((Dependence::State, what.to_owned()));
        }
        reasons
    }
}

/// The maximum length of a script that is read.
const LONGEST: u64 = 1 << 20;

fn script(word: &str, root: &Path) -> Option<String> {
    let in_project = ["${CLAUDE_PROJECT_DIR}/", "$CLAUDE_PROJECT_DIR/", "${PROJECT_DIR}/"];
    let inside = in_project.iter().find_map(|variable| word.strip_prefix(variable)).unwrap_or(word);
    let path = root.join(inside);
    let metadata = path.metadata().ok().filter(|found| found.is_file() && found.len() <= LONGEST)?;
    let text = fs::read(&path).ok().filter(|_| metadata.len() > 0)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let first = text.lines().next().unwrap_or_default();
    let is_shell =
        first.contains("sh") && first.starts_with("#!") || word.ends_with(".sh") || word.ends_with(".bash");
    is_shell.then_some(text)
}
