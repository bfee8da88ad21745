//! Reads a verdict from a model's answer, or reports why there is none (H7, O10).
//!
//! INVARIANT: an answer that is cut off, declined or ambiguous is an error, and never `ok`.

use becket_llm::judge::{self, VerdictError};
use becket_llm::{Response, StopReason};
use becket_model::interpret::ModelAnswer;

/// The reason why an answer can't be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum AnswerError {
    /// The answer reached the token limit.
    #[error("its answer was cut off at {limit} tokens")]
    CutOff {
        /// The limit.
        limit: u32,
    },
    /// The model or its provider declined.
    #[error("the model declined to answer")]
    Declined,
    /// The model stopped before the end of an answer.
    #[error("its answer ended with `{why}`")]
    Ended {
        /// The reason as the provider wrote it.
        why: String,
    },
    /// The text contains no verdict.
    #[error("{0}")]
    Unreadable(#[from] VerdictError),
}

/// Checks that an answer is complete, or waits for tools. One that has paused is not complete.
pub(crate) fn whole(response: &Response, limit: u32) -> Result<(), AnswerError> {
    match &response.stop {
        StopReason::EndTurn | StopReason::StopSequence | StopReason::ToolUse => Ok(()),
        StopReason::PauseTurn => Err(AnswerError::Ended { why: "pause_turn".to_owned() }),
        StopReason::MaxTokens => Err(AnswerError::CutOff { limit }),
        StopReason::Refusal => Err(AnswerError::Declined),
        StopReason::Other(why) => Err(AnswerError::Ended { why: why.clone() }),
    }
}

/// Reads the verdict in a text.
pub(crate) fn verdict(text: &str) -> Result<ModelAnswer, AnswerError> {
    let verdict = judge::read_verdict(text)?;
    Ok(ModelAnswer { ok: verdict.ok, reason: verdict.reason, impossible: verdict.impossible })
}
