//! The two ends of a compaction: whether there is one and what it says, and that it is done.

use super::request::{self, kept, newer_half};
use super::summary::{in_place, summary_of};
use super::window::Window;
use becket_engine::{CancellationToken, Engine, Outcome};
use becket_llm::{Message, Model, ModelError, Response, ToolSpec, Usage};
use becket_model::event::context::{PostCompact, PreCompact};
use becket_model::{Event, Session};

/// How often a request for a summary that does not fit is cut to its newer half.
const CUTS: u32 = 4;

/// Who wants a conversation to be compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The user.
    Manual,
    /// Its size, or an API that refused it.
    Auto,
}

impl Trigger {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}

/// A compaction on its way.
#[derive(Clone, Copy)]
pub struct Compaction<'a> {
    /// Whose hooks are asked.
    pub engine: &'a Engine,
    /// What events say.
    pub session: &'a Session,
    /// Who writes the summary.
    pub model: &'a dyn Model,
    /// What the model can hold.
    pub window: Window,
    /// The system prompt of the conversation.
    pub system: Option<&'a str>,
    /// Its tools.
    pub tools: &'a [ToolSpec],
    /// Who wants it.
    pub trigger: Trigger,
    /// What the user wants the summary to heed.
    pub instructions: Option<&'a str>,
    /// Cancelled once nobody wants it any more.
    pub cancel: &'a CancellationToken,
}

/// A summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Compacted {
    /// What the model is told in the place of the conversation.
    pub text: String,
    /// What the model wrote, with its tags: what PostCompact shows.
    pub answer: String,
    /// How many of the last messages stay as they are.
    pub keep: usize,
    /// What the request took.
    pub usage: Usage,
}

/// Why there is no summary. The conversation is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCompacted {
    /// There is nothing to make smaller.
    #[error("there is nothing to compact yet")]
    Nothing,
    /// A PreCompact hook forbids it.
    #[error("a hook forbids the compaction: {because}")]
    Blocked {
        /// Its reason.
        because: String,
    },
    /// The model gave no summary.
    #[error("there is no summary: {0}")]
    Model(ModelError),
    /// The model's answer holds none.
    #[error("the model answered without a summary: try again, or start afresh with `/clear`")]
    Empty,
    /// Nobody wants it any more.
    #[error("the compaction was cancelled")]
    Cancelled,
}

impl Compaction<'_> {
    /// Asks PreCompact hooks, and then the model for a summary. Gives what the hooks said in any case, if they were asked.
    ///
    /// # Errors
    /// Why there is none. A turn's [`super::Guard`] remembers it.
    pub async fn summary(&self, messages: &[Message]) -> (Option<Outcome>, Result<Compacted, NotCompacted>) {
        if messages.is_empty() {
            return (None, Err(NotCompacted::Nothing));
        }
        let event = Event::new(
            self.session.clone(),
            PreCompact {
                trigger: self.trigger.as_str().to_owned(),
                custom_instructions: self.instructions.map(str::to_owned),
            },
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

    /// Fires PostCompact, once the conversation was replaced and SessionStart was fired.
    pub async fn done(&self, compacted: &Compacted) -> Outcome {
        let event = Event::new(
            self.session.clone(),
            PostCompact {
                trigger: self.trigger.as_str().to_owned(),
                compact_summary: compacted.answer.clone(),
            },
        );
        self.engine.fire_until(&event, self.cancel).await
    }

    async fn ask(&self, messages: &[Message]) -> Result<Compacted, NotCompacted> {
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
        Ok(Compacted { text: in_place(summary), keep: end.len(), usage: answer.usage, answer: text.clone() })
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
