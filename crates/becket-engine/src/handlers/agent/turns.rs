//! The turns of an agent: ask, run its calls, ask again, until it gives its verdict (H8).

use super::calls::Calls;
use super::talk::{Talk, TooLong};
use super::tool_protocol::{Step, ToolProtocol};
use crate::handlers::prompt::answer::AnswerError;
use crate::handlers::prompt::asking;
use crate::handlers::prompt::asking::AskError;
use crate::report::model_use::ModelUse;
use becket_llm::{Message, Model, Role};
use becket_model::Failure;
use becket_model::interpret::ModelAnswer;
use tokio::time::Instant;

/// The largest number of turns of an agent.
const MOST_TURNS: usize = 50;

/// The reason why an agent gave no verdict.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentError {
    /// No model is configured for the agent.
    #[error("{0}")]
    NoModel(String),
    /// The model can't be asked.
    #[error("{0}")]
    Ask(#[from] AskError),
    /// A turn of the model is unusable.
    #[error("{0}")]
    Answer(#[from] AnswerError),
    /// The texts of the agent, or of its tools, are too long.
    #[error("{0}")]
    TooLong(#[from] TooLong),
    /// The agent ended twice without a verdict.
    #[error("it was reminded and still gave no verdict: {because}")]
    NoVerdict {
        /// The problem with its last answer.
        because: String,
    },
    /// The agent did not end.
    #[error("it made {MOST_TURNS} turns and gave no verdict")]
    NoEnd,
    /// A hook stopped the agent (D6).
    #[error("its work was stopped: {because}")]
    Stopped {
        /// The hook's reason.
        because: String,
    },
    /// The event was cancelled, or its time is up.
    #[error("it was cancelled")]
    Cancelled,
}

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Cancelled => Failure::Cancelled,
            AgentError::NoModel(_)
            | AgentError::Ask(_)
            | AgentError::Answer(_)
            | AgentError::TooLong(_)
            | AgentError::NoVerdict { .. }
            | AgentError::NoEnd
            | AgentError::Stopped { .. } => Failure::Model { message: error.to_string() },
        }
    }
}

/// One agent at work.
pub(crate) struct Turns<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) way: ToolProtocol,
    pub(crate) talk: Talk,
    pub(crate) calls: Calls<'a>,
    pub(crate) deadline: Instant,
    pub(crate) used: &'a mut ModelUse,
    /// The latest text of the model.
    pub(crate) text: &'a mut String,
}

impl Turns<'_> {
    /// Returns the verdict; its text is the last text of the model.
    pub(crate) async fn verdict(mut self) -> Result<ModelAnswer, AgentError> {
        let mut reminded = false;
        for _ in 0..MOST_TURNS {
            match self.turn().await? {
                Step::Verdict(answer, text) => {
                    *self.text = text;
                    return Ok(answer);
                }
                Step::Pause => {}
                Step::Calls(calls) => {
                    let (answered, beside) = self.calls.answer_all(calls).await?;
                    self.talk.push(self.way.results(answered, beside))?;
                }
                Step::NoVerdict { because, .. } if reminded => {
                    return Err(AgentError::NoVerdict { because });
                }
                Step::NoVerdict { because, unanswered } => {
                    reminded = true;
                    self.talk.push(self.way.reminder(&because, unanswered))?;
                }
            }
        }
        Err(AgentError::NoEnd)
    }

    async fn turn(&mut self) -> Result<Step, AgentError> {
        let request = asking::ask(self.model, self.talk.request(), self.deadline, self.used);
        let response = tokio::select! {
            biased;
            () = self.calls.hooks.cancel.cancelled() => return Err(AgentError::Cancelled),
            response = request => response?,
        };
        *self.text = response.text();
        let step = self.way.read(&response)?;
        self.talk.push(Message { role: Role::Assistant, content: response.content })?;
        Ok(step)
    }
}
