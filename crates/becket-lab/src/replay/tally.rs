//! Counts of a replay: its size depends on handlers and shapes, not on the number of calls.

use super::dependence::Dependences;
use crate::handler_key::HandlerKey;
use crate::transcript::RecordedEvent;
use jiff::Timestamp;
use jiff::civil::ISOWeekDate;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of shapes that are distinguished, and the shape of all others.
const MOST_SHAPES: usize = 2_000;
const OTHER: &str = "(other)";
/// The largest input of an event that is kept as an example, in bytes.
const EXAMPLE: usize = 1 << 16;

/// The number of events of each decision.
pub(super) type WordCounts = BTreeMap<&'static str, u64>;

/// An event that represents others, with a reason.
#[derive(Debug, Clone)]
pub(super) struct Example {
    pub(super) event: RecordedEvent,
    pub(super) reason: Option<String>,
}

impl Example {
    /// Creates an example from an event, unless it is too large.
    pub(super) fn of(event: &RecordedEvent, reason: Option<String>) -> Option<Self> {
        let size: usize = event.fields.values().map(|value| value.to_string().len()).sum();
        (size <= EXAMPLE)
            .then(|| Example { event: RecordedEvent { answers: Vec::new(), ..event.clone() }, reason })
    }

    fn place(&self) -> (&std::path::Path, u64) {
        (&self.event.file, self.event.line)
    }
}

/// Keeps the first of two examples, in the order of files and lines.
pub(super) fn keep_first(
    kept: &mut Option<Example>,
    new: impl FnOnce() -> Option<Example>,
    event: &RecordedEvent,
) {
    let is_earlier = kept.as_ref().is_none_or(|kept| (event.file.as_path(), event.line) < kept.place());
    if is_earlier && let Some(new) = new() {
        *kept = Some(new);
    }
}

/// The calls of one shape, counted, with an example.
#[derive(Debug, Clone, Default)]
pub(super) struct ShapeCount {
    pub(super) count: u64,
    pub(super) example: Option<Example>,
}

impl ShapeCount {
    pub(super) fn add(&mut self, event: &RecordedEvent, reason: impl FnOnce() -> Option<String>) {
        self.count += 1;
        keep_first(&mut self.example, || Example::of(event, reason()), event);
    }
}

/// The counts of one handler.
#[derive(Debug, Clone, Default)]
pub(super) struct HandlerTally {
    pub(super) runs: u64,
    pub(super) words: WordCounts,
    /// Records that could be compared, and those that agreed.
    pub(super) compared: u64,
    pub(super) agreed: u64,
    /// Silent passes without a record, which are evidence neither way.
    pub(super) silent: u64,
    /// Recorded and replayed decision, by shape.
    pub(super) disagreements: BTreeMap<(&'static str, &'static str, String), ShapeCount>,
    pub(super) shapes: BTreeMap<String, BTreeMap<&'static str, ShapeCount>>,
    /// Decisions that hold something back, by week.
    pub(super) weeks: BTreeMap<String, u64>,
    pub(super) dependences: Dependences,
}

/// A decision that differs between two configurations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DifferenceKey {
    /// The handler or rule that made the decisive decision.
    pub(super) by: String,
    pub(super) shape: String,
    pub(super) before: &'static str,
    pub(super) after: &'static str,
    pub(super) cause: String,
}

/// A difference, counted.
#[derive(Debug, Clone, Default)]
pub(super) struct DifferenceTally {
    pub(super) counted: ShapeCount,
    /// The handlers whose decisions differ, of the present configuration and of the new one.
    pub(super) present: BTreeSet<HandlerKey>,
    pub(super) new: BTreeSet<HandlerKey>,
}

/// The counts of a whole replay.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) events: u64,
    pub(super) calls: u64,
    /// Events whose input did not fit.
    pub(super) unfit: u64,
    pub(super) sessions: BTreeSet<u64>,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    pub(super) rules: BTreeMap<(String, String), BTreeMap<&'static str, ShapeCount>>,
    pub(super) differences: BTreeMap<DifferenceKey, DifferenceTally>,
}

impl Tally {
    /// Counts an event.
    pub(super) fn event(&mut self, event: &RecordedEvent) {
        self.events += 1;
        self.calls += u64::from(event.kind == becket_model::EventKind::PreToolUse);
        if let Some(time) = event.time {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
    }
}

impl HandlerTally {
    /// Counts a run; returns whether its shape is new.
    pub(super) fn run(
        &mut self,
        event: &RecordedEvent,
        shape: &str,
        word: &'static str,
        reason: impl FnOnce() -> Option<String>,
    ) -> bool {
        self.runs += 1;
        *self.words.entry(word).or_default() += 1;
        if super::word::holds_back(word)
            && let Some(week) = event.time.map(week)
        {
            *self.weeks.entry(week).or_default() += 1;
        }
        let is_new = !self.shapes.contains_key(shape);
        let shape = if is_new && self.shapes.len() >= MOST_SHAPES { OTHER } else { shape };
        self.shapes.entry(shape.to_owned()).or_default().entry(word).or_default().add(event, reason);
        is_new
    }
}

/// Returns the week of a moment, as ISO 8601 writes it.
fn week(time: Timestamp) -> String {
    let date: ISOWeekDate = time.to_zoned(TimeZone::UTC).date().iso_week_date();
    format!("{}-W{:02}", date.year(), date.week())
}
