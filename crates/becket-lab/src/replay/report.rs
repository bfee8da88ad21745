//! The report of a replay: plain data, without secrets.

use super::cause;
use super::dependence::Dependence;
use super::places::moved;
use super::run::{Replay, locked};
use super::side::Side;
use super::tally::{DifferenceKey, Example, HandlerTally, ShapeCount, Tally};
use super::word::holds_back;
use crate::handler_key::HandlerKey;
use crate::transcript::ReadCounts;
use becket_engine::handler::Handler;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The share of recorded answers that a handler has to repeat to count as reproduced.
const MARK: f64 = 0.99;
/// The maximum length of an example or a reason, in characters.
const WIDTH: usize = 160;

/// The result of `becket replay`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayReport {
    /// The transcripts.
    pub transcripts: TranscriptsReport,
    /// Set if hooks could write nowhere else, reach nothing and signal nobody.
    pub confined: bool,
    /// The hooks of the present configuration that ran, and how far a replay can be trusted.
    pub handlers: Vec<HandlerReport>,
    /// The decisions by handler or rule and shape, of handlers that can be replayed.
    pub shapes: Vec<ShapeReport>,
    /// The runs of handlers that can't be replayed.
    pub set_aside: SetAsideReport,
    /// The calls that other settings decide differently, if there are any to compare with.
    pub differences: Option<Vec<DifferenceReport>>,
}

/// The transcripts that were read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TranscriptsReport {
    /// Files.
    pub files: usize,
    /// Sessions.
    pub sessions: usize,
    /// Bytes.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Lines that are cut or no JSON.
    pub unreadable_lines: u64,
    /// Lines that are not UTF-8.
    pub not_utf8_lines: u64,
    /// Lines of an unknown kind.
    pub unknown_lines: u64,
    /// Lines that are too long.
    pub too_long_lines: u64,
    /// Recorded answers of hooks whose event is not there.
    pub unmatched_answers: u64,
    /// Events.
    pub events: u64,
    /// Events whose input does not fit.
    pub unfit_events: u64,
    /// Tool calls.
    pub calls: u64,
    /// The first moment.
    pub from: Option<String>,
    /// The last moment.
    pub to: Option<String>,
    /// The weeks between the two, at least one.
    pub weeks: f64,
}

/// The degree to which the replay of a handler can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandlerStatus {
    /// It answers as recorded.
    Reproduced,
    /// It answers otherwise than recorded, and depends on nothing but its input: it, the settings or files have changed.
    Changed,
    /// Nothing is recorded that could be compared.
    Unproven,
    /// Its decision depends on what no transcript records, so it is set aside.
    NotReplayable,
}

/// A hook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandlerReport {
    /// Its name.
    pub hook: String,
    /// Its event.
    pub event: &'static str,
    /// The position of its definition.
    pub at: String,
    /// The degree to which its replay can be trusted.
    pub status: HandlerStatus,
    /// Its dependences, if it can't be replayed.
    pub depends_on: Vec<Dependence>,
    /// The reasons, in words.
    pub reasons: Vec<String>,
    /// Its runs.
    pub runs: u64,
    /// Recorded answers that could be compared.
    pub compared: u64,
    /// Recorded answers that it repeated.
    pub agreed: u64,
    /// Silent passes, which leave no record.
    pub silent: u64,
    /// Its decisions.
    pub decisions: BTreeMap<&'static str, u64>,
    /// Decisions that hold a call back, for 1,000 calls.
    pub held_per_1000_calls: f64,
    /// Decisions that hold a call back, in a week.
    pub held_per_week: f64,
    /// Decisions that hold a call back, by week (ISO 8601).
    pub held_by_week: BTreeMap<String, u64>,
    /// The differences to its records.
    pub disagreements: Vec<DisagreementReport>,
}

