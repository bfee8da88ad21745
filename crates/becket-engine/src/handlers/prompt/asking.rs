//! Sends one request, and once more if the model's error may be temporary (H7).
//!
//! Nothing here waits past the handler's deadline: if a provider requests a longer pause than the time that is left,
//! that is an error at once. The caller owns the deadline itself and the event's cancellation.

use crate::report::model_use::ModelUse;
use becket_llm::{Model, ModelError, Request, Response};
use std::time::Duration;
use tokio::time::Instant;

/// The pause before the second try if the provider does not give one.
const PAUSE: Duration = Duration::from_millis(500);

/// A limit that never ends, for limits that a clock can't represent.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Returns the end of a limit that begins now.
pub(crate) fn deadline(limit: Duration) -> Instant {
    Instant::now() + limit.min(FOREVER)
}

/// The reason why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum AskError {
    /// Another try would not help.
    #[error("{0}")]
    Refused(ModelError),
    /// Not enough time is left for another try.
    #[error("{error}: too long, {} s of this hook's time are left", .left.as_secs_f32())]
    NoTime {
        /// The model's error.
        error: ModelError,
        /// The time that is left until the deadline.
        left: Duration,
    },
    /// Both tries failed: the first error, and the second.
    #[error("asked twice: {} (before: {})", .0.1, .0.0)]
    BothFailed(Box<(ModelError, ModelError)>),
}

/// Asks, and asks a second time after an error that may be temporary.
pub(crate) async fn ask(
    model: &dyn Model,
    request: &Request,
    deadline: Instant,
    used: &mut ModelUse,
) -> Result<Response, AskError> {
    let first = match once(model, request, used).await {
        Ok(response) => return Ok(response),
        Err(error) if error.is_transient() => error,
        Err(error) => return Err(AskError::Refused(error)),
    };
    let pause = first.retry_after().unwrap_or(PAUSE);
    let left = deadline.saturating_duration_since(Instant::now());
    if pause >= left {
        return Err(AskError::NoTime { error: first, left });
    }
    tokio::time::sleep(pause).await;
    once(model, request, used).await.map_err(|second| AskError::BothFailed(Box::new((first, second))))
}

async fn once(model: &dyn Model, request: &Request, used: &mut ModelUse) -> Result<Response, ModelError> {
    used.count_request();
    let response = model.respond(request).await?;
    used.answered(model, response.usage);
    Ok(response)
}
