//! The public interface: the tools of a pool's servers.

use super::answer::OutputStore;
use super::resources;
use super::tool::McpTool;
use crate::surroundings::Surroundings;
use becket_engine::{Tool, ToolServer};
use becket_mcp::config::Scope;
use becket_mcp::{Name, NameWarning, Names, OutputCaps, Pool, ServerView, ToolList};
use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The servers of a pool, as tools of a session. Cheap to clone.
#[derive(Clone)]
pub struct McpServers {
    pool: Pool,
    trusts: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    kept: Arc<OutputStore>,
}

/// The tools of all connected servers, for a [`becket_engine::ToolSet`].
#[derive(Clone)]
pub struct McpTools {
    /// The tools, in the order of the configuration and of the servers' lists.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Warnings for authors of rules: names that were shortened or made distinct.
    pub warnings: Vec<NameWarning>,
}

/// The tools of servers, with their descriptions.
#[derive(Clone)]
pub struct OfferedTools {
    /// The tools, in the order of the configuration and of the servers' lists.
    pub tools: Vec<OfferedTool>,
    /// Warnings for authors of rules, as in [`McpTools::warnings`].
    pub warnings: Vec<NameWarning>,
}

/// One tool, with its name and its description.
#[derive(Clone)]
pub struct OfferedTool {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// The name of the tool in events and rules, and on its server.
    pub name: Name,
    /// The tool's description by the server.
    pub listed: becket_mcp::Tool,
}

impl McpServers {
    /// Returns the servers of this pool, none of which is trusted. Outputs that are too long for a model go to files
    /// in `dir`, which is created when it is needed and which the caller removes.
    #[must_use]
    pub fn new(pool: Pool, dir: impl Into<PathBuf>) -> Self {
        let kept = Arc::new(OutputStore { caps: OutputCaps::default(), dir: dir.into() });
        Self { pool, trusts: Arc::new(|_| false), kept }
    }

    /// Sets how much of an answer a model is shown.
    #[must_use]
    pub fn with_caps(mut self, caps: OutputCaps) -> Self {
        self.kept = Arc::new(OutputStore { caps, dir: self.kept.dir.clone() });
        self
    }

    /// Sets the servers whose annotations the user trusts: a tool that they declare read-only counts as such. Calls of
    /// such tools run concurrently.
    #[must_use]
    pub fn with_trust(mut self, trusts: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.trusts = Arc::new(trusts);
        self
    }

    /// Returns the tools of all servers that are connected now. To be called again when the pool's
    /// [`changes`](becket_mcp::Pool::changes) report it, and before each request to a model.
    #[must_use]
    pub fn tools(&self) -> McpTools {
        let OfferedTools { tools, warnings } = self.offered(|view| view.tools.clone());
        McpTools { tools: tools.into_iter().map(|offered| offered.tool).collect(), warnings }
    }

    /// Returns the tools that list and read resources, `ListMcpResourcesTool` and `ReadMcpResourceTool`; none if no
    /// server that is connected now offers resources (`protocol.md` X8). `host` has the working directories: a resource
    /// that may be a file elsewhere is not read unasked.
    #[must_use]
    pub fn resource_tools(&self, host: &Surroundings) -> Vec<Arc<dyn Tool>> {
        resources::tools(&self.pool, &self.kept, host)
    }

    /// Returns the tools of all servers with their descriptions, for a host that offers them to others. `listed`
    /// returns the tools of a server: it may keep those of one that is not connected at the moment, since a call
    /// reconnects it.
    #[must_use]
    pub fn offered(&self, listed: impl Fn(&ServerView) -> Option<Arc<ToolList>>) -> OfferedTools {
        let servers: Vec<(ServerView, Arc<ToolList>)> = self
            .pool
            .servers()
            .into_iter()
            .map(|view| {
                let tools = listed(&view).unwrap_or_default();
                (view, tools)
            })
            .collect();
        let names =
            Names::of_tools(servers.iter().map(|(view, tools)| (view.name.as_str(), tools.as_slice())));
        let of_server = |(view, tools): &(ServerView, Arc<ToolList>)| self.of_server(view, tools, &names);
        OfferedTools {
            tools: servers.iter().flat_map(of_server).collect(),
            warnings: names.warnings().to_vec(),
        }
    }

    fn of_server(&self, view: &ServerView, tools: &ToolList, names: &Names) -> Vec<OfferedTool> {
        let server = ToolServer::new(view.name.clone(), source(&view.configured.scope));
        let trusted = (self.trusts)(&view.name);
        // Of two tools that a server lists under one name, the first is used.
        let mut seen = HashSet::new();
        let listed = tools.iter().filter(|tool| seen.insert(tool.name.as_str()));
        // INVARIANT: each tool in the list has a name.
        let named =
            listed.filter_map(|tool| Some((names.find(&view.name, &tool.name)?.clone(), tool.clone())));
        named
            .map(|(name, tool)| OfferedTool {
                tool: Arc::new(McpTool {
                    pool: self.pool.clone(),
                    named: name.clone(),
                    tool: tool.clone(),
                    server: server.clone(),
                    trusted,
                    kept: Arc::clone(&self.kept),
                }),
                name,
                listed: tool,
            })
            .collect()
    }
}

/// Returns the source of a server's configuration, as named in events (`mcp_server.source`).
fn source(scope: &Scope) -> String {
    match scope {
        Scope::Host | Scope::CommandLine => "dynamic".to_owned(),
        Scope::Managed => "enterprise".to_owned(),
        Scope::Local => "local".to_owned(),
        Scope::Project => "project".to_owned(),
        Scope::User => "user".to_owned(),
        Scope::Plugin { name, .. } => format!("plugin:{name}"),
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServers").field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl fmt::Debug for OfferedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfferedTools").field("tools", &self.tools).field("warnings", &self.warnings).finish()
    }
}

impl fmt::Debug for OfferedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfferedTool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for McpTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        f.debug_struct("McpTools").field("tools", &names).field("warnings", &self.warnings).finish()
    }
}
