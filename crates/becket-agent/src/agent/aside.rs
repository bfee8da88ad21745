//! A question outside the conversation.

use super::open::Agent;
use becket_engine::CancellationToken;
use becket_llm::{Block, Message, ModelError, PromptCaching, Request, Role, ToolChoice};
use becket_model::event::lifecycle::UserPromptSubmit;

/// The text before the question, for the model.
const ABOVE: &str = "<system-reminder>The user asks this beside the conversation, which goes on as if it had not been asked. \
                     Answer from what you know already, in a few sentences; no tool can be used.</system-reminder>";

/// The reason why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AsideError {
    /// A UserPromptSubmit hook rejected the question.
    #[error("the prompt was rejected: {0}")]
    Rejected(String),
    /// Calls of the conversation are deferred (D10): the model can't be asked anything before they are resumed.
    #[error("deferred calls are waiting: send a prompt first")]
    Deferred,
    /// The caller no longer wants an answer.
    #[error("interrupted")]
    Interrupted,
    /// The model gave no answer.
    #[error("the model gave no answer: {0}")]
    Model(#[from] ModelError),
    /// The model called a tool instead.
    #[error("the model wants to use a tool to answer that: ask it as a prompt")]
    NoText,
}

impl Agent {
    /// Asks the model a question, with the conversation as context, and returns its answer. Neither enters the
    /// conversation or its transcript, and no tool is run. UserPromptSubmit hooks may reject the question like any
    /// prompt; the context that they add is ignored. Waits for the running turn.
    ///
    /// # Errors
    /// See [`AsideError`].
    pub async fn aside(&self, question: &str, cancel: &CancellationToken) -> Result<String, AsideError> {
        let mut main = self.main.lock().await;
        let body = UserPromptSubmit::new(question.to_owned());
        let fired = self.shared.fire(&self.facts, body, &self.shared.updates, cancel).await;
        let verdict = &fired.outcome.verdict;
        // A request that was cancelled has no verdict.
        if cancel.is_cancelled() {
            return Err(AsideError::Interrupted);
        }
        if verdict.blocks() || fired.stop().is_some() {
            let because = verdict.joined_reason().or_else(|| fired.stop());
            return Err(AsideError::Rejected(because.unwrap_or_else(|| "a hook says so".to_owned())));
        }
        if main.agent_loop.conversation.deferred().is_some() {
            return Err(AsideError::Deferred);
        }
        let mut messages = main.agent_loop.conversation.whole("the call was not run").messages();
        let content = [ABOVE, question].map(|text| Block::Text(text.to_owned()));
        match messages.last_mut() {
            Some(Message { role: Role::User, content: last }) => last.extend(content),
            Some(_) | None => messages.push(Message { role: Role::User, content: content.into() }),
        }
        let system = main.agent_loop.system.clone();
        drop(main);
        let request = Request {
            system: (!system.is_empty()).then_some(system),
            messages,
            // A provider rejects calls of tools that are not in the request.
            tools: self.shared.engine.host().offered_tools(&self.toolbox),
            tool_choice: ToolChoice::None,
            caching: PromptCaching::Conversation,
            ..Request::default()
        };
        let model = self.model();
        let request = self.shared.with_settings(&*model, request);
        let response = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(AsideError::Interrupted),
            response = model.respond(&request) => response?,
        };
        self.also_spent(&*model, response.usage);
        Some(response.text()).filter(|text| !text.trim().is_empty()).ok_or(AsideError::NoText)
    }
}
