//! One configuration of a replay: its engine, the counts of its handlers, and the place for second answers.

use super::dependence::{Dependence, Dependences};
use super::engines::CopyEngine;
use super::places::moved;
use super::probe::{Probe, Words, is_worth};
use super::records::{self, Record, ReplayedRun};
use super::run::ReplayError;
use super::scratch::Scratch;
use super::shape;
use super::tally::HandlerTally;
use super::word::{self, holds_back};
use crate::handler_key::HandlerKey;
use crate::runner::Subject;
use crate::transcript::RecordedEvent;
use becket_engine::handler::Handler;
use becket_engine::{CancellationToken, Outcome, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as AsyncMutex;

/// A configuration that is replayed.
pub(super) struct Side {
    pub(super) copy: CopyEngine,
    probe: AsyncMutex<Probe>,
    pub(super) handlers: Mutex<BTreeMap<HandlerKey, HandlerTally>>,
}

/// Handlers whose call is worth repeating, with what they used.
type AskedDependences = BTreeMap<HandlerKey, BTreeSet<Dependence>>;

/// Commands of hooks that a session has shown to be in force.
pub(super) type InForce = BTreeSet<String>;

/// An event that was replayed.
#[derive(Clone, Copy)]
struct ReplayedEvent<'a> {
    event: &'a RecordedEvent,
    /// The directory of the recording.
    root: &'a str,
    in_force: &'a InForce,
    /// Its input.
    bytes: &'a [u8],
    /// True if one handler ran.
    is_alone: bool,
}

impl Side {
    /// Loads a configuration in two copies of the project; `settings` replaces the project's settings file.
    pub(super) fn load(
        subject: &Subject,
        scratch: &Scratch,
        name: &str,
        settings: Option<&str>,
    ) -> Result<Self, ReplayError> {
        let root = scratch.copy(name, settings)?;
        let copy = CopyEngine::load(subject, scratch, root)?;
        let again = scratch.copy(&format!("{name}-again"), settings)?;
        let repositories = scratch.git_states(&again, name)?;
        let probe = Probe { copy: CopyEngine::load(subject, scratch, again)?, repositories };
        let hooks = copy.engine.host().hooks();
        let tallies = hooks.all().map(|handler| {
            let dependences = Dependences::of_text(handler, &copy.root);
            (HandlerKey::of(handler), HandlerTally { dependences, ..HandlerTally::default() })
        });
        let handlers = Mutex::new(tallies.collect());
        Ok(Side { handlers, probe: AsyncMutex::new(probe), copy })
    }

    /// Returns a handler by its key.
    pub(super) fn handler(&self, key: HandlerKey) -> Option<Arc<Handler>> {
        let hooks = self.copy.engine.host().hooks();
        hooks.of(key.event).iter().find(|handler| HandlerKey::of(handler) == key).cloned()
    }

    /// Fires an event, compares it with the record, and repeats it if that is informative.
    pub(super) async fn replay(
        &self,
        event: &RecordedEvent,
        root: &str,
        in_force: &InForce,
        cancel: &CancellationToken,
    ) -> Option<Outcome> {
        let fired = self.copy.event(event, root)?;
        let outcome = self.copy.engine.fire_until(&fired, cancel).await;
        if outcome.runs.is_empty() || cancel.is_cancelled() {
            return Some(outcome);
        }
        let bytes = becket_model::wire::input::to_bytes(&fired);
        let seen = ReplayedEvent { event, root, in_force, bytes: &bytes, is_alone: outcome.runs.len() == 1 };
        let counted = outcome.runs.iter().map(|run| self.count(seen, run));
        let worth: AskedDependences = counted.flatten().collect();
        if !worth.is_empty() {
            let first =
                outcome.runs.iter().map(|run| (HandlerKey::of(&run.handler), word::of_run(run))).collect();
            self.ask_again(event, root, &first, &worth, cancel).await;
        }
        Some(outcome)
    }

    /// Counts a run; returns what it used if repeating it is worth the time.
    fn count(&self, seen: ReplayedEvent<'_>, run: &Run) -> Option<(HandlerKey, BTreeSet<Dependence>)> {
        let ReplayedEvent { event, root, in_force, bytes, is_alone } = seen;
        let key = HandlerKey::of(&run.handler);
        let trace = self.copy.stage.trace(&run.handler, run.input.as_deref().unwrap_or(bytes));
        let replayed = word::of_run(run);
        let shape = shape::of(event);
        let mut handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = handlers.entry(key).or_default();
        let reason = || self.reason(run, root);
        let is_new = tally.run(event, &shape, replayed, reason);
        let used = trace.map(|trace| tally.dependences.note(&trace)).unwrap_or_default();
        let text = reason();
        let compared = ReplayedRun { handler: &run.handler, reason: text.as_deref(), is_alone };
        compare(tally, event, compared, replayed, &shape, in_force);
        if !is_worth(&tally.dependences, is_new, replayed, &used) {
            return None;
        }
        tally.dependences.probes += 1;
        Some((key, used))
    }

    /// Returns the text of a run's answer, with the paths of the recording.
    fn reason(&self, run: &Run, root: &str) -> Option<String> {
        let failure = || run.failure.as_ref().map(ToString::to_string);
        let text = super::cause::reason_of(&run.reply).or_else(failure)?;
        Some(moved(&text, &self.copy.root.to_string_lossy(), root))
    }

    async fn ask_again(
        &self,
        event: &RecordedEvent,
        root: &str,
        first: &Words,
        worth: &AskedDependences,
        cancel: &CancellationToken,
    ) {
        let answers = {
            let probe = self.probe.lock().await;
            let Some(fired) = probe.copy.event(event, root) else { return };
            probe.answers(&fired, worth, cancel).await
        };
        if cancel.is_cancelled() {
            return;
        }
        let mut handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        for answer in &answers {
            for (key, word) in &answer.words {
                if first.get(key) == Some(word) {
                    continue;
                }
                if let Some(tally) = handlers.get_mut(key) {
                    let is_asked = tally.dependences.asked.contains_key(&answer.depends_on);
                    let by = if is_asked { answer.depends_on } else { Dependence::State };
                    tally.dependences.shown.insert(by);
                }
            }
        }
    }
}

/// Compares a run with its record.
fn compare(
    tally: &mut HandlerTally,
    event: &RecordedEvent,
    run: ReplayedRun<'_>,
    replayed: &'static str,
    shape: &str,
    in_force: &InForce,
) {
    let recorded = match records::of(run, event) {
        Record::Word(word) => word,
        Record::Unknown => return,
        Record::Silent => {
            let is_in_force = in_force.iter().any(|command| records::is_of(run.handler, command));
            // An action leaves a record; so does a failure.
            if !is_in_force || !(holds_back(replayed) || replayed == "failed") {
                tally.silent += u64::from(replayed == "pass");
                return;
            }
            "pass"
        }
    };
    tally.compared += 1;
    if recorded == replayed {
        tally.agreed += 1;
        return;
    }
    let reason = || run.reason.map(str::to_owned);
    tally.disagreements.entry((recorded, replayed, shape.to_owned())).or_default().add(event, reason);
}
