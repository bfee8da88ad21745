//! The start and the end of a compaction: the request for a summary, and PostCompact.

use super::request::{self, kept, newer_half};
use super::summary::{in_place, summary_of};
use super::window::Window;
use becket_engine::{CancellationToken, Engine, Outcome};
use becket_llm::{Message, Model, ModelError, Response, ToolSpec, Usage};
use becket_model::event::context::{PostCompact, PreCompact};
use becket_model::{Event, Session};

/// The maximum number of times that a request for a summary is cut to its newer half because it is too long.
const CUTS: u32 = 4;

/// The origin of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The user's request.
    Manual,
    /// The size of the conversation, or an API that rejected it.
    Auto,
}

impl Trigger {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}

/// A compaction in progress.
#[derive(Clone, Copy)]
pub struct Compaction<'a> {
    /// The engine whose hooks run.
    pub engine: &'a Engine,
    /// The session that events describe.
    pub session: &'a Session,
    /// The model that writes the summary.
    pub model: &'a dyn Model,
    /// The model's context window.
    pub window: Window,
    /// The system prompt of the conversation.
    pub system: Option<&'a str>,
    /// The tools of the conversation.
    pub tools: &'a [ToolSpec],
    /// The origin of the compaction.
    pub trigger: Trigger,
    /// The user's instructions for the summary.
    pub instructions: Option<&'a str>,
    /// Cancelled once the caller no longer wants it.
    pub cancel: &'a CancellationToken,
}

/// A summary.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompactionSummary {
    /// The text that replaces the conversation for the model.
    pub text: String,
    /// The model's complete answer with its tags, for PostCompact.
    pub answer: String,
    /// The number of last messages that are kept as they are.
    pub keep: usize,
    /// The tokens that the request used.
    pub usage: Usage,
}

/// The reason why there is no summary. The conversation is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCompacted {
    /// The conversation can't be made smaller.
    #[error("there is nothing to compact yet")]
    Nothing,
    /// A PreCompact hook blocked it.
    #[error("a hook forbids the compaction: {because}")]
    Blocked {
        /// The hook's reason.
        because: String,
    },
    /// The model gave no summary.
    #[error("there is no summary: {0}")]
    Model(ModelError),
    /// The model's answer does not contain a summary.
    #[error("the model answered without a summary: try again, or start over with `/clear`")]
    Empty,
    /// The caller no longer wants it.
    #[error("the compaction was cancelled")]
    Cancelled,
}

impl Compaction<'_> {
    /// Fires PreCompact, then requests a summary from the model. Always returns what the hooks said, if they ran.
    ///
    /// # Errors
    /// Errors with the reason why there is no summary. A turn's [`super::Guard`] records it.
    pub async fn summary(
        &self,
        messages: &[Message],
    ) -> (Option<Outcome>, Result<CompactionSummary, NotCompacted>) {
        if messages.is_empty() {
            return (None, Err(NotCompacted::Nothing));
        }
        let event = Event::new(
            self.session.clone(),
            PreCompact::new(self.trigger.as_str().to_owned())
                .custom_instructions(self.instructions.map(str::to_owned)),
        );
        let outcome = self.engine.fire_until(&event, self.cancel).await;
        let summary = match &outcome.verdict {
            _ if self.cancel.is_cancelled() => Err(NotCompacted::Cancelled),
            verdict if verdict.blocks() => {
                let because = verdict.joined_reason().unwrap_or_else(|| "it gave no reason".to_owned());
                Err(NotCompacted::Blocked { because })
            }
            _ => self.ask(messages).await,
        };
        (Some(outcome), summary)
    }

    /// Fires PostCompact, after the conversation was replaced and SessionStart was fired.
    pub async fn fire_post_compact(&self, compacted: &CompactionSummary) -> Outcome {
        let event = Event::new(
            self.session.clone(),
            PostCompact::new(self.trigger.as_str().to_owned(), compacted.answer.clone()),
        );
        self.engine.fire_until(&event, self.cancel).await
    }

    async fn ask(&self, messages: &[Message]) -> Result<CompactionSummary, NotCompacted> {
        let end = kept(messages);
        let end = if self.window.may_keep(request::tokens(end)) { end } else { &[] };
        let mut shown = messages.to_vec();
        let mut cuts = 0;
        let answer = loop {
            match self.answer(shown.clone()).await {
                Err(NotCompacted::Model(error)) if error.is_too_long() && cuts < CUTS => {
                    cuts += 1;
                    shown = newer_half(&shown).ok_or(NotCompacted::Model(error))?;
                }
                answer => break answer?,
            }
        };
        let text = answer.text();
        let summary = summary_of(&text).ok_or(NotCompacted::Empty)?;
        Ok(CompactionSummary {
            text: in_place(summary),
            keep: end.len(),
            usage: answer.usage,
            answer: text.clone(),
        })
    }

    async fn answer(&self, messages: Vec<Message>) -> Result<Response, NotCompacted> {
        let request = request::request(self.system, messages, self.tools, self.instructions);
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(NotCompacted::Cancelled),
            answer = self.model.respond(&request) => answer.map_err(NotCompacted::Model),
        }
    }
}
