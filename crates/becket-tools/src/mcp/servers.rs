//! The face: the tools of a pool's servers.

use super::answer::OutputStore;
use super::tool::McpTool;
use becket_engine::{Tool, ToolServer};
use becket_mcp::config::Scope;
use becket_mcp::{NameWarning, Names, OutputCaps, Pool};
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
    /// Warnings for authors of rules: names that were cut or made distinct.
    pub warnings: Vec<NameWarning>,
}

impl McpServers {
    /// The servers of this pool, none of which is trusted. What is too much for a model goes to files in `dir`, which is
    /// made when it is needed and which the caller removes.
    #[must_use]
    pub fn new(pool: Pool, dir: impl Into<PathBuf>) -> Self {
        let kept = Arc::new(OutputStore { caps: OutputCaps::default(), dir: dir.into() });
        Self { pool, trusts: Arc::new(|_| false), kept }
    }

    /// Says how much of an answer a model is shown.
    #[must_use]
    pub fn with_caps(mut self, caps: OutputCaps) -> Self {
        self.kept = Arc::new(OutputStore { caps, dir: self.kept.dir.clone() });
        self
    }

    /// Names the servers whose annotations the user trusts: a tool that they call read-only counts as such. Calls of
    /// such
    /// tools run side by side.
    #[must_use]
    pub fn with_trust(mut self, trusts: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.trusts = Arc::new(trusts);
        self
    }

    /// The tools of all servers that are connected now. Asked again when the pool's
    /// [`changes`](becket_mcp::Pool::changes) say so, and before each request to a model.
    #[must_use]
    pub fn tools(&self) -> McpTools {
        let servers = self.pool.servers();
        let listed = servers.iter().map(|view| {
            let tools = view.tools.as_ref().map(|tools| tools.as_slice()).unwrap_or_default();
            (view.name.as_str(), tools)
        });
        let names = Names::of_tools(listed);
        let mut all: Vec<Arc<dyn Tool>> = Vec::new();
        for view in &servers {
            let server = ToolServer::new(view.name.clone(), source(&view.configured.scope));
            let mut listed: Vec<&becket_mcp::Tool> =
                view.tools.iter().flat_map(|tools| tools.iter()).collect();
            // What a server lists twice under one name is there once, as it came first.
            let mut seen = std::collections::HashSet::new();
            listed.retain(|tool| seen.insert(tool.name.as_str()));
            for tool in listed {
                // INVARIANT: each tool that was named has a name.
                let Some(name) = names.find(&view.name, &tool.name) else { continue };
                all.push(Arc::new(McpTool {
                    pool: self.pool.clone(),
                    named: name.clone(),
                    tool: tool.clone(),
                    server: server.clone(),
                    trusted: (self.trusts)(&view.name),
                    kept: Arc::clone(&self.kept),
                }));
            }
        }
        McpTools { tools: all, warnings: names.warnings().to_vec() }
    }
}

/// Returns the source of a server's configuration, in the words of the events (`mcp_server.source`).
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

impl fmt::Debug for McpTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        f.debug_struct("McpTools").field("tools", &names).field("warnings", &self.warnings).finish()
    }
}
