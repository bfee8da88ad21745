//! The facts that all events of a session share.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::ids::{AgentId, PromptId, SessionId};

/// The session as a host describes it when it fires an event. The event table defines which parts an event carries
/// (N1).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The file in which the conversation is stored.
    pub transcript_path: PathBuf,
    /// The session's working directory now.
    pub cwd: PathBuf,
    /// The current prompt; `None` before the first.
    pub prompt_id: Option<PromptId>,
    /// The permission mode, if the host has modes.
    pub permission_mode: Option<PermissionMode>,
    /// The active agent, if it is a subagent or a named main agent (N4).
    pub agent: Option<Agent>,
    /// The model's effort, if it supports efforts.
    pub effort: Option<Effort>,
}

impl Session {
    /// Creates a session with the three facts that every event carries.
    pub fn new(
        id: impl Into<SessionId>,
        transcript_path: impl Into<PathBuf>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Session {
            id: id.into(),
            transcript_path: transcript_path.into(),
            cwd: cwd.into(),
            prompt_id: None,
            permission_mode: None,
            agent: None,
            effort: None,
        }
    }

    /// Sets the permission mode.
    #[must_use]
    pub fn with_permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }

    /// Sets the agent.
    #[must_use]
    pub fn with_agent(mut self, agent: Agent) -> Self {
        self.agent = Some(agent);
        self
    }
}

/// The agent that an event comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Agent {
    /// The subagent's id; `None` for a main session that runs as a named agent.
    pub id: Option<AgentId>,
    /// The agent's name; a plugin's agent is `plugin:name`. `None` for the agent of a hook, which has no type (H8).
    pub kind: Option<Arc<str>>,
}

impl Agent {
    /// Creates an agent from its id and its name.
    #[must_use]
    pub fn new(id: impl Into<Option<AgentId>>, kind: impl Into<Option<Arc<str>>>) -> Self {
        Self { id: id.into(), kind: kind.into() }
    }
}

/// The effort of the model: `low`, `medium`, `high`, `xhigh` or `max`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort(pub Arc<str>);

/// The mode for calls that no rule decides (P14).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionMode {
    /// Everything except reads is asked about.
    Default,
    /// Files are not edited.
    Plan,
    /// Edits inside the working directories run.
    AcceptEdits,
    /// A classifier decides.
    Auto,
    /// Calls that would need a question are denied.
    DontAsk,
    /// Everything that is not forbidden runs.
    BypassPermissions,
    /// A mode that is newer than this crate; passed on as it is.
    Other(Arc<str>),
}

impl PermissionMode {
    /// The modes by name.
    pub const NAMES: [&'static str; 6] =
        ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"];

    /// Reads a mode; `manual` is the older name of `default`.
    pub fn from_name(name: &str) -> Self {
        match name {
            "default" | "manual" => Self::Default,
            "plan" => Self::Plan,
            "acceptEdits" => Self::AcceptEdits,
            "auto" => Self::Auto,
            "dontAsk" => Self::DontAsk,
            "bypassPermissions" => Self::BypassPermissions,
            other => Self::Other(other.into()),
        }
    }

    /// Returns the mode as on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Default => "default",
            Self::Plan => "plan",
            Self::AcceptEdits => "acceptEdits",
            Self::Auto => "auto",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
