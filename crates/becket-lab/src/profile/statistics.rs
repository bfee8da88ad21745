//! Counts records.

use super::critical_path::critical_path;
use super::distribution::{Distribution, milliseconds};
use super::reader::{self, UnreadLog};
use super::recorded_times;
use super::report::{
    EventProfile, HookProfile, PathStep, ProfileReport, SessionProfile, TimelineEvent, TimelineRun,
    UnreadLines,
};
use super::session_times::SessionTimes;
use crate::transcript::Transcript;
use becket_engine::config::HookBudget;
use becket_fire::times::{RunTime, TimeRecord, older_log_file};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

/// The maximum number of events that are kept for timelines.
const TIMELINE: usize = 5_000;
/// The maximum number of sessions that are distinguished.
const SESSIONS: usize = 10_000;

/// The counts of records.
#[derive(Debug, Default)]
pub struct Profile {
    hooks: BTreeMap<HookKey, HookTimes>,
    events: BTreeMap<String, EventTimes>,
    sessions: BTreeMap<String, SessionTimes>,
    hosts: BTreeMap<String, u64>,
    timeline: VecDeque<TimeRecord>,
    other_sessions: u64,
    untimed: u64,
    unread: UnreadLines,
}

/// A hook of one event: two may have one name, and one may be written in two places.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HookKey {
    hook: String,
    event: String,
    place: String,
}

#[derive(Debug, Default)]
struct HookTimes {
    times: Distribution,
    failed: u64,
    background: u64,
    critical: u64,
    critical_us: u64,
}

#[derive(Debug, Default)]
struct EventTimes {
    times: Distribution,
    /// The events that waited for each hook last, and the time that events waited for it.
    critical: BTreeMap<String, (u64, u64)>,
    own: u64,
    slowest: (u64, Vec<PathStep>),
}

impl Profile {
    /// Counts a record.
    pub fn add(&mut self, record: TimeRecord) {
        let path = critical_path(&record.runs);
        for (number, run) in record.runs.iter().enumerate() {
            self.hook(&record, run).add(run, path.contains(&number));
        }
        if !path.is_empty() {
            *self.hosts.entry(record.host.clone()).or_default() += 1;
            self.events.entry(record.event.clone()).or_default().add(&record, &path);
            if let Some(session) = self.session(&record) {
                session.wait(record.at, record.us);
            }
        }
        if self.timeline.len() >= TIMELINE {
            self.timeline.pop_front();
        }
        self.timeline.push_back(record);
    }

    fn hook(&mut self, record: &TimeRecord, run: &RunTime) -> &mut HookTimes {
        let (hook, event) = (run.hook.clone(), record.event.clone());
        self.hooks.entry(HookKey { hook, event, place: run.place.clone() }).or_default()
    }

    /// Returns the session of a record; `None` for one of tests, or if there are too many.
    fn session(&mut self, record: &TimeRecord) -> Option<&mut SessionTimes> {
        if record.host == "test" {
            return None;
        }
        self.session_of(&record.host, &record.session, record.at)
    }

    fn session_of(&mut self, host: &str, id: &str, at: u64) -> Option<&mut SessionTimes> {
        if !self.sessions.contains_key(id) {
            if self.sessions.len() >= SESSIONS {
                self.other_sessions += 1;
                return None;
            }
            self.sessions.insert(id.to_owned(), SessionTimes::at(host, at));
        }
        self.sessions.get_mut(id)
    }

    /// Reads the records of a log, those of the rotated log first.
    ///
    /// # Errors
    /// Errors if the log can't be read. A line that can't be read is counted instead.
    pub fn read(&mut self, path: &Path) -> Result<(), UnreadLog> {
        let mut unread = self.unread;
        let before = older_log_file(path);
        let logs = [before.as_path(), path];
        let read = logs.into_iter().filter(|log| *log == path || log.is_file());
        let done =
            read.into_iter().try_for_each(|log| reader::read(log, &mut unread, |record| self.add(record)));
        self.unread = unread;
        done
    }

    /// Reads a transcript, if it has times.
    ///
    /// # Errors
    /// Errors if the file can't be read.
    pub fn read_transcript(&mut self, path: &Path) -> Result<(), UnreadLog> {
        let failed = |why| UnreadLog { path: path.to_owned(), why };
        let mut transcript = Transcript::open(path).map_err(failed)?;
        while let Some(event) = transcript.next_event().map_err(failed)? {
            self.untimed += event.answers.iter().filter(|answer| answer.elapsed.is_none()).count() as u64;
            if let Some(record) = recorded_times::of(&event) {
                self.add(record);
            } else if let Some(time) = event.time.and_then(|time| u64::try_from(time.as_microsecond()).ok())
                && let Some(session) = self.session_of("transcript", event.session(), time)
            {
                // Events without times count for the length of a session.
                session.extend(time);
            }
        }
        let counts = transcript.counts();
        self.unread.broken += counts.unreadable;
        self.unread.too_long += counts.too_long;
        Ok(())
    }

