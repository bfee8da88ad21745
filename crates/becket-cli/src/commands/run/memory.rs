//! Notes for later sessions, and those from earlier ones (`--memory-notes`, `autoMemoryEnabled`).

use super::begins;
use super::context::RunContext;
use super::session::Session;
use becket_agent::assemble::wants_notes;
use becket_agent::notes::Notes;
use std::time::Duration;

/// The time limit for the last notes of a finished run, after its results were printed.
const MOMENT: Duration = Duration::from_secs(10);

/// Returns the notes of this directory if they are enabled: not in a bare start, and not if the session is not stored.
pub(super) fn notes(at: RunContext<'_>) -> Option<Notes> {
    if at.args.sources.skips_files() || at.args.sdk.no_session_persistence {
        return None;
    }
    let store = begins::store(at)?;
    let is_wanted = wants_notes(&at.session.request(), at.args.session.memory_notes);
    is_wanted.then(|| store.notes(&at.session.start))
}

impl Session {
    /// Lets the turn-end tasks finish if notes are to be taken: results are printed, and nothing else is pending.
    /// Limited in time, and skipped if the run is interrupted.
    pub(super) async fn remembers(&self, at: RunContext<'_>) {
        if !self.takes_notes {
            return;
        }
        tokio::select! {
            biased;
            () = at.cancel.cancelled() => {}
            _ = tokio::time::timeout(MOMENT, self.turn_end.settled()) => {}
        }
    }
}
