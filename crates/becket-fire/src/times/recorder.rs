//! Converts the run events of an engine to records.

use super::hook_name;
use super::log::{TimeLog, log_file};
use super::record::{RunTime, TimeRecord, VERSION};
use becket_base::text::one_line;
use becket_engine::{Observer, Run, RunEvent, RunEventKind, Status};
use becket_model::Event;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The maximum number of pending events; beyond it the oldest is not recorded.
const PENDING: usize = 1_000;
/// The maximum length of the texts of a record, in characters.
const LONGEST: usize = 100;

/// The host of an engine, as records name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum RecordedHost {
    Run,
    Serve,
    Fire,
    Test,
    Mcp,
}

impl RecordedHost {
    const fn name(self) -> &'static str {
        match self {
            RecordedHost::Run => "run",
            RecordedHost::Serve => "serve",
            RecordedHost::Fire => "fire",
            RecordedHost::Test => "test",
            RecordedHost::Mcp => "mcp",
        }
    }
}

/// The first reason why times were not recorded, shared by the recorders of a process.
#[derive(Debug, Clone, Default)]
pub struct FirstFailure(Arc<Mutex<Option<String>>>);

impl FirstFailure {
    /// Keeps a reason, unless there is one.
    pub fn note(&self, why: impl FnOnce() -> String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(why);
    }

    /// Returns the reason as a line for the user, and forgets it.
    #[must_use]
    pub fn take(&self) -> Option<String> {
        let why = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(format!("the times of hooks are not recorded: {why}"))
    }
}

/// A recorder of the events of one engine. It does not affect their decisions.
#[derive(Debug)]
pub struct TimeRecorder {
    host: RecordedHost,
    path: PathBuf,
    log: Mutex<Option<TimeLog>>,
    pending: Mutex<BTreeMap<u64, PendingRecord>>,
    failure: FirstFailure,
}

/// A pending event, or one with hooks in the background.
#[derive(Debug)]
struct PendingRecord {
    start: Instant,
    record: TimeRecord,
    in_background: usize,
    is_decided: bool,
}

impl TimeRecorder {
    /// Creates the recorder of the sessions in `project`, whose log is in `directory`.
    #[must_use]
    pub fn new(directory: &Path, project: &Path, host: RecordedHost, failure: FirstFailure) -> Self {
        let path = log_file(directory, project);
        TimeRecorder { host, path, log: Mutex::default(), pending: Mutex::default(), failure }
    }

    fn pending(&self) -> MutexGuard<'_, BTreeMap<u64, PendingRecord>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fired(&self, firing: u64, event: &Event) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let text = |text: &str| one_line(text, LONGEST);
        let record = TimeRecord {
            version: VERSION,
            host: self.host.name().to_owned(),
            at: microseconds(now),
            session: text(&event.session.id.to_string()),
            event: event.kind().name().to_owned(),
            subject: event.body.subject().map(text),
            us: 0,
            runs: Vec::new(),
        };
        let mut pending = self.pending();
        pending.insert(
            firing,
            PendingRecord { start: Instant::now(), record, in_background: 0, is_decided: false },
        );
        if pending.len() > PENDING {
            // The events of dropped firings have no verdict.
            pending.pop_first();
        }
    }

    fn decided(&self, firing: u64, elapsed: Duration) {
        let mut all = self.pending();
        let Some(pending) = all.get_mut(&firing) else { return };
        pending.is_decided = true;
        let runs = std::mem::take(&mut pending.record.runs);
        let record = TimeRecord { us: microseconds(elapsed), runs, ..pending.record.clone() };
        if pending.in_background == 0 {
            all.remove(&firing);
        }
        drop(all);
        self.write(&record);
    }

    /// Records a run that its event has not waited for.
    fn ended_in_background(&self, firing: u64, run: &Run) {
        let mut all = self.pending();
        let Some(pending) = all.get_mut(&firing) else { return };
        pending.in_background = pending.in_background.saturating_sub(1);
        let time = RunTime { background: true, ..time_of(run, pending.start) };
        let record = TimeRecord { us: 0, runs: vec![time], ..pending.record.clone() };
        if pending.is_decided && pending.in_background == 0 {
            all.remove(&firing);
        }
        drop(all);
        self.write(&record);
    }

    fn write(&self, record: &TimeRecord) {
        if record.runs.is_empty() {
            return;
        }
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match &mut *log {
            Some(log) => log.write(record),
            none => TimeLog::open(&self.path).and_then(|opened| none.insert(opened).write(record)),
        };
        if let Err(why) = written {
            self.failure.note(|| format!("`{}` can't be written: {why}", self.path.display()));
        }
    }
}

impl Observer for TimeRecorder {
    fn on(&self, event: &RunEvent) {
        match &event.what {
            RunEventKind::Fired { event: fired } => self.fired(event.firing, fired),
            // A background run has its time when it ends.
            RunEventKind::Finished { run } if run.background.is_none() => {
                if let Some(pending) = self.pending().get_mut(&event.firing) {
                    pending.record.runs.push(time_of(run, pending.start));
                }
            }
            RunEventKind::Backgrounded { .. } => {
                if let Some(pending) = self.pending().get_mut(&event.firing) {
                    pending.in_background += 1;
                }
            }
            RunEventKind::BackgroundFinished { run, .. } => self.ended_in_background(event.firing, run),
            RunEventKind::Decided { elapsed, .. } => self.decided(event.firing, *elapsed),
            RunEventKind::Finished { .. }
            | RunEventKind::Skipped(_)
            | RunEventKind::Started { .. }
            | RunEventKind::Output { .. } => {}
        }
    }
}

/// Returns the times of a run that has just ended.
fn time_of(run: &Run, start: Instant) -> RunTime {
    RunTime {
        hook: hook_name::of(&run.handler),
        place: hook_name::place(&run.handler),
        status: status(run).to_owned(),
        from: microseconds(start.elapsed().saturating_sub(run.elapsed)),
        us: microseconds(run.elapsed),
        background: false,
    }
}

/// Returns the status for a record; an answer in observation has no effect, so its decision is not named.
fn status(run: &Run) -> &'static str {
    let is_observed = run.withheld.as_ref().is_some_and(|withheld| withheld.observed.is_some());
    match run.status {
        Status::Success | Status::Blocked if is_observed => "observed",
        status @ (Status::Success | Status::Blocked | Status::Error | Status::Cancelled) => status.as_str(),
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
