//! The question to a model about an event: the conversation if the event is about it, then the handler's text (H7).
//!
//! It contains the complete input, whatever its size: a model that is shown half of a call judges half of it. If it is
//! too long for the model, the provider rejects it, and then the call went unchecked and the failure says so (O10).

use super::arguments;
use super::conversation;
use super::system::ConversationPlacement;
use crate::handlers::context::HandlerContext;
use becket_llm::{Block, Message, Role};
use becket_model::EventKind;
use becket_model::table::{EventSpec, ModelNotOk};

/// The question of one handler about one event.
#[derive(Debug)]
pub(crate) struct Question {
    /// The event.
    pub(crate) event: EventKind,
    /// Set if `impossible` has a meaning on the event.
    pub(crate) with_impossible: bool,
    /// The place of the conversation in the message.
    pub(crate) shown: ConversationPlacement,
    /// The question itself.
    pub(crate) message: Message,
}

impl Question {
    /// Builds the question; the conversation is read on a thread that may block.
    pub(crate) async fn of(context: &HandlerContext<'_>, text: &str) -> Self {
        let spec = context.event.kind().spec();
        let mut content = Vec::with_capacity(2);
        let shown = if is_about_the_conversation(spec) {
            read(context, &mut content).await
        } else {
            ConversationPlacement::NotAsked
        };
        let input = context.stdin();
        content.push(Block::Text(arguments::fill(text, String::from_utf8_lossy(&input).trim_end())));
        Question {
            event: spec.kind,
            with_impossible: is_about_the_conversation(spec),
            shown,
            message: Message { role: Role::User, content },
        }
    }

    /// Returns a warning for the user if the model judged without seeing the conversation.
    pub(crate) fn warning(&self) -> Option<String> {
        (self.shown == ConversationPlacement::Missing)
            .then(|| "the conversation could not be read, so the model judged by the input alone".to_owned())
    }
}

/// Returns whether an event lets a turn end or sends the model back to work: then the conversation is judged, and
/// `impossible` lets the turn end anyway.
fn is_about_the_conversation(spec: &EventSpec) -> bool {
    spec.model_not_ok == Some(ModelNotOk::ContinueTurnWithReason)
}

async fn read(context: &HandlerContext<'_>, content: &mut Vec<Block>) -> ConversationPlacement {
    let (conversations, event) = (context.engine.host.conversations.clone(), context.event.clone());
    let read = tokio::task::spawn_blocking(move || {
        conversations.of(&event).map(|messages| conversation::quoted(&messages))
    });
    match read.await {
        Ok(Some(quoted)) => {
            content.push(Block::Text(format!("CONVERSATION:\n{quoted}")));
            ConversationPlacement::Quoted
        }
        // A host's reader that panics has read nothing, either.
        Ok(None) | Err(_) => ConversationPlacement::Missing,
    }
}
