//! A profile as plain data.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of `becket profile`. All times are in milliseconds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProfileReport {
    /// Events with at least one run that they waited for.
    pub events: u64,
    /// Runs with a time.
    pub runs: u64,
    /// The events by the host that fired them: `run`, `serve`, `fire`, `test`, `mcp`, or `transcript`.
    pub hosts: BTreeMap<String, u64>,
    /// Recorded answers without a time, which transcripts have of denials.
    pub untimed_answers: u64,
    /// Lines that could not be read.
    pub unread_lines: UnreadLines,
    /// The hooks, those that take the most time first.
    pub hooks: Vec<HookProfile>,
    /// The events: how long a session waits for each. Those that it waits for the longest are first.
    pub by_event: Vec<EventProfile>,
    /// The sessions, those that wait the longest first; without those of tests.
    pub sessions: Vec<SessionProfile>,
    /// Events of sessions past the number that is distinguished.
    pub events_of_other_sessions: u64,
    /// The last events.
    pub timeline: Vec<TimelineEvent>,
}

/// The number of lines that could not be read, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadLines {
    /// Cut, or no record.
    pub broken: u64,
    /// Written by a newer version of Becket.
    pub newer: u64,
    /// Too long to be read.
    pub too_long: u64,
}

/// The runs of a hook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HookProfile {
    /// Its name.
    pub hook: String,
    /// Its event.
    pub event: String,
    /// The place where it is written, if it is known.
    pub place: String,
    /// The number of runs.
    pub runs: u64,
    /// Runs that failed or were cancelled.
    pub failed: u64,
    /// Runs that their event did not wait for.
    pub background: u64,
    /// The median.
    pub p50: f64,
    /// 95 of 100 runs take at most this.
    pub p95: f64,
    /// 99 of 100 runs take at most this.
    pub p99: f64,
    /// The longest run.
    pub max: f64,
    /// All runs together.
    pub total: f64,
    /// The number of events on whose critical path it is.
    pub critical: u64,
    /// The time that events waited for it, and for no faster one.
    pub critical_time: f64,
    /// The time that it may take.
    pub budget: Option<f64>,
    /// Set if 5 of 100 runs or more take longer than that.
    pub over_budget: bool,
    /// The distribution.
    pub buckets: Vec<Bucket>,
}

/// The number of runs in a stretch of time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bucket {
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub up_to: f64,
    /// The number of runs.
    pub runs: u64,
}

/// The time that sessions wait for an event.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventProfile {
    /// The event.
    pub event: String,
    /// The number of events.
    pub events: u64,
    /// The median.
    pub p50: f64,
    /// 95 of 100 events take at most this.
    pub p95: f64,
    /// 99 of 100 events take at most this.
    pub p99: f64,
    /// The longest.
    pub max: f64,
    /// All events together.
    pub total: f64,
    /// The hook that events waited for the longest.
    pub critical: String,
    /// The share of events that waited for it last, from 0 to 1.
    pub critical_share: f64,
    /// The part of the total in which no hook of the critical path ran: the work of Becket itself.
    pub own: f64,
    /// The critical path of the slowest event.
    pub slowest: Vec<PathStep>,
}

/// A run on a critical path.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PathStep {
    /// The hook.
    pub hook: String,
    /// The time.
    pub elapsed: f64,
}

/// The time that a session waits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionProfile {
    /// Its id.
    pub session: String,
    /// The host of its events.
    pub host: String,
    /// The number of its events with hooks.
    pub events: u64,
    /// The time for which it waited for hooks; events at the same time count once.
    pub waiting: f64,
    /// The time from its first to its last event.
    pub span: f64,
    /// The share of the session that it waited, from 0 to 1.
    pub share: f64,
}

/// An event on the timeline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TimelineEvent {
    /// The start, in milliseconds since 1970.
    pub at: f64,
    /// The session.
    pub session: String,
    /// The event.
    pub event: String,
    /// The value that matchers were tested against.
    pub subject: Option<String>,
    /// The time.
    pub elapsed: f64,
    /// The runs.
    pub runs: Vec<TimelineRun>,
}

/// A run on the timeline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TimelineRun {
    /// The hook.
    pub hook: String,
    /// Its status.
    pub status: String,
    /// The start after that of the event.
    pub from: f64,
    /// The time.
    pub elapsed: f64,
    /// Set if it is on the critical path.
    pub critical: bool,
    /// Set if the event did not wait for it.
    pub background: bool,
}
