//! The tools of a session, and those of MCP servers, which may change.

use super::assembly::Assembly;
use super::definitions::Definitions;
use super::tool_factory::ToolFactory;
use crate::facts::Facts;
use crate::permission::{ExitPlanMode, SessionPermissions};
use crate::session::WorktreeTools;
use crate::team::Team;
use becket_engine::config::{Config, Diagnostic};
use becket_engine::{ReloadError, Tool, ToolSet};
use becket_tools::tasks::Tasks;
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

/// The tools of a session. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct SessionTools {
    toolbox: ToolSet,
    own: Arc<[Arc<dyn Tool>]>,
    factory: ToolFactory,
    permissions: SessionPermissions,
    worktrees: WorktreeTools,
}

impl SessionTools {
    pub(super) fn new(
        assembly: &Assembly,
        definitions: &Definitions,
        factory: ToolFactory,
        facts: &Facts,
    ) -> Self {
        let permissions = SessionPermissions::new(factory.engine.clone());
        let worktrees = WorktreeTools::new();
        let mut tools = factory.tools(facts);
        tools.push(Arc::new(definitions.agents.clone()));
        tools.push(Arc::new(definitions.skills.tool()));
        tools.extend(worktrees.tools());
        if let Some(directory) = &assembly.own_directory {
            let file = directory.join("plans").join(format!("{}.md", Uuid::new_v4()));
            tools.push(Arc::new(ExitPlanMode::new(permissions.clone(), facts.clone(), file)));
        }
        let mut own = factory.filter.filter(tools);
        // No filter removes this tool: without it there is no answer.
        own.extend(assembly.structured_output.clone().map(|output| Arc::new(output) as Arc<dyn Tool>));
        let own = own.into();
        Self { toolbox: assembly.toolbox.clone(), own, factory, permissions, worktrees }
    }

    /// Replaces the tools in the session's tool set with the current ones: servers connect and disconnect. Returns the
    /// problems with their names.
    pub fn refresh(&self) -> Vec<String> {
        let (tools, warnings) = self.factory.of_servers();
        self.toolbox.replace(self.own.iter().cloned().chain(tools));
        warnings
    }

    /// Reads the plugins of the engine's configuration again, and protects their files.
    ///
    /// # Errors
    /// Errors if the configuration stays as it was.
    pub(super) fn reload_plugins(&self) -> Result<Arc<Config>, ReloadError> {
        let config = self.factory.engine.host().reload_plugins()?;
        self.factory.protect_files();
        Ok(config)
    }

    /// Replaces the settings that the host has set while the session is open, and protects the scripts of their hooks
    /// (P14). Returns the findings about them.
    ///
    /// # Errors
    /// Errors if an entry of them can't be loaded: the old ones stay in force.
    pub fn set_host_settings(&self, settings: Option<&str>) -> Result<Vec<Diagnostic>, ReloadError> {
        let findings = self.factory.engine.host().set_host_settings(settings)?;
        self.factory.protect_files();
        Ok(findings)
    }

    /// Returns the background tasks of the session.
    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.factory.tasks
    }

    /// Returns the permissions of the session.
    #[must_use]
    pub fn permissions(&self) -> &SessionPermissions {
        &self.permissions
    }

    /// Returns the names in the selection of tools that no tool of the session has.
    #[must_use]
    pub fn unmatched_names(&self) -> Vec<String> {
        self.factory.filter.unmatched(&self.own)
    }

    pub(super) fn team(&self) -> &Team {
        &self.factory.team
    }

    /// Returns the tools that enter and leave worktrees, for the session's own agent loop.
    pub(super) fn worktrees(&self) -> &WorktreeTools {
        &self.worktrees
    }
}

impl fmt::Debug for SessionTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTools").field("toolbox", &self.toolbox).finish_non_exhaustive()
    }
}
