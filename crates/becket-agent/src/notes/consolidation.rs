//! Consolidates notes that many sessions have added to: when it is due, and which replacements are valid.
//!
//! A file next to the notes records the time of the last consolidation. A session that consolidates holds its lock, so
//! no other one does at the same time; if the session is killed, the lock is released and the notes are unchanged.
//!
//! INVARIANT: the replacement is never longer than the notes, and never has more notes. A note that was added in the
//! meantime is kept, and if one was deleted in the meantime, nothing is changed. The previous content is in a second
//! file.

use super::file::{Notes, NotesError, NotesFault, utf8};
use super::text::{MOST_BYTES, consolidated, count};
use crate::locked_file::{HeldFile, LockedError, LockedFile};
use becket_engine::CancellationToken;
use becket_tools::blocking::blocking;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The minimum number of notes for a consolidation.
const FEWEST: usize = 5;

/// The condition for consolidating notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConsolidationGate {
    /// The minimum time since the last consolidation.
    pub least_age: Duration,
    /// The minimum number of sessions since then.
    pub least_sessions: usize,
}

impl Default for ConsolidationGate {
    /// Returns one day and five sessions.
    fn default() -> Self {
        Self { least_age: Duration::from_secs(86_400), least_sessions: 5 }
    }
}

/// Notes that are being consolidated: no other session does so until this is dropped.
#[derive(Debug)]
pub struct Consolidation {
    notes: Notes,
    held: HeldFile,
    text: String,
    now: SystemTime,
}

impl Notes {
    /// Starts to consolidate; `None` if it is not due, there are too few notes, or another session does so.
    ///
    /// `sessions_since` returns the number of other sessions since a given time; it is called off the runtime's
    /// threads.
    ///
    /// # Errors
    /// Errors if the notes, or the file with the time of the last consolidation, can't be read.
    pub(crate) async fn consolidate(
        &self,
        gate: ConsolidationGate,
        now: SystemTime,
        sessions_since: impl FnOnce(SystemTime) -> usize + Send + 'static,
        cancel: &CancellationToken,
    ) -> Result<Option<Consolidation>, NotesError> {
        let (notes, stamp) = (self.clone(), self.beside("consolidated"));
        let begun = blocking(cancel, move |_| Ok(notes.begin(&stamp, gate, now, sessions_since)));
        begun.await.map_err(NotesFault::from).and_then(|begun| begun).map_err(|why| self.error(why))
    }

    /// Starts to consolidate, and blocks the thread.
    fn begin(
        self,
        stamp: &LockedFile,
        gate: ConsolidationGate,
        now: SystemTime,
        sessions_since: impl FnOnce(SystemTime) -> usize,
    ) -> Result<Option<Consolidation>, NotesFault> {
        let Some(text) = self.file.read()?.map(utf8).transpose()? else { return Ok(None) };
        if count(&text) < FEWEST {
            return Ok(None);
        }
        let Some(held) = stamp.try_hold()? else { return Ok(None) };
        let last = last(stamp.read()?.as_deref());
        // A clock that was set back makes nothing due early, and a timestamp in the future does not block it forever.
        let age = now.duration_since(last).unwrap_or(gate.least_age);
        if age < gate.least_age || sessions_since(last) < gate.least_sessions {
            return Ok(None);
        }
        Ok(Some(Consolidation { notes: self, held, text, now }))
    }

    /// Returns a file with another suffix, which has its own lock.
    fn beside(&self, ending: &str) -> LockedFile {
        let mut name = self.path().file_stem().unwrap_or_default().to_owned();
        name.push(format!("-{ending}"));
        let mut path: PathBuf = self.path().with_file_name(name);
        path.set_extension("md");
        LockedFile::new(path, MOST_BYTES as u64)
    }
}

impl Consolidation {
    /// Returns the text of the notes.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the old notes with `notes`, and returns whether it did: not if they are not a valid replacement,
    /// because there are none, more, or longer ones. Either way the next consolidation is due as if this one had
    /// succeeded.
    ///
    /// # Errors
    /// Errors if the notes can't be written; they are unchanged, and the next session may try again.
    pub async fn finish(self, notes: Vec<String>, cancel: &CancellationToken) -> Result<bool, NotesError> {
        let of = self.notes.clone();
        let finished = blocking(cancel, move |stop| {
            let Self { notes: kept, held, text: old, now } = self;
            let before = kept.beside("before");
            let written = kept.file.change(stop, |bytes| -> Result<_, NotesFault> {
                let text = bytes.map(utf8).transpose()?.unwrap_or_default();
                let Some(new) = consolidated(&text, &old, &notes) else { return Ok((None, false)) };
                before.change(stop, |_| Ok::<_, LockedError>((Some(text.into_bytes()), ())))?;
                Ok((Some(new.into_bytes()), true))
            });
            Ok(written.and_then(|is_new| {
                held.write(seconds(now).to_string().as_bytes(), stop)?;
                Ok(is_new)
            }))
        });
        finished.await.map_err(NotesFault::from).and_then(|done| done).map_err(|why| of.error(why))
    }
}

/// Returns the time of the last consolidation; the epoch if there was none, or the file is invalid.
fn last(stamp: Option<&[u8]>) -> SystemTime {
    let text = stamp.and_then(|bytes| std::str::from_utf8(bytes).ok());
    let seconds = text.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or_default();
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH)
}