/// A difference between record and replay.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DisagreementReport {
    /// The recorded decision.
    pub recorded: &'static str,
    /// The decision now.
    pub replayed: &'static str,
    /// The shape of the calls.
    pub shape: String,
    /// Their number.
    pub count: u64,
    /// The first of them.
    pub example: Option<String>,
    /// Its place.
    pub at: Option<String>,
}

/// The decisions about calls of one shape.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShapeReport {
    /// The hook or rule.
    pub by: String,
    /// The shape.
    pub shape: String,
    /// The decisions, with their numbers.
    pub decisions: BTreeMap<&'static str, u64>,
    /// Decisions that hold a call back, for 1,000 calls.
    pub held_per_1000_calls: f64,
    /// Decisions that hold a call back, in a week.
    pub held_per_week: f64,
    /// The first call for each decision.
    pub examples: BTreeMap<&'static str, String>,
    /// The reason of a decision that holds a call back.
    pub reason: Option<String>,
}

/// The calls that can't be replayed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetAsideReport {
    /// Handlers.
    pub handlers: usize,
    /// Their runs.
    pub runs: u64,
    /// The runs of all handlers.
    pub of_runs: u64,
    /// The share, from 0 to 1.
    pub share: f64,
}

/// Calls that two configurations decide differently.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DifferenceReport {
    /// The hook or rule that makes the decision.
    pub by: String,
    /// The shape of the calls.
    pub shape: String,
    /// The decision under the present settings.
    pub before: &'static str,
    /// The decision under the new ones.
    pub after: &'static str,
    /// The number of calls.
    pub count: u64,
    /// The number for 1,000 calls.
    pub per_1000_calls: f64,
    /// The number in a week.
    pub per_week: f64,
    /// The cause, in words.
    pub cause: String,
    /// The change of the settings that did it, if it was looked for.
    pub change: Option<String>,
    /// The first of them.
    pub example: Option<String>,
    /// Its place.
    pub at: Option<String>,
    /// Set if a handler that can't be replayed takes part: then this may be chance.
    pub set_aside: bool,
}

impl ReplayReport {
    /// Returns whether something decides otherwise than recorded, or than before.
    pub fn has_findings(&self) -> bool {
        let changed = self.handlers.iter().any(|handler| handler.status == HandlerStatus::Changed);
        changed || self.differences.iter().flatten().any(|difference| !difference.set_aside)
    }
}

/// The inputs of a report.
pub(super) struct ReportInput<'a> {
    pub(super) replay: &'a Replay,
    pub(super) present: &'a Side,
    pub(super) new: Option<&'a Side>,
    pub(super) tally: &'a Tally,
    pub(super) counts: ReadCounts,
    pub(super) bytes: u64,
    pub(super) changes: &'a BTreeMap<DifferenceKey, String>,
}

/// Builds the report.
pub(super) fn build(seen: &ReportInput<'_>) -> ReplayReport {
    let handlers = handlers(seen);
    let set_aside = set_aside(&handlers);
    ReplayReport {
        transcripts: transcripts(seen),
        confined: true,
        shapes: shapes(seen),
        set_aside,
        differences: seen.new.map(|new| differences(seen, new)),
        handlers,
    }
}

fn transcripts(seen: &ReportInput<'_>) -> TranscriptsReport {
    let (tally, counts) = (seen.tally, seen.counts);
    TranscriptsReport {
        files: seen.replay.transcripts.len(),
        sessions: tally.sessions.len(),
        bytes: seen.bytes,
        lines: counts.lines,
        unreadable_lines: counts.unreadable,
        not_utf8_lines: counts.not_utf8,
        unknown_lines: counts.unknown,
        too_long_lines: counts.too_long,
        unmatched_answers: counts.unmatched,
        events: tally.events,
        unfit_events: tally.unfit,
        calls: tally.calls,
        from: tally.first.map(|time| time.to_string()),
        to: tally.last.map(|time| time.to_string()),
        weeks: seen.weeks(),
    }
}

