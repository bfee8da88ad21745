//! The event at the end of a turn, by whose turn it is.

use becket_model::event::agents::SubagentStop;
use becket_model::event::lifecycle::Stop;
use becket_model::{AgentId, EventBody, EventKind};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The event that is fired when an agent loop is about to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StopEvent {
    /// The session's own.
    Stop,
    /// A subagent's.
    SubagentStop {
        /// The subagent.
        id: AgentId,
        /// Its name.
        kind: String,
        /// Its own transcript.
        transcript: PathBuf,
    },
}

/// Fields of such an event.
pub(super) struct AtStop {
    pub(super) active: bool,
    pub(super) text: String,
    pub(super) background: Vec<Map<String, Value>>,
}

impl StopEvent {
    pub(super) const fn kind(&self) -> EventKind {
        match self {
            Self::Stop => EventKind::Stop,
            Self::SubagentStop { .. } => EventKind::SubagentStop,
        }
    }

    pub(super) fn body(&self, at: AtStop) -> EventBody {
        let AtStop { active, text, background } = at;
        let last_assistant_message = (!text.is_empty()).then_some(text);
        let (background_tasks, session_crons) = (Some(background), Some(Vec::new()));
        match self {
            Self::Stop => Stop::new(active)
                .last_assistant_message(last_assistant_message)
                .background_tasks(background_tasks)
                .session_crons(session_crons)
                .into(),
            Self::SubagentStop { id, kind, transcript } => SubagentStop::new(
                active,
                id.as_str().to_owned(),
                kind.clone(),
                transcript.to_string_lossy().into_owned(),
            )
            .last_assistant_message(last_assistant_message)
            .background_tasks(background_tasks)
            .session_crons(session_crons)
            .into(),
        }
    }
}
