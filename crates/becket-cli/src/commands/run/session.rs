//! A session that is open: what is shown of it, and how it is closed.

use super::at_end::AtEnd;
use super::control::HostsWishes;
use super::job::Job;
use super::last_fired::LastFired;
use super::tools::SessionTools;
use super::typed;
use crate::report::run::{Init, Plugin, Server};
use crate::services::RunModels;
use becket_agent::Agent;
use becket_agent::agents::AgentTool;
use becket_agent::skills::{Kind, SessionSkills};
use becket_agent::turn::TurnEndTasks;
use becket_mcp::config::Configured;
use becket_mcp::{Pool, ServerState, ServerView};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A session that is open.
pub(super) struct Session {
    pub(super) agent: Agent,
    pub(super) tools: SessionTools,
    pub(super) servers: Option<Pool>,
    /// Entries of servers that do not count.
    pub(super) hidden_servers: Vec<Configured>,
    pub(super) models: Arc<RunModels>,
    pub(super) agents: AgentTool,
    pub(super) skills: SessionSkills,
    /// The state of the run.
    pub(super) job: Job,
    /// The tasks at the end of each turn.
    pub(super) at_end: AtEnd,
    /// The same, as the agent knows it.
    pub(super) turn_end: TurnEndTasks,
    /// The host's changes to the servers.
    pub(super) wishes: HostsWishes,
    /// The events that were fired last.
    pub(super) fired: LastFired,
    /// The time of the opening.
    pub(super) since: Instant,
    /// The replacement of the last answer by a hook (D11).
    pub(super) displayed: Arc<Mutex<Option<String>>>,
    /// True if it runs as an agent, whose tools were chosen when it opened.
    pub(super) is_narrowed: bool,
    /// True if the user has logged out: then it ends for that reason.
    pub(super) has_logged_out: AtomicBool,
}

impl Session {
    /// Returns the current facts of the session.
    pub(super) fn init(&self) -> Init {
        let info = self.agent.info();
        let servers = self.servers.as_ref().map(Pool::servers).unwrap_or_default();
        let skills = self.skills.skills();
        Init {
            cwd: info.cwd.display().to_string(),
            session_id: info.id,
            tools: info.tools,
            mcp_servers: servers.iter().map(server).collect(),
            model: info.model,
            permission_mode: info.mode.to_string(),
            slash_commands: typed::names().map(str::to_owned).chain(info.commands).collect(),
            api_key_source: self.models.key_source().to_owned(),
            becket_version: env!("CARGO_PKG_VERSION"),
            output_style: "default",
            agents: self.agents.agents().all().iter().map(|agent| agent.name.to_string()).collect(),
            skills: skills
                .all()
                .iter()
                .filter(|one| one.kind == Kind::Skill)
                .map(|one| one.name.to_string())
                .collect(),
            plugins: self.plugins(),
        }
    }

    fn plugins(&self) -> Vec<Plugin> {
        let config = self.agent.engine().config();
        let plugin = |plugin: &becket_engine::config::Plugin| Plugin {
            name: plugin.name.to_string(),
            source: plugin.id.to_string(),
            path: plugin.directory.display().to_string(),
        };
        config.plugins.iter().map(plugin).collect()
    }

    /// Servers come and go: what tools there are is looked at before each prompt.
    pub(super) fn refresh(&self) {
        if !self.is_narrowed {
            drop(self.tools.refresh());
        }
    }

    /// Takes the replacement of the last answer by a hook.
    pub(super) fn displayed(&self) -> Option<String> {
        self.displayed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends it: its hooks, its tasks, its servers.
    pub(super) async fn close(self) {
        self.close_because("other").await;
    }

    /// The same, for a reason that SessionEnd names.
    pub(super) async fn close_because(self, reason: &str) {
        let reason = if self.has_logged_out.load(Ordering::Relaxed) { "logout" } else { reason };
        self.agent.close(reason).await;
        self.at_end.late.closed();
        self.job.closed();
        if let Some(pool) = &self.servers {
            pool.close().await;
        }
    }
}

fn server(view: &ServerView) -> Server {
    Server { name: view.name.clone(), status: status(&view.state) }
}

/// Returns the state of a server as scripts know it.
pub(super) fn status(state: &ServerState) -> &'static str {
    match state {
        ServerState::Connected { .. } => "connected",
        ServerState::Failed { .. } | ServerState::Closed => "failed",
        ServerState::NeedsAuth { .. } => "needs-auth",
        ServerState::Disabled { .. } => "disabled",
        ServerState::Waiting | ServerState::Connecting => "pending",
    }
}