/// Returns the status of a handler, with its reasons.
pub(super) fn status(tally: &HandlerTally) -> (HandlerStatus, Vec<(Dependence, String)>) {
    let differs = tally.compared > 0 && (tally.agreed as f64) < MARK * tally.compared as f64;
    let reasons = tally.dependences.reasons(differs);
    let status = match (reasons.is_empty(), differs, tally.compared) {
        (false, ..) => HandlerStatus::NotReplayable,
        (true, true, _) => HandlerStatus::Changed,
        (true, false, 0) => HandlerStatus::Unproven,
        (true, false, _) => HandlerStatus::Reproduced,
    };
    (status, reasons)
}

fn handlers(seen: &ReportInput<'_>) -> Vec<HandlerReport> {
    let tallies = locked(&seen.present.handlers);
    let ran = tallies.iter().filter(|(_, tally)| tally.runs > 0);
    ran.filter_map(|(key, tally)| Some(handler(seen, &*seen.present.handler(*key)?, tally))).collect()
}

fn handler(seen: &ReportInput<'_>, handler: &Handler, tally: &HandlerTally) -> HandlerReport {
    let (status, reasons) = status(tally);
    let held = held(tally.words.iter().map(|(word, count)| (*word, *count)));
    let disagreements = tally.disagreements.iter().map(|((recorded, replayed, shape), counted)| {
        let example = counted.example.as_ref();
        DisagreementReport {
            recorded,
            replayed,
            shape: shape.clone(),
            count: counted.count,
            example: example.map(|example| seen.shown(example)),
            at: example.map(place),
        }
    });
    HandlerReport {
        hook: cause::name(handler),
        event: handler.event.name(),
        at: seen.location(handler),
        status,
        depends_on: reasons.iter().map(|(on, _)| *on).collect(),
        reasons: reasons.into_iter().map(|(_, reason)| reason).collect(),
        runs: tally.runs,
        compared: tally.compared,
        agreed: tally.agreed,
        silent: tally.silent,
        decisions: tally.words.clone(),
        held_per_1000_calls: seen.per_1000(held),
        held_per_week: seen.per_week(held),
        held_by_week: tally.weeks.clone(),
        disagreements: disagreements.collect(),
    }
}

fn set_aside(handlers: &[HandlerReport]) -> SetAsideReport {
    let aside = || handlers.iter().filter(|handler| handler.status == HandlerStatus::NotReplayable);
    let (runs, of_runs) = (aside().map(|one| one.runs).sum(), handlers.iter().map(|one| one.runs).sum());
    let share = if of_runs == 0 { 0.0 } else { runs as f64 / of_runs as f64 };
    SetAsideReport { handlers: aside().count(), runs, of_runs, share }
}

fn shapes(seen: &ReportInput<'_>) -> Vec<ShapeReport> {
    let tallies = locked(&seen.present.handlers);
    let trusted = tallies.iter().filter(|(_, tally)| status(tally).0 != HandlerStatus::NotReplayable);
    let mut all: Vec<ShapeReport> = Vec::new();
    for (key, tally) in trusted {
        let Some(handler) = seen.present.handler(*key) else { continue };
        all.extend(
            tally.shapes.iter().map(|(shape, counts)| of_shape(seen, &cause::name(&handler), shape, counts)),
        );
    }
    let rules = seen.tally.rules.iter();
    all.extend(rules.map(|((rule, shape), counts)| of_shape(seen, rule, shape, counts)));
    all.retain(|shape| shape.decisions.keys().any(|word| *word != "pass"));
    all
}

fn of_shape(
    seen: &ReportInput<'_>,
    by: &str,
    shape: &str,
    counts: &BTreeMap<&'static str, ShapeCount>,
) -> ShapeReport {
    let number = held(counts.iter().map(|(word, counted)| (*word, counted.count)));
    let examples =
        counts.iter().filter_map(|(word, counted)| Some((*word, seen.shown(counted.example.as_ref()?))));
    let held_back = counts.iter().filter(|(word, _)| holds_back(word));
    let reason = held_back
        .filter_map(|(_, counted)| counted.example.as_ref())
        .find_map(|example| Some(seen.clean(example.reason.as_deref()?, example)));
    ShapeReport {
        by: seen.redacted(by),
        shape: shape.to_owned(),
        decisions: counts.iter().map(|(word, counted)| (*word, counted.count)).collect(),
        held_per_1000_calls: seen.per_1000(number),
        held_per_week: seen.per_week(number),
        examples: examples.collect(),
        reason,
    }
}

