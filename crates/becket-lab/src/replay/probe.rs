//! Answers a call again, in other worlds, to learn what a decision depends on.

use super::dependence::{Dependence, Dependences};
use super::engines::CopyEngine;
use super::stage::Intervention;
use super::word;
use crate::handler_key::HandlerKey;
use becket_engine::CancellationToken;
use becket_model::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The calls of a handler that are answered again.
const CALLS: u32 = 16;
/// The times that a call is repeated unchanged.
const REPEATS: usize = 2;
/// Other clocks, in seconds: other hours of the day, another day of the week, another year.
const CLOCKS: [i64; 4] = [8 * 3_600, 16 * 3_600, 3 * 86_400, 400 * 86_400];

/// The place for second answers: a copy of its own, so that they don't disturb the first ones.
pub(super) struct Probe {
    pub(super) copy: CopyEngine,
    pub(super) repositories: Vec<PathBuf>,
}

/// The decisions of handlers about one event.
pub(super) type Words = BTreeMap<HandlerKey, &'static str>;

/// The decisions of handlers in another world, and what would explain a difference.
pub(super) struct SecondAnswer {
    pub(super) depends_on: Dependence,
    pub(super) words: Words,
}

/// Returns whether another call of a handler is worth an answer: one of a new shape, or one about which it asks
/// something or decides something.
pub(super) fn is_worth(
    known: &Dependences,
    is_new_shape: bool,
    word: &str,
    asked: &BTreeSet<Dependence>,
) -> bool {
    known.probes < CALLS && (is_new_shape || word::holds_back(word) || !asked.is_empty())
}

impl Probe {
    /// Answers an event again, in every world in which what was asked has another answer.
    pub(super) async fn answers(
        &self,
        event: &Event,
        asked: &BTreeSet<Dependence>,
        cancel: &CancellationToken,
    ) -> Vec<SecondAnswer> {
        let repeated =
            if asked.contains(&Dependence::Random) { Dependence::Random } else { Dependence::State };
        let mut worlds = vec![(repeated, Intervention::Nothing); REPEATS];
        if asked.contains(&Dependence::Clock) {
            worlds.extend(CLOCKS.map(|seconds| (Dependence::Clock, Intervention::Clock(seconds))));
        }
        if asked.contains(&Dependence::Git) {
            let states = self.repositories.iter().cloned();
            worlds.extend(states.map(|state| (Dependence::Git, Intervention::Git(state))));
        }
        let mut answers = Vec::with_capacity(worlds.len());
        for (depends_on, intervention) in worlds {
            self.copy.stage.intervene(intervention);
            let outcome = self.copy.engine.fire_until(event, cancel).await;
            let words =
                outcome.runs.iter().map(|run| (HandlerKey::of(&run.handler), word::of_run(run))).collect();
            answers.push(SecondAnswer { depends_on, words });
        }
        answers
    }
}