    /// Returns the profile as plain data.
    pub fn report(&self, budget: &HookBudget) -> ProfileReport {
        let mut hooks: Vec<HookProfile> =
            self.hooks.iter().map(|(key, hook)| hook.report(key, budget_of(&key.event, budget))).collect();
        hooks.sort_by(|one, other| other.total.total_cmp(&one.total));
        let mut by_event: Vec<EventProfile> =
            self.events.iter().map(|(name, event)| event.report(name)).collect();
        by_event.sort_by(|one, other| other.total.total_cmp(&one.total));
        let mut sessions: Vec<SessionProfile> =
            self.sessions.iter().map(|(id, session)| session.report(id)).collect();
        sessions.sort_by(|one, other| other.waiting.total_cmp(&one.waiting));
        ProfileReport {
            events: by_event.iter().map(|event| event.events).sum(),
            runs: hooks.iter().map(|hook| hook.runs).sum(),
            hosts: self.hosts.clone(),
            untimed_answers: self.untimed,
            unread_lines: self.unread,
            hooks,
            by_event,
            sessions,
            events_of_other_sessions: self.other_sessions,
            timeline: self.timeline.iter().map(on_timeline).collect(),
        }
    }
}

impl HookTimes {
    fn add(&mut self, run: &RunTime, is_critical: bool) {
        self.times.add(run.us);
        self.failed += u64::from(matches!(run.status.as_str(), "error" | "cancelled"));
        self.background += u64::from(run.background);
        if is_critical {
            self.critical += 1;
            self.critical_us = self.critical_us.saturating_add(run.us);
        }
    }

    fn report(&self, key: &HookKey, budget: Option<f64>) -> HookProfile {
        let p95 = self.times.quantile(0.95);
        HookProfile {
            hook: key.hook.clone(),
            event: key.event.clone(),
            place: key.place.clone(),
            runs: self.times.count(),
            failed: self.failed,
            background: self.background,
            p50: self.times.quantile(0.5),
            p95,
            p99: self.times.quantile(0.99),
            max: self.times.max(),
            total: self.times.total(),
            critical: self.critical,
            critical_time: milliseconds(self.critical_us),
            budget,
            // Nothing waits for hooks in the background.
            over_budget: self.background < self.times.count() && budget.is_some_and(|budget| p95 > budget),
            buckets: self.times.buckets(),
        }
    }
}

impl EventTimes {
    fn add(&mut self, record: &TimeRecord, path: &[usize]) {
        let steps: Vec<&RunTime> = path.iter().filter_map(|at| record.runs.get(*at)).collect();
        self.times.add(record.us);
        for step in &steps {
            let waited = &mut self.critical.entry(step.hook.clone()).or_default().1;
            *waited = waited.saturating_add(step.us);
        }
        if let Some(last) = steps.last().and_then(|last| self.critical.get_mut(&last.hook)) {
            last.0 += 1;
        }
        let in_hooks = steps.iter().fold(0_u64, |sum, step| sum.saturating_add(step.us));
        self.own = self.own.saturating_add(record.us.saturating_sub(in_hooks));
        if self.slowest.1.is_empty() || record.us > self.slowest.0 {
            let step = |step: &&RunTime| PathStep { hook: step.hook.clone(), elapsed: milliseconds(step.us) };
            self.slowest = (record.us, steps.iter().map(step).collect());
        }
    }

    fn report(&self, name: &str) -> EventProfile {
        let critical = self.critical.iter().max_by_key(|(_, (_, us))| *us);
        let events = self.times.count();
        EventProfile {
            event: name.to_owned(),
            events,
            p50: self.times.quantile(0.5),
            p95: self.times.quantile(0.95),
            p99: self.times.quantile(0.99),
            max: self.times.max(),
            total: self.times.total(),
            critical: critical.map(|(hook, _)| hook.clone()).unwrap_or_default(),
            critical_share: critical.map_or(0.0, |(_, (count, _))| *count as f64 / events.max(1) as f64),
            own: milliseconds(self.own),
            slowest: self.slowest.1.clone(),
        }
    }
}

/// Returns the budget of the hooks of an event, in milliseconds.
fn budget_of(event: &str, budget: &HookBudget) -> Option<f64> {
    let of_event = event.parse().map_or(budget.all, |event| budget.of(event));
    of_event.map(|time| time.as_secs_f64() * 1_000.0)
}

fn on_timeline(record: &TimeRecord) -> TimelineEvent {
    let path = critical_path(&record.runs);
    let runs = record.runs.iter().enumerate().map(|(number, run)| TimelineRun {
        hook: run.hook.clone(),
        status: run.status.clone(),
        from: milliseconds(run.from),
        elapsed: milliseconds(run.us),
        critical: path.contains(&number),
        background: run.background,
    });
    TimelineEvent {
        at: milliseconds(record.at),
        session: record.session.clone(),
        event: record.event.clone(),
        subject: record.subject.clone(),
        elapsed: milliseconds(record.us),
        runs: runs.collect(),
    }
}

#[cfg(test)]
mod tests;
