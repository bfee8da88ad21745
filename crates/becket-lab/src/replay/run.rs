//! Replays transcripts: reads them, fires their events at the configurations, and counts.

use super::bisect::Bisection;
use super::cause;
use super::keep::{self, KeptCases};
use super::places::root_of;
use super::report::{self, ReplayReport};
use super::scratch::{Scratch, ScratchError};
use super::shape;
use super::side::{InForce, Side};
use super::tally::Tally;
use super::word;
use crate::check;
use crate::runner::{CaseError, Subject};
use crate::transcript::{ReadCounts, RecordedEvent, Transcript};
use becket_base::secret::Redactor;
use becket_engine::{CancellationToken, Outcome};
use futures_util::stream::{self, StreamExt};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of events after which other transcripts get a turn.
const TURN: u64 = 32;
/// The maximum number of commands of hooks that are known to be in force in a session.
const IN_FORCE: usize = 1_000;

/// The reason why nothing could be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is no scratch directory.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// No session starts with the configuration.
    #[error(transparent)]
    Start(#[from] CaseError),
    /// A transcript can't be read.
    #[error("`{}` can't be read: {why}", path.display())]
    Read {
        /// The transcript.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// A file has no line of a transcript.
    #[error("`{}` is not a transcript: it has no line that an agent records", path.display())]
    NoTranscript {
        /// The file.
        path: PathBuf,
    },
    /// None of the files has a line of a transcript.
    #[error("no transcript found (files searched: {files}): no line in them is one that an agent records")]
    NoTranscripts {
        /// The number of files.
        files: usize,
    },
    /// A file of the scratch directory can't be written.
    #[error("`{}` can't be written: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// A settings file is not JSON.
    #[error("the settings can't be compared: {why}")]
    Settings {
        /// The reason.
        why: String,
    },
}

/// A replay of transcripts.
pub struct Replay {
    /// The configuration.
    pub subject: Subject,
    /// A text that replaces the project's settings file, to be compared with the present one.
    pub new_settings: Option<String>,
    /// Set to find the change of the settings behind each difference.
    pub bisects: bool,
    /// The transcripts.
    pub transcripts: Vec<PathBuf>,
    /// Those that must be transcripts, as the user has named them. Other files may have no line of one.
    pub named: Vec<PathBuf>,
    /// The number of transcripts that are replayed at the same time.
    pub jobs: usize,
    /// Secrets that no report shows, in addition to what looks like one.
    pub secrets: Redactor,
}

/// The progress of a replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplayProgress {
    /// The bytes of transcripts that were read.
    pub bytes: u64,
    /// The events that were fired.
    pub events: u64,
}

/// The result of a replay.
#[derive(Debug)]
pub struct ReplayResult {
    /// The report, without secrets.
    pub report: ReplayReport,
    /// Cases that could be kept, the most significant ones first.
    pub cases: KeptCases,
}

/// The state of one run of a replay.
struct Run<'a> {
    replay: &'a Replay,
    present: Side,
    new: Option<Side>,
    tally: Mutex<Tally>,
    counts: Mutex<ReadCounts>,
    progress: Mutex<ReplayProgress>,
    tell: &'a (dyn Fn(ReplayProgress) + Sync),
    cancel: &'a CancellationToken,
}

impl Replay {
    /// Replays all transcripts until `cancel` is cancelled; the result is then partial.
    ///
    /// # Errors
    /// Errors if the project can't be copied, no session starts with its configuration, or a transcript can't be read.
    pub async fn run(
        &self,
        scratch: &Scratch,
        cancel: &CancellationToken,
        tell: &(dyn Fn(ReplayProgress) + Sync),
    ) -> Result<ReplayResult, ReplayError> {
        let present = Side::load(&self.subject, scratch, "present", None)?;
        let new =
            self.new_settings.as_deref().map(|text| Side::load(&self.subject, scratch, "new", Some(text)));
        let run = Run {
            replay: self,
            present,
            new: new.transpose()?,
            tally: Mutex::default(),
            counts: Mutex::default(),
            progress: Mutex::default(),
            tell,
            cancel,
        };
        let all = stream::iter(&self.transcripts)
            .map(|path| run.transcript(path))
            .buffer_unordered(self.jobs.max(1));
        let ended: Vec<Result<(), ReplayError>> = all.collect().await;
        ended.into_iter().collect::<Result<(), _>>()?;
        if locked(&run.counts).known == 0 && !cancel.is_cancelled() {
            return Err(ReplayError::NoTranscripts { files: self.transcripts.len() });
        }
        let tally = std::mem::take(&mut *locked(&run.tally));
        let changes = match &self.new_settings {
            Some(new) if self.bisects => {
                Bisection::new(&self.subject, scratch, new)?.run(&tally.differences, cancel).await?
            }
            Some(_) | None => Default::default(),
        };
        let seen = report::ReportInput {
            replay: self,
            present: &run.present,
            new: run.new.as_ref(),
            tally: &tally,
            counts: *locked(&run.counts),
            bytes: locked(&run.progress).bytes,
            changes: &changes,
        };
        let report = report::build(&seen);
        Ok(ReplayResult { cases: keep::candidates(&seen, &report), report })
    }
}

