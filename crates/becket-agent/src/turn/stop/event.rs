//! The event at the end of a turn, for the session or a subagent.

use becket_model::event::agents::SubagentStop;
use becket_model::event::lifecycle::Stop;
use becket_model::{AgentId, EventBody, EventKind};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The event that is fired when an agent loop is about to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StopEvent {
    /// The event of the session's own agent loop.
    Stop,
    /// The event of a subagent.
    SubagentStop {
        /// The id of the subagent.
        id: AgentId,
        /// The name of the subagent.
        kind: String,
        /// The subagent's own transcript.
        transcript: PathBuf,
    },
}

/// The fields of such an event.
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
