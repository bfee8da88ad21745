//! Services of the host for handlers that need more than a process: models, MCP servers, tools, a person to ask.
//!
//! A handler that needs a missing service fails with a message that names it; a missing service never counts as an
//! answer.

#[cfg(feature = "models")]
use crate::config::Config;
use crate::handlers::callback::AbandonedThreads;
#[cfg(feature = "http")]
use crate::handlers::http::Clients;
use crate::handlers::interceptor::RunInterceptor;
#[cfg(feature = "models")]
use crate::handlers::prompt::{Transcripts, VerdictCache};
use crate::host::confinement::HookConfinement;
#[cfg(feature = "models")]
use crate::host::conversation::Conversations;
use crate::host::mcp_tools::McpTools;
use crate::host::questions::question::AskUser;
use crate::host::standby::HookStandbys;
#[cfg(feature = "models")]
use crate::host::tool_set::ToolSet;
use crate::report::audit::AuditLog;
#[cfg(feature = "models")]
use becket_llm::Models;
use std::sync::Arc;

/// Creates the tools of `agent` handlers under a configuration.
#[cfg(feature = "models")]
pub(crate) type AgentTools = Arc<dyn Fn(&Arc<Config>) -> ToolSet + Send + Sync>;

/// The host's part in running handlers.
#[derive(Clone)]
pub(crate) struct Host {
    /// The models for `prompt` and `agent` handlers (H7, H8).
    #[cfg(feature = "models")]
    pub(crate) models: Option<Arc<dyn Models>>,
    /// The connected MCP servers (H6).
    pub(crate) mcp: Option<Arc<dyn McpTools>>,
    /// The tools of an `agent` handler (H8).
    #[cfg(feature = "models")]
    pub(crate) agent_tools: Option<AgentTools>,
    /// The connections of HTTP handlers, and the resolver of their names (H5, S1).
    #[cfg(feature = "http")]
    pub(crate) http: Arc<Clients>,
    /// The interface that asks the user the questions of hooks (Q1); `None` if there is none (Q3).
    pub(crate) ask_user: Option<Arc<dyn AskUser>>,
    /// The reader of a session's conversation (H7).
    #[cfg(feature = "models")]
    pub(crate) conversations: Arc<dyn Conversations>,
    /// The cached verdicts of models; `None` if every question is asked.
    #[cfg(feature = "models")]
    pub(crate) verdicts: Option<Arc<VerdictCache>>,
    /// Threads of blocking callbacks that did not return (H9).
    pub(crate) abandoned: AbandonedThreads,
    /// The means to take rights away from the processes of hooks (E5).
    pub(crate) confinement: Option<Arc<dyn HookConfinement>>,
    /// The means to start commands ahead of their events (H3).
    pub(crate) standbys: Option<Arc<dyn HookStandbys>>,
    /// Set if the host runs calls with the rights that hooks leave to them (E5).
    pub(crate) enforces_rights: bool,
    /// The tools whose calls the host passes on together with their rights (E5, E6).
    pub(crate) carries_rights: &'static [&'static str],
    /// The log of verdicts; `None` if the host keeps none.
    pub(crate) audit: Option<Arc<dyn AuditLog>>,
    /// The interceptor of runs, in tests of hooks.
    pub(crate) interceptor: Option<Arc<dyn RunInterceptor>>,
}

#[cfg_attr(
    not(feature = "models"),
    expect(clippy::derivable_impls, reason = "no field has a default of its own then")
)]
impl Default for Host {
    fn default() -> Self {
        Host {
            #[cfg(feature = "models")]
            models: None,
            mcp: None,
            #[cfg(feature = "models")]
            agent_tools: None,
            #[cfg(feature = "http")]
            http: Arc::default(),
            ask_user: None,
            #[cfg(feature = "models")]
            conversations: Arc::new(Transcripts),
            #[cfg(feature = "models")]
            verdicts: None,
            abandoned: AbandonedThreads::default(),
            confinement: None,
            standbys: None,
            enforces_rights: false,
            carries_rights: &[],
            audit: None,
            interceptor: None,
        }
    }
}
