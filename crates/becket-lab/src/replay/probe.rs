//! Repeats a call in other worlds, to find the dependences of a decision.

use super::dependence::{Dependence, Dependences};
use super::engines::CopyEngine;
use super::stage::Intervention;
use super::word;
use crate::handler_key::HandlerKey;
use becket_engine::CancellationToken;
use becket_model::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The maximum number of calls of a handler that are repeated, and of those among them that it passes without using
/// anything.
const CALLS: u32 = 16;
const PLAIN_CALLS: u32 = 4;
/// The times that a call is repeated unchanged.
const REPEATS: usize = 2;
/// Other clocks, in seconds, which cover every five hours of a day and every two days of a week, and another year.
const CLOCKS: [i64; 5] = [2 * DAY + 5 * HOUR, 3 * DAY + 10 * HOUR, 5 * DAY + 15 * HOUR, 20 * HOUR, 400 * DAY];
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// The place for second answers: a separate copy, so that they don't disturb the first ones.
pub(super) struct Probe {
    pub(super) copy: CopyEngine,
    pub(super) repositories: Vec<PathBuf>,
}

/// The decisions of handlers about one event.
pub(super) type Words = BTreeMap<HandlerKey, &'static str>;

/// The decisions of handlers in another world, and the possible explanation of a difference.
pub(super) struct SecondAnswer {
    pub(super) depends_on: Dependence,
    pub(super) words: Words,
}

/// Returns whether a call of a handler is worth repeating: one of a new shape, or one in which it uses
/// something or decides something.
pub(super) fn is_worth(
    known: &Dependences,
    is_new_shape: bool,
    word: &str,
    used: &BTreeSet<Dependence>,
) -> bool {
    if word::holds_back(word) || !used.is_empty() {
        return known.probes < CALLS;
    }
    is_new_shape && known.probes < PLAIN_CALLS
}

impl Probe {
    /// Answers an event again: each handler in every world that changes what it uses.
    pub(super) async fn answers(
        &self,
        event: &Event,
        used: &BTreeMap<HandlerKey, BTreeSet<Dependence>>,
        cancel: &CancellationToken,
    ) -> Vec<SecondAnswer> {
        let mut worlds = vec![(Dependence::Random, Intervention::Nothing); REPEATS];
        worlds.extend(CLOCKS.map(|seconds| (Dependence::Clock, Intervention::Clock(seconds))));
        let states = self.repositories.iter().cloned();
        worlds.extend(states.map(|state| (Dependence::Git, Intervention::Git(state))));
        let mut answers = Vec::with_capacity(worlds.len());
        for (depends_on, intervention) in worlds {
            let is_repeat = intervention == Intervention::Nothing;
            let concerned = used.iter().filter(|(_, used)| is_repeat || used.contains(&depends_on));
            let only: BTreeSet<HandlerKey> = concerned.map(|(key, _)| *key).collect();
            if only.is_empty() {
                continue;
            }
            self.copy.stage.intervene(intervention, Some(only.clone()));
            let outcome = self.copy.engine.fire_until(event, cancel).await;
            let runs = outcome.runs.iter().map(|run| (HandlerKey::of(&run.handler), word::of_run(run)));
            let words = runs.filter(|(key, _)| only.contains(key)).collect();
            answers.push(SecondAnswer { depends_on, words });
        }
        answers
    }
}
