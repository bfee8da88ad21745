//! The tools of a session: for files, the web, a shell and background tasks, and those of MCP servers, which may
//! change.

use super::terminal::Person;
use super::tool_filter::ToolFilter;
use becket_agent::AskUserQuestion;
use becket_agent::permission::{ExitPlanMode, SessionPermissions};
use becket_agent::session::Facts;
use becket_agent::session::WorktreeTools;
use becket_agent::team::{Team, team_tools};
use becket_engine::{Engine, Tool, ToolSet};
use becket_tools::mcp::McpServers;
use becket_tools::shell::{Bash, Whereabouts};
use becket_tools::tasks::{TaskOutput, TaskStop, Tasks};
use becket_tools::web_fetch::WebFetch;
use becket_tools::{Surroundings, file_tools};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The inputs of tools, for the main session and for its agents.
#[derive(Clone)]
pub(super) struct ToolFactory {
    pub(super) engine: Engine,
    pub(super) host: Surroundings,
    pub(super) root: PathBuf,
    pub(super) tasks: Tasks,
    pub(super) web: WebFetch,
    pub(super) servers: Option<McpServers>,
    pub(super) permissions: SessionPermissions,
    /// The user who answers questions of models, if there is one.
    pub(super) person: Option<Person>,
    /// The tools that enter and leave worktrees, of the session's own line of work.
    pub(super) worktrees: WorktreeTools,
    pub(super) base: ToolFilter,
    pub(super) team: Team,
}

impl ToolFactory {
    /// Returns a shell in the directory of an agent.
    pub(super) fn shell(&self, facts: &Facts) -> Arc<dyn Tool> {
        let here =
            ShellEnvironment { facts: facts.clone(), root: self.root.clone(), engine: self.engine.clone() };
        Arc::new(Bash::new(self.host.clone(), self.tasks.clone(), Arc::new(here)))
    }

    /// Returns all tools that an agent may have, without those of servers.
    pub(super) fn own(&self, facts: &Facts) -> Vec<Arc<dyn Tool>> {
        let mut ask = AskUserQuestion::new();
        if let Some(person) = &self.person {
            ask = ask.with_user(person.clone());
        }
        let mut tools = vec![self.shell(facts)];
        tools.extend(file_tools(self.host.clone()));
        tools.push(Arc::new(self.web.clone()));
        tools.push(Arc::new(ask));
        tools.push(Arc::new(TaskOutput::new(self.tasks.clone())));
        tools.push(Arc::new(TaskStop::new(self.tasks.clone())));
        tools.extend(team_tools(&self.team, &self.engine));
        self.base.filter(tools)
    }

    /// Returns the tool that ends the mode `plan`; the plan is stored in `file`.
    pub(super) fn plan(&self, facts: &Facts, file: PathBuf) -> Arc<dyn Tool> {
        Arc::new(ExitPlanMode::new(self.permissions.clone(), facts.clone(), file))
    }

    /// Returns the current tools of servers, and the problems with their names.
    pub(super) fn of_servers(&self) -> (Vec<Arc<dyn Tool>>, Vec<String>) {
        let Some(servers) = &self.servers else { return (Vec::new(), Vec::new()) };
        let found = servers.tools();
        (found.tools, found.warnings.iter().map(ToString::to_string).collect())
    }
}

/// The tools that are kept, and the servers whose tools are not.
#[derive(Clone)]
pub(super) struct SessionTools {
    pub(super) toolbox: ToolSet,
    pub(super) own: Arc<[Arc<dyn Tool>]>,
    pub(super) makes: ToolFactory,
}

impl SessionTools {
    /// Replaces the tools in the box by the current ones; returns the problems with their names.
    pub(super) fn refresh(&self) -> Vec<String> {
        let (tools, warnings) = self.makes.of_servers();
        self.toolbox.replace(self.own.iter().cloned().chain(tools));
        warnings
    }
}

/// The directory and environment of a shell.
struct ShellEnvironment {
    facts: Facts,
    root: PathBuf,
    engine: Engine,
}

impl Whereabouts for ShellEnvironment {
    fn root(&self) -> PathBuf {
        self.facts.worktree().unwrap_or_else(|| self.root.clone())
    }

    fn directories(&self) -> Vec<PathBuf> {
        self.engine.directories()
    }

    fn moved(&self, _from: &Path, to: &Path) {
        self.facts.set_cwd(to.to_owned());
    }
}