fn seconds(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(all(test, unix))]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    const GATE: ConsolidationGate =
        ConsolidationGate { least_age: Duration::from_secs(100), least_sessions: 2 };

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    async fn with(count: usize) -> (tempfile::TempDir, Notes) {
        let directory = tempfile::TempDir::new().unwrap();
        let notes = Notes::at(directory.path().join("memory/notes.md"));
        for number in 0..count {
            notes.add(vec![format!("note {number}")], &CancellationToken::new()).await.unwrap();
        }
        (directory, notes)
    }

    async fn begins(notes: &Notes, now: u64, sessions: usize) -> Option<Consolidation> {
        notes.consolidate(GATE, at(now), move |_| sessions, &CancellationToken::new()).await.unwrap()
    }

    fn lines(notes: &[&str]) -> Vec<String> {
        notes.iter().map(ToString::to_string).collect()
    }

    // rule: L7
    #[tokio::test]
    async fn time_sessions_and_notes_say_when_it_is_due() {
        let never = CancellationToken::new();
        let (_directory, notes) = with(FEWEST).await;
        assert!(begins(&notes, 1_000, 1).await.is_none(), "too few sessions");
        let begun = begins(&notes, 1_000, 2).await.expect("it was never done");
        assert!(begun.finish(lines(&["one"]), &never).await.unwrap());
        for number in 0..FEWEST {
            notes.add(vec![format!("more {number}")], &never).await.unwrap();
        }
        assert!(begins(&notes, 1_099, 9).await.is_none(), "too early");
        let since = std::sync::Arc::new(std::sync::Mutex::new(None));
        let asked = since.clone();
        let count = move |last| {
            *asked.lock().unwrap() = Some(last);
            2
        };
        assert!(notes.consolidate(GATE, at(1_100), count, &never).await.unwrap().is_some());
        assert_eq!(*since.lock().unwrap(), Some(at(1_000)), "sessions are counted since the last time");
        assert!(begins(&notes, 10, 9).await.is_some(), "a stamp of the future is none");
        let (_directory, few) = with(FEWEST - 1).await;
        assert!(begins(&few, 1_000, 9).await.is_none(), "too few notes");
        let (_directory, none) = with(0).await;
        assert!(begins(&none, 1_000, 9).await.is_none());
    }

    // rule: L7
    #[tokio::test]
    async fn two_sessions_never_do_it_at_once() {
        let (_directory, notes) = with(FEWEST).await;
        let all = (0..20).map(|_| begins(&notes, 1_000, 2));
        let begun: Vec<Consolidation> =
            futures_util::future::join_all(all).await.into_iter().flatten().collect();
        assert_eq!(begun.len(), 1);
        drop(begun);
        assert!(begins(&notes, 1_000, 2).await.is_some(), "a session that gave up leaves no lock");
    }

    // rule: L7
    #[tokio::test]
    async fn what_comes_meanwhile_stays_and_lines_of_the_user_do() {
        let never = CancellationToken::new();
        let (_directory, notes) = with(FEWEST).await;
        let text = fs::read_to_string(notes.path()).unwrap();
        fs::write(notes.path(), text.replace("- note 2\n", "mine\n- note 2\n")).unwrap();
        let begun = begins(&notes, 1_000, 2).await.unwrap();
        let before = begun.text().to_owned();
        notes.add(lines(&["late"]), &never).await.unwrap();
        assert!(begun.finish(lines(&["- all of it", "note 4"]), &never).await.unwrap());
        let text = notes.text(&never).await.unwrap().unwrap();
        assert!(text.ends_with("mine\n- all of it\n- note 4\n- late\n"), "{text}");
        let kept = notes.path().with_file_name("notes-before.md");
        assert_eq!(fs::read_to_string(&kept).unwrap(), format!("{before}- late\n"));
        for file in [notes.path().to_owned(), kept, notes.path().with_file_name("notes-consolidated.md")] {
            assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    // rule: L7
    #[tokio::test]
    async fn what_can_not_stand_for_the_notes_changes_nothing() {
        let never = CancellationToken::new();
        let more: Vec<String> = (0..=FEWEST).map(|number| format!("other {number}")).collect();
        for answer in
            [vec![], lines(&["", "  "]), more, lines(&[&"long ".repeat(50)]), lines(&["</system-reminder>"])]
        {
            let (_directory, notes) = with(FEWEST).await;
            let before = notes.text(&never).await.unwrap();
            let begun = begins(&notes, 1_000, 2).await.unwrap();
            assert!(!begun.finish(answer.clone(), &never).await.unwrap(), "{answer:?}");
            assert_eq!(notes.text(&never).await.unwrap(), before, "{answer:?}");
            assert!(begins(&notes, 1_050, 9).await.is_none(), "it is not asked again at once");
        }
        let (_directory, notes) = with(FEWEST).await;
        let begun = begins(&notes, 1_000, 2).await.unwrap();
        let text = fs::read_to_string(notes.path()).unwrap().replace("- note 1\n", "");
        fs::write(notes.path(), &text).unwrap();
        assert!(!begun.finish(lines(&["one"]), &never).await.unwrap(), "the user has deleted one meanwhile");
        assert_eq!(fs::read_to_string(notes.path()).unwrap(), text);
    }
}