fn held(words: impl Iterator<Item = (&'static str, u64)>) -> u64 {
    words.filter(|(word, _)| holds_back(word)).map(|(_, count)| count).sum()
}

fn differences(seen: &ReportInput<'_>, new: &Side) -> Vec<DifferenceReport> {
    let is_aside = |side: &Side, key: &HandlerKey| {
        let tallies = locked(&side.handlers);
        tallies.get(key).is_some_and(|tally| status(tally).0 == HandlerStatus::NotReplayable)
    };
    let all = seen.tally.differences.iter().map(|(key, difference)| {
        let count = difference.counted.count;
        let example = difference.counted.example.as_ref();
        let takes_chance = difference.present.iter().any(|handler| is_aside(seen.present, handler))
            || difference.new.iter().any(|handler| is_aside(new, handler));
        DifferenceReport {
            by: seen.redacted(&key.by),
            shape: key.shape.clone(),
            before: key.before,
            after: key.after,
            count,
            per_1000_calls: seen.per_1000(count),
            per_week: seen.per_week(count),
            cause: seen.redacted(&key.cause),
            change: seen.changes.get(key).map(|change| seen.redacted(change)),
            example: example.map(|example| seen.shown(example)),
            at: example.map(place),
            set_aside: takes_chance,
        }
    });
    let mut all: Vec<DifferenceReport> = all.collect();
    all.sort_by_key(|difference| std::cmp::Reverse(difference.count));
    all
}

fn place(example: &Example) -> String {
    format!("{}:{}", example.event.file.display(), example.event.line)
}

impl ReportInput<'_> {
    fn weeks(&self) -> f64 {
        let span = self
            .tally
            .first
            .zip(self.tally.last)
            .map(|(first, last)| last.duration_since(first).as_secs_f64());
        (span.unwrap_or_default() / (7.0 * 86_400.0)).max(1.0)
    }

    fn per_1000(&self, count: u64) -> f64 {
        rounded(1_000.0 * count as f64 / (self.tally.calls.max(1)) as f64)
    }

    fn per_week(&self, count: u64) -> f64 {
        rounded(count as f64 / self.weeks())
    }

    /// Returns the place of a handler, in the project instead of the copy.
    pub(super) fn location(&self, handler: &Handler) -> String {
        let at = &handler.location;
        let copy = self.present.copy.root.to_string_lossy();
        let file = moved(&at.file.to_string_lossy(), &copy, &self.replay.subject.root.to_string_lossy());
        format!("{file}:{}:{}", at.line, at.column)
    }

    /// Returns the input of an example on one line, without secrets.
    pub(super) fn shown(&self, example: &Example) -> String {
        self.clean(&example.event.headline(), example)
    }

    /// Returns a text about an example without secrets.
    fn clean(&self, text: &str, example: &Example) -> String {
        let redactor = self.redactor_of(example);
        becket_base::text::one_line(&redactor.redact(text), WIDTH)
    }

    /// Returns a redactor that knows the secrets of an example.
    pub(super) fn redactor_of(&self, example: &Example) -> becket_base::secret::Redactor {
        let mut redactor = self.replay.secrets.clone();
        example.event.add_secrets_to(&mut redactor);
        example.reason.iter().for_each(|reason| redactor.add_found_in(reason));
        redactor
    }

    fn redacted(&self, text: &str) -> String {
        let mut redactor = self.replay.secrets.clone();
        redactor.add_found_in(text);
        redactor.redact(text)
    }
}

fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
