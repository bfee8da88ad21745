//! MCP servers that an agent describes itself: connected when it starts, visible only to it, and closed with it.
//!
//! INVARIANT: each passes the same checks as a server of the session (X2): policy, the user's choices, approval if it
//! came with the project. None has the name of a session's server, or a tool with the name of another tool, so hooks
//! and rules that guard one never apply to another.

use super::definition::Definition;
use super::narrow;
use crate::definitions::DefinitionOwner;
use crate::update::Notice;
use becket_engine::config::Request;
use becket_engine::{CancellationToken, Tool, ToolSet};
use becket_mcp::config::{DisabledReason, Scope};
use becket_mcp::{Host, Pool, ServerState, ServerView};
use becket_model::{Source, as_tool_name};
use becket_rules::Renames;
use becket_tools::discovery::{DiscoveryError, PoolOptions, ServerSet};
use becket_tools::mcp::McpServers;
use std::path::PathBuf;
use std::sync::Arc;

/// The settings for connecting the servers of agents.
#[derive(Clone)]
pub struct OwnServers {
    /// The configuration for the checks of servers.
    pub request: Request,
    /// The host that answers the servers.
    pub host: Arc<dyn Host>,
    /// The servers of the session.
    pub session: Option<Pool>,
    /// Set if only servers count that the command line or the host names.
    pub named_alone: bool,
    /// The directory for answers that are too long for a model.
    pub directory: PathBuf,
}

/// The connected servers of one agent. Dropping this kills them; [`ConnectedServers::close`] closes them in order.
pub(crate) struct ConnectedServers {
    pool: Pool,
    offered: ServerTools,
}

/// The tools of the servers of one agent.
#[derive(Default)]
pub(crate) struct ServerTools {
    /// The tools that the agent's definition allows.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// Notices about servers that are not connected, with the reason.
    pub(crate) notices: Vec<Notice>,
}

impl OwnServers {
    /// Connects the servers that an agent describes, and waits until each is connected or has failed.
    ///
    /// # Errors
    /// Errors with a message if a server has the name of a session's server, or a tool has the name of another tool.
    pub(super) async fn connect(
        &self,
        definition: &Definition,
        session: &ToolSet,
        renames: &Renames,
        cancel: &CancellationToken,
    ) -> Result<Option<ConnectedServers>, String> {
        if definition.own_servers.is_none() || !self.counts(&definition.owner) {
            return Ok(None);
        }
        let (request, described) = (self.request.clone(), definition.clone());
        // This reads files.
        let found = tokio::task::spawn_blocking(move || described.described_servers(&request));
        let failed =
            |why: String| format!("the agent `{}` can't have its MCP servers: {why}", definition.name);
        let set = found.await.map_err(|error| failed(error.to_string()))?;
        let Some(set) = set.map_err(|error| failed(error.to_string()))? else { return Ok(None) };
        self.check_names(definition, &set)?;
        let options = PoolOptions::new(Arc::clone(&self.host));
        let pool = set.pool(&self.request.environment, &self.request.start, options);
        let pool = pool.map_err(|error| failed(error.to_string()))?;
        pool.start(cancel).await;
        let tools = McpServers::new(pool.clone(), &self.directory).tools().tools;
        if let Some(tool) = tools.iter().find(|tool| session.find(tool.name()).is_some()) {
            pool.close().await;
            let name = tool.name();
            return Err(failed(format!(
                "`{name}` is a tool of one of them and of the session: rename the server"
            )));
        }
        let tools = narrow::of_own_servers(tools, definition, renames).collect();
        let notices = pool.servers().iter().filter_map(|view| notice(definition, view)).collect();
        Ok(Some(ConnectedServers { pool, offered: ServerTools { tools, notices } }))
    }

    /// Returns whether the servers of an agent with this owner count.
    fn counts(&self, owner: &DefinitionOwner) -> bool {
        !self.named_alone || matches!(owner, DefinitionOwner::Source(Source::Flag | Source::Policy))
    }

    fn check_names(&self, definition: &Definition, set: &ServerSet) -> Result<(), String> {
        let of_session = self.session.as_ref().map(Pool::servers).unwrap_or_default();
        for own in &set.resolved.servers {
            let name = own.name.to_string();
            let has_same_names = |other: &&ServerView| as_tool_name(&other.name) == as_tool_name(&name);
            let Some(other) = of_session.iter().find(has_same_names) else { continue };
            let place =
                other.configured.place.as_ref().map(|place| format!(" in {place}")).unwrap_or_default();
            return Err(format!(
                "the agent `{}` describes the MCP server `{name}`, and the session has the server `{}`{place}, whose tools \
                 have the same names: rename one of them",
                definition.name, other.name
            ));
        }
        Ok(())
    }
}

impl Definition {
    /// Returns the MCP servers that the agent describes itself, checked like those of files; `None` if it describes
    /// none.
    ///
    /// # Errors
    /// Errors if the description is invalid, or a file that may deny a server can't be read.
    pub fn described_servers(&self, request: &Request) -> Result<Option<ServerSet>, DiscoveryError> {
        let Some(text) = &self.own_servers else { return Ok(None) };
        ServerSet::described(request, text, &self.file, scope(&self.owner)).map(Some)
    }
}

impl ConnectedServers {
    /// Takes the tools out.
    pub(crate) fn take(&mut self) -> ServerTools {
        std::mem::take(&mut self.offered)
    }

    /// Closes the servers, and waits until they have ended.
    pub(crate) async fn close(self) {
        self.pool.close().await;
    }
}

/// Returns the scope of servers that an agent describes: those of the project need approval.
fn scope(owner: &DefinitionOwner) -> Scope {
    match owner {
        DefinitionOwner::BuiltIn => Scope::Host,
        DefinitionOwner::Source(Source::Policy) => Scope::Managed,
        DefinitionOwner::Source(Source::User) => Scope::User,
        DefinitionOwner::Source(Source::Flag | Source::Callback | Source::Function) => Scope::CommandLine,
        DefinitionOwner::Source(
            Source::Project | Source::Local | Source::Plugin(_) | Source::Skill(_) | Source::Agent(_),
        ) => Scope::Project,
    }
}

fn notice(definition: &Definition, view: &ServerView) -> Option<Notice> {
    let why = match &view.state {
        ServerState::Connected { .. } => return None,
        ServerState::Failed { why } => why.to_string(),
        ServerState::Disabled { why: why @ DisabledReason::NotApproved { .. } } => {
            format!("{why} (`becket mcp approve {} --agent {}`)", view.name, definition.name)
        }
        ServerState::Disabled { why } => why.to_string(),
        ServerState::NeedsAuth { .. } => "it needs authentication".to_owned(),
        ServerState::Waiting | ServerState::Connecting | ServerState::Closed => {
            "it is not connected".to_owned()
        }
    };
    let name = &view.name;
    Some(Notice::warning(format!(
        "the agent `{}` works without the MCP server `{name}` that it describes: {why}",
        definition.name
    )))
}
