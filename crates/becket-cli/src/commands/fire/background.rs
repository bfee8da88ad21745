//! What goes on behind the verdict (A1–A5): waited for, or ended as the end of a session ends it.

use becket_embed::view::background::{self, Left};
use becket_engine::{CancellationToken, Engine};
use becket_model::SessionId;

/// What the session's background hooks came to. A signal ends those that still run.
pub(super) async fn left(
    engine: &Engine,
    session: &SessionId,
    is_waited_for: bool,
    cancel: &CancellationToken,
) -> Vec<Left> {
    if is_waited_for {
        tokio::select! {
            () = engine.wait_for_background(session) => {}
            () = cancel.cancelled() => {}
        }
    }
    // Nothing runs any more where all of it was waited for.
    let delivered = engine.end_background(session).await;
    let wakes = engine.wait_for_rewakes(session).await;
    background::left(delivered, wakes)
}
