//! The result of one handler, of any kind, before it is interpreted; and the meaning of a process's end.

use crate::host::questions::answer::AnsweredQuestion;
use crate::report::background_id::BackgroundId;
use crate::report::model_use::ModelUse;
use crate::report::outcome::OutputSizes;
use becket_model::Failure;
use becket_model::interpret::Interpretation;
use becket_process::{End, SpawnError};
use bytes::Bytes;
use std::time::Duration;

/// The result of one handler.
pub(crate) struct HandlerResult {
    pub(crate) interpretation: Interpretation,
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: Bytes,
    pub(crate) stderr: Bytes,
    pub(crate) printed: OutputSizes,
    /// The id under which it continues in the background (A1, A2).
    pub(crate) background: Option<BackgroundId>,
    /// Its questions to the user (Q1).
    pub(crate) questions: Vec<AnsweredQuestion>,
    /// The cost of its model, for kinds that ask one.
    pub(crate) usage: Option<Box<ModelUse>>,
}

impl HandlerResult {
    pub(crate) fn without_process(interpretation: Interpretation) -> Self {
        HandlerResult {
            interpretation,
            exit: None,
            stdout: Bytes::new(),
            stderr: Bytes::new(),
            printed: OutputSizes::default(),
            background: None,
            questions: Vec::new(),
            usage: None,
        }
    }
}

#[cfg(not(all(feature = "http", feature = "models")))]
impl HandlerResult {
    /// Returns the failure of a handler whose feature is not compiled in.
    pub(crate) fn missing_feature(feature: &'static str) -> Self {
        Self::without_process(becket_model::interpret::failed(Failure::MissingFeature { feature }))
    }
}

/// Returns the exit code of a process that had this limit, or the reason why there is none.
pub(crate) fn exit_of(end: End, limit: Duration) -> Result<i32, Failure> {
    Err(match end {
        End::Exited(exit) => return Ok(exit),
        End::Signaled(signal) => Failure::Signaled { signal },
        End::TimedOut => Failure::TimedOut { limit },
        End::Cancelled => Failure::Cancelled,
        End::Lost => Failure::Lost {
            message: "something in the host took its exit status (is SIGCHLD ignored?)".to_owned(),
        },
    })
}

/// Returns the failure of a process that did not start.
pub(crate) fn cannot_start(error: &SpawnError) -> Failure {
    let message = error.to_string();
    if matches!(error, SpawnError::NotConfined { .. }) {
        return Failure::NotContained { message };
    }
    Failure::CannotStart { message }
}
