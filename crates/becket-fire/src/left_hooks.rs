//! Hooks that still run in the background when the answer is known, since they have announced on their first line that
//! they continue (A2). An agent waits for the end of this process, so a copy of it waits for them, as one of the
//! processes that end with the session (A5).
//!
//! INVARIANT: the answer is written before there is a copy, and nothing after it.

#[cfg(target_os = "linux")]
use crate::carried_context;
use crate::{FiringError, Launch};
use becket_engine::{CancellationToken, Engine};
use becket_model::Event;
#[cfg(target_os = "linux")]
use becket_model::{EventKind, SessionId};

/// The hooks of a session that a copy of this process waits for.
#[derive(Debug)]
pub struct LeftHooks {
    #[cfg(target_os = "linux")]
    session: SessionId,
    #[cfg(target_os = "linux")]
    process: crate::detached_process::DetachedProcess,
    #[cfg(not(target_os = "linux"))]
    never: std::convert::Infallible,
}

impl LeftHooks {
    /// Returns the hooks that still run; `None` if there are none, if their session ends, or if this process can't have
    /// a copy.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(engine: &Engine, launch: &Launch, event: &Event) -> Option<Self> {
        use crate::detached_process::DetachedProcess;
        let session = &event.session.id;
        let runs = || engine.host().background().iter().any(|hook| hook.session == *session);
        if event.kind() == EventKind::SessionEnd || !runs() || !becket_process::has_one_thread() {
            return None;
        }
        let process = DetachedProcess::create(launch, session).ok().flatten()?;
        Some(LeftHooks { session: session.clone(), process })
    }

    /// Returns `None`: on this system no process has a copy.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: &Engine, _: &Launch, _: &Event) -> Option<Self> {
        None
    }

    /// Writes the answer and ends this process with its exit code; a copy of it waits for the hooks, and keeps their
    /// texts for a later answer. Returns the exit code if there is no copy; the hooks are ended then.
    ///
    /// # Errors
    /// Errors with the error of `write`.
    #[cfg(target_os = "linux")]
    pub async fn leave(
        self,
        engine: &Engine,
        launch: &Launch,
        cancel: &CancellationToken,
        write: impl FnOnce() -> Result<u8, FiringError>,
    ) -> Result<u8, FiringError> {
        let LeftHooks { session, process } = self;
        let code = match write() {
            Ok(code) => code,
            Err(error) => {
                engine.close().await;
                return Err(error);
            }
        };
        if becket_process::exit_and_continue(code).is_err() {
            engine.close().await;
            return Ok(code);
        }
        let _lock = process.descriptor();
        // Without its id the copy ends with the last of its hooks.
        let _ = process.started(std::process::id());
        tokio::select! {
            () = engine.host().wait_for_background(&session) => {}
            () = cancel.cancelled() => {}
        }
        let ended = engine.host().end_background(&session).await;
        let wakes = engine.host().wait_for_rewakes(&session).await;
        if !cancel.is_cancelled() {
            let texts = ended.into_iter().flat_map(|one| one.contexts);
            let texts = texts.chain(wakes.into_iter().map(|wake| wake.reminder)).collect();
            // Nobody is left to tell of an error.
            let _ = carried_context::keep_late(launch, &session, texts);
        }
        engine.close().await;
        std::process::exit(0)
    }

    /// Can't be called: on this system no process has a copy.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(target_os = "linux"))]
    pub async fn leave(
        self,
        _: &Engine,
        _: &Launch,
        _: &CancellationToken,
        _: impl FnOnce() -> Result<u8, FiringError>,
    ) -> Result<u8, FiringError> {
        match self.never {}
    }
}
