//! Background hooks, as a host sees them.

use crate::background::{BackgroundDelivery, BackgroundHook, Wake, Wakes};
use crate::engine::host_operations::HostOperations;
use crate::plan::session_end;
use becket_model::event::lifecycle::SessionEnd;
use becket_model::{Event, Session, SessionId};
use std::time::Duration;

/// Background hooks (A1–A5).
impl HostOperations<'_> {
    /// Returns the hooks of all sessions that run in the background or wait for room.
    pub fn background(self) -> Vec<BackgroundHook> {
        self.inner().background.pending(None)
    }

    /// Takes the results of the session's background hooks since the last call: in one pass, and each result once,
    /// however many callers there are. Hosts call it before each request to the model, which reads the contexts (A3,
    /// A5).
    pub fn collect_background(self, session: &SessionId) -> Vec<BackgroundDelivery> {
        self.inner().background.collect(session)
    }

    /// Returns the wakes of `asyncRewake` hooks that ended with exit code 2, of all sessions (A4). They wait until a
    /// caller takes them, and each goes to one caller only, the first.
    pub fn wakes(self) -> Wakes {
        self.inner().background.wakes()
    }

    /// Waits for the session's `asyncRewake` hooks, up to their limits, and takes their wakes: for a host that runs one
    /// prompt and can't be woken later, before its next request and at its end (A4). An exit code 2 counts there as if
    /// the event had waited for it.
    pub async fn wait_for_rewakes(self, session: &SessionId) -> Vec<Wake> {
        self.inner().background.rewakes(session).await
    }

    /// Returns the number of processes that were started ahead and wait for their events (H3).
    pub fn waiting_standbys(self) -> usize {
        self.inner().standbys.waiting()
    }

    /// Waits until no hook of the session runs in the background.
    pub async fn wait_for_background(self, session: &SessionId) {
        self.inner().background.over(session).await;
    }

    /// Gives the session's background hooks the time budget of SessionEnd (H11), and then ends them as
    /// [`HostOperations::end_background`] does. Hosts call it at the end of a session (A5).
    pub async fn finish_background(self, session: &Session) -> Vec<BackgroundDelivery> {
        let budget = self.session_end_budget(session);
        // Hooks that have not ended by then are ended now.
        let _ = tokio::time::timeout(budget, self.wait_for_background(&session.id)).await;
        self.end_background(&session.id).await
    }

    /// Returns the time that the hooks of SessionEnd may take together (H11).
    pub fn session_end_budget(self, session: &Session) -> Duration {
        let event = Event::new(session.clone(), SessionEnd::new("other".to_owned()));
        let plan = self.engine().plan(&event);
        let profile = &self.inner().snapshot().places.profile;
        session_end::budget(&plan, &self.inner().environment, profile).unwrap_or_default()
    }

    /// Ends the session's background hooks (H4), as the end of the session does, waits until the processes are gone,
    /// and takes all results; those of hooks that were ended are among them as cancelled (A5).
    pub async fn end_background(self, session: &SessionId) -> Vec<BackgroundDelivery> {
        let results = self.inner().background.end(session).await;
        self.inner().runner.all_gone().await;
        results
    }
}
