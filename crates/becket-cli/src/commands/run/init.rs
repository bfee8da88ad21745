//! The facts of a session that the first line of its output contains.

use super::session::Session;
use super::typed;
use crate::report::run::{Init, Plugin, Server};
use becket_agent::skills::Kind;
use becket_mcp::{Pool, ServerState, ServerView};

/// The release whose control protocol is implemented: packages compare it with the one that they need.
const PROTOCOL: &str = "2.1.332";
/// The supported optional parts of that protocol: an answer to `interrupt` names the messages that wait, and withdraws them
/// on request; resources of servers are read for the host; plugins are not reloaded in a turn on request.
const CAPABILITIES: [&str; 4] = [
    "interrupt_receipt_v1",
    "interrupt_cancel_queued_v1",
    "mcp_read_resource_v1",
    "reload_plugins_refuse_if_busy_v1",
];

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
            claude_code_version: PROTOCOL,
            output_style: self.styles.name().to_owned(),
            agents: self.agents.agents().all().iter().map(|agent| agent.name.to_string()).collect(),
            skills: skills
                .all()
                .iter()
                .filter(|one| one.kind == Kind::Skill)
                .map(|one| one.name.to_string())
                .collect(),
            plugins: self.plugins(),
            capabilities: CAPABILITIES.to_vec(),
            warnings: self.warnings.clone(),
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
}

fn server(view: &ServerView) -> Server {
    Server { name: view.name.clone(), status: status(&view.state) }
}

/// Returns the state of a server, under its name in the output.
pub(super) fn status(state: &ServerState) -> &'static str {
    match state {
        ServerState::Connected { .. } => "connected",
        ServerState::Failed { .. } | ServerState::Closed => "failed",
        ServerState::NeedsAuth { .. } => "needs-auth",
        ServerState::Disabled { .. } => "disabled",
        ServerState::Waiting | ServerState::Connecting => "pending",
    }
}
