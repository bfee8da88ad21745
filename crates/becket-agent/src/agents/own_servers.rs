//! MCP servers that an agent describes itself: connected when it starts, known to it alone, and ended with it.
//!
//! INVARIANT: each passes the same checks as a server of the session (X2): policy, the user's choices, approval of what
//! came with the project. None has the name of a server of the session, or a tool of the name of another tool: hooks and
//! rules that guard one never meet another.

use super::definition::Definition;
use super::narrow;
use crate::definitions::Whose;
use crate::update::Notice;
use becket_engine::config::Request;
use becket_engine::{CancellationToken, Tool, ToolSet};
use becket_mcp::config::{DisabledReason, Scope};
use becket_mcp::{Host, Pool, ServerState, ServerView, sanitised};
use becket_model::Source;
use becket_rules::Renames;
use becket_tools::discovery::{DiscoveryError, PoolOptions, ServerSet};
use becket_tools::mcp::McpServers;
use std::path::PathBuf;
use std::sync::Arc;

/// The way in which the servers of agents are connected.
#[derive(Clone)]
pub struct OwnServers {
    /// The configuration that they are judged by.
    pub request: Request,
    /// The responder to them.
    pub host: Arc<dyn Host>,
    /// The servers of the session.
    pub session: Option<Pool>,
    /// Set if only servers count that are named on the command line or by the host.
    pub named_alone: bool,
    /// The directory of answers that are too long for a model.
    pub directory: PathBuf,
}

/// The connected servers of one agent. Dropped, they are killed; [`ConnectedServers::close`] ends them in good order.
pub(crate) struct ConnectedServers {
    pool: Pool,
    offered: ServerTools,
}

/// The tools of the servers of one agent.
#[derive(Default)]
pub(crate) struct ServerTools {
    /// Those that its definition lets it have.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// The servers that are not there, and why.
    pub(crate) notices: Vec<Notice>,
}

impl OwnServers {
    /// Connects the servers that an agent describes, and waits until each is connected or has failed.
    ///
    /// # Errors
    /// Errors if one has the name of a server of the session, or a tool the name of another one; in words.
    pub(super) async fn connect(
        &self,
        definition: &Definition,
        session: &ToolSet,
        renames: &Renames,
        cancel: &CancellationToken,
    ) -> Result<Option<ConnectedServers>, String> {
        if definition.own_servers.is_none() || !self.counts(&definition.whose) {
            return Ok(None);
        }
        let (request, described) = (self.request.clone(), definition.clone());
        // It reads files.
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

    /// Returns whether the servers of such an agent count.
    fn counts(&self, whose: &Whose) -> bool {
        !self.named_alone || matches!(whose, Whose::Source(Source::Flag | Source::Policy))
    }

    fn check_names(&self, definition: &Definition, set: &ServerSet) -> Result<(), String> {
        let of_session = self.session.as_ref().map(Pool::servers).unwrap_or_default();
        for own in &set.resolved.servers {
            let name = own.name.to_string();
            let has_same_names = |other: &&ServerView| sanitised(&other.name) == sanitised(&name);
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
    /// Returns the MCP servers that the agent describes itself, judged as those of files are; `None` if it describes none.
    ///
    /// # Errors
    /// Errors if a file that may deny something can't be read, or the description can't be.
    pub fn described_servers(&self, request: &Request) -> Result<Option<ServerSet>, DiscoveryError> {
        let Some(text) = &self.own_servers else { return Ok(None) };
        ServerSet::described(request, text, &self.file, scope(&self.whose)).map(Some)
    }
}

impl ConnectedServers {
    /// Takes the tools.
    pub(crate) fn take(&mut self) -> ServerTools {
        std::mem::take(&mut self.offered)
    }

    /// Ends them, and waits for their end.
    pub(crate) async fn close(self) {
        self.pool.close().await;
    }
}

/// Returns the origin of servers that an agent describes: those of the project need its approval.
fn scope(whose: &Whose) -> Scope {
    match whose {
        Whose::BuiltIn => Scope::Host,
        Whose::Source(Source::Policy) => Scope::Managed,
        Whose::Source(Source::User) => Scope::User,
        Whose::Source(Source::Flag | Source::Callback | Source::Function) => Scope::CommandLine,
        Whose::Source(
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
