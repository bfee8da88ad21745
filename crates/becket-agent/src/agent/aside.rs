//! A question beside the conversation.

use super::open::Agent;
use becket_engine::CancellationToken;
use becket_llm::{Block, Message, ModelError, PromptCaching, Request, Role, ToolChoice};
use becket_model::event::lifecycle::UserPromptSubmit;

/// The text above the question, for the model.
const ABOVE: &str = "<system-reminder>The user asks this beside the conversation, which goes on as if it had not been asked. \
                     Answer from what you know already, in a few sentences; no tool can be used.</system-reminder>";

/// The reason why a question beside the conversation has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AsideError {
    /// A hook of UserPromptSubmit has rejected it.
    #[error("the prompt was rejected: {0}")]
    Rejected(String),
    /// Calls of the conversation were put off (D10): the model can't be asked anything before they are taken up.
    #[error("calls wait to be taken up: give a prompt first")]
    Deferred,
    /// The caller no longer wants an answer.
    #[error("interrupted")]
    Interrupted,
    /// The model has given none.
    #[error("the model gave no answer: {0}")]
    Model(#[from] ModelError),
    /// The model has asked for a tool instead.
    #[error("the model wants to use a tool to answer that: ask it as a prompt")]
    NoText,
}

impl Agent {
    /// Asks the model something, with the conversation as context, and returns its answer. Neither of them enters the
    /// conversation or its transcript, and no tool is run. Hooks of UserPromptSubmit may reject it as any prompt; what they add
    /// is left out. Waits for the turn that works.
    ///
    /// # Errors
    /// See [`AsideError`].
    pub async fn aside(&self, question: &str, cancel: &CancellationToken) -> Result<String, AsideError> {
        let mut main = self.main.lock().await;
        let body = UserPromptSubmit::new(question.to_owned());
        let fired = self.shared.fire(&self.facts, body, &self.shared.updates, cancel).await;
        let verdict = &fired.outcome.verdict;
        // What was cut short has judged nothing.
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
            // A provider refuses calls of tools that it is not told of.
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
