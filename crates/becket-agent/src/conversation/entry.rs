//! One change of a conversation, as it is stored.

use becket_llm::{Block, Response};

/// One change of a conversation. All of them, in order, make it again ([`super::Replay`]).
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// The user said this.
    Said {
        /// Text, images, documents.
        content: Vec<Block>,
    },
    /// Text from another source beside it: a hook's context, a reminder of the host.
    Beside {
        /// Without the tags around it.
        text: String,
        /// The call that it belongs to; `None` if it belongs to none.
        of: Option<String>,
    },
    /// A user message that transcript views hide (L4).
    Feedback {
        /// Word for word.
        text: String,
    },
    /// The model answered.
    Answered {
        /// As it came, but for ids of calls that had to be replaced.
        answer: Response,
    },
    /// A call was answered.
    Result {
        /// The call.
        tool_use_id: String,
        /// As the tool gave it.
        content: Vec<Block>,
        /// Set if it is an error.
        is_error: bool,
    },
    /// These calls wait for the session to be resumed (D10).
    Deferred {
        /// Their ids.
        ids: Vec<String>,
    },
    /// The deferred calls are tried again.
    Resumed,
    /// A summary took the place of what was said before.
    Summary {
        /// It.
        text: String,
        /// Number of last messages that stayed, as counted before.
        keep: usize,
    },
}
