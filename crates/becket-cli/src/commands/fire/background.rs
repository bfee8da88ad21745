//! Background hooks after the verdict (A1–A5): awaited, or ended as at the end of a session.

use becket_embed::view::background::{self, BackgroundResult};
use becket_engine::{CancellationToken, Engine};
use becket_model::Session;

/// The time limit for hooks in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// The limit of each hook; after a signal, the budget of SessionEnd.
    WaitsForAll,
    /// The budget of SessionEnd, as at the end of a session (A5).
    EndsSession,
}

/// Returns the results of the session's background hooks.
pub(super) async fn left(
    engine: &Engine,
    session: &Session,
    patience: Patience,
    cancel: &CancellationToken,
) -> Vec<BackgroundResult> {
    if patience != Patience::EndsSession {
        tokio::select! {
            () = engine.host().wait_for_background(&session.id) => {}
            () = cancel.cancelled() => {}
        }
    }
    let delivered = engine.host().finish_background(session).await;
    let wakes = engine.host().wait_for_rewakes(&session.id).await;
    background::left(delivered, wakes)
}
