//! The conversation of a session, as the host provides it (H7).

use becket_llm::Message;
use becket_model::Event;

/// The source of a session's conversation, for the events that show it to a model (H7).
pub trait Conversations: Send + Sync {
    /// Returns the conversation so far, oldest message first; `None` if it is not available, and then the model is
    /// informed. The engine shows its last 200 messages, 400 KB at most.
    ///
    /// Called on a thread that may block; not awaited past the handler's limit.
    fn of(&self, event: &Event) -> Option<Vec<Message>>;
}