impl Run<'_> {
    async fn transcript(&self, path: &Path) -> Result<(), ReplayError> {
        let read = |why| ReplayError::Read { path: path.to_owned(), why };
        let mut transcript = Transcript::open(path).map_err(read)?;
        let mut in_force = InForce::new();
        let (mut reported, mut number) = (0, 0_u64);
        while let Some(event) = transcript.next_event().map_err(read)? {
            if self.cancel.is_cancelled() {
                break;
            }
            if in_force.len() < IN_FORCE {
                in_force.extend(event.answers.iter().filter_map(|answer| answer.command.clone()));
            }
            self.event(&event, &in_force).await;
            number += 1;
            if number.is_multiple_of(TURN) {
                tokio::task::yield_now().await;
                self.advance(transcript.bytes() - std::mem::replace(&mut reported, transcript.bytes()), TURN);
            }
        }
        self.advance(transcript.bytes() - reported, number % TURN);
        let counts = transcript.counts();
        locked(&self.counts).add(counts);
        let is_named = self.replay.named.iter().any(|named| named == path);
        match counts.known == 0 && is_named && !self.cancel.is_cancelled() {
            true => Err(ReplayError::NoTranscript { path: path.to_owned() }),
            false => Ok(()),
        }
    }

    fn advance(&self, bytes: u64, events: u64) {
        let mut progress = locked(&self.progress);
        progress.bytes += bytes;
        progress.events += events;
        (self.tell)(*progress);
    }

    async fn event(&self, event: &RecordedEvent, in_force: &InForce) {
        {
            let mut tally = locked(&self.tally);
            tally.event(event);
            let mut hasher = DefaultHasher::new();
            event.session().hash(&mut hasher);
            tally.sessions.insert(hasher.finish());
        }
        let root = root_of(&event.root, &self.replay.subject.root);
        let Some(present) = self.present.replay(event, root, in_force, self.cancel).await else {
            locked(&self.tally).unfit += 1;
            return;
        };
        self.count_rule(event, &present);
        if let Some(new) = &self.new
            && let Some(outcome) = new.replay(event, root, in_force, self.cancel).await
        {
            self.compare(event, &present, new, &outcome);
        }
    }

    fn count_rule(&self, event: &RecordedEvent, outcome: &Outcome) {
        let Some(rule) = cause::rule(outcome) else { return };
        let decided = word::one_word(check::decided(outcome));
        let mut tally = locked(&self.tally);
        let counted = tally.rules.entry((rule, shape::of(event))).or_default().entry(decided).or_default();
        counted.add(event, || None);
    }

    fn compare(&self, event: &RecordedEvent, present: &Outcome, new: &Side, outcome: &Outcome) {
        let before = word::one_word(check::decided(present));
        let after = word::one_word(check::decided(outcome));
        if before == after || self.cancel.is_cancelled() {
            return;
        }
        let explained = cause::explain((&self.present, present), (new, outcome));
        let key = super::tally::DifferenceKey {
            by: explained.by,
            shape: shape::of(event),
            before,
            after,
            cause: explained.cause,
        };
        let mut tally = locked(&self.tally);
        let difference = tally.differences.entry(key).or_default();
        difference.counted.add(event, || outcome.reason().or_else(|| present.reason()));
        difference.present.extend(explained.present);
        difference.new.extend(explained.new);
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
