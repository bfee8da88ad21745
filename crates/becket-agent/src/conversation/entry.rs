//! A change to a conversation, as it is stored.

use becket_llm::{Block, Response};

/// A change to a conversation. Replaying all of them in order restores it ([`super::Replay`]).
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A message of the user.
    UserMessage {
        /// The text, images and documents.
        content: Vec<Block>,
    },
    /// A text from another source: a hook's context, a reminder of the host.
    Beside {
        /// The text without the tags around it.
        text: String,
        /// The call that the text belongs to, if any.
        of: Option<String>,
    },
    /// A user message that transcript views hide (L4).
    Feedback {
        /// The text, verbatim.
        text: String,
    },
    /// An answer of the model.
    Answered {
        /// The answer as received, except for ids of calls that had to be replaced.
        answer: Response,
    },
    /// The result of a call.
    Result {
        /// The id of the call.
        tool_use_id: String,
        /// The content, as the tool returned it.
        content: Vec<Block>,
        /// Set if the result is an error.
        is_error: bool,
    },
    /// Calls that wait for the session to be resumed (D10).
    Deferred {
        /// The ids of the calls.
        ids: Vec<String>,
    },
    /// The deferred calls are resumed.
    Resumed,
    /// A summary that replaces the earlier conversation.
    Summary {
        /// The text of the summary.
        text: String,
        /// The number of last messages that were kept, counted before the replacement.
        keep: usize,
    },
}
