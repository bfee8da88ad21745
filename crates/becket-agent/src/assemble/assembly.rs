//! The description of a session.

use super::system_prompt::SystemPrompt;
use super::tool_filter::ToolFilter;
use crate::ask_user::{AskQuestions, PreviewFormat};
use crate::elicit::McpHost;
use crate::notes::Notes;
use crate::structured_output::StructuredOutput;
use crate::team::Team;
use crate::tool_call::AskPermission;
use crate::update::{Update, Watch};
use crate::worktree::WorktreeName;
use becket_engine::config::Request;
use becket_engine::{Builder, Profile, ToolSet};
use becket_llm::{HttpOptions, Models};
use becket_mcp::Pool;
use becket_process::Runner;
use becket_tools::configured_hook_tools;
use becket_tools::mcp::HookCalls;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Describes a session, which starts in the start directory of its request. [`Assembly::new`] sets all fields but the
/// first four to their defaults.
#[non_exhaustive]
pub struct Assembly {
    /// The configuration: directories, dialect, variables, home.
    pub request: Request,
    /// The models of the session, its hooks and its agents.
    pub models: Arc<dyn Models>,
    /// The name of the session's model.
    pub model: String,
    /// The directory for private files, used by this session only; it need not exist, and is removed when the session
    /// closes.
    pub private: PathBuf,
    /// Set if the user has chosen the model, which then takes precedence over that of the agent that the session works
    /// as.
    pub model_is_chosen: bool,
    /// Set if the user has chosen a permission mode, which then takes precedence over that of a resumed session.
    pub mode_is_chosen: bool,
    /// The user's own Becket directory, for plans and teams. Default: that of the request's home.
    pub own_directory: Option<PathBuf>,
    /// The tools, shared by the engine and the session. [`Assembly::session`] fills it.
    pub toolbox: ToolSet,
    /// The selection of tools. Default: all.
    pub tools: ToolFilter,
    /// The aliases of tools: the tool to call for a name that the model uses. Default: none.
    pub tool_aliases: HashMap<String, String>,
    /// The instructions of the model.
    pub system: SystemPrompt,
    /// The host's own agents, as JSON.
    pub agents: Option<String>,
    /// The agent that the session works as.
    pub agent: Option<String>,
    /// Set to ignore the files of the user and the project: instructions, agents and skills are not loaded.
    pub bare: bool,
    /// Set if skills can be used. Default: true.
    pub has_skills: bool,
    /// The only skills that are loaded. Default: all.
    pub skills: Option<Vec<String>>,
    /// The host's own commands, without their slash: no skill has one of these names.
    pub commands: Vec<String>,
    /// Additional files that are not edited without a prompt.
    pub protected: Vec<PathBuf>,
    /// The runner of the processes of tools.
    pub runner: Runner,
    /// The options of web requests.
    pub http: HttpOptions,
    /// The host that answers MCP servers.
    pub mcp_host: McpHost,
    /// The MCP servers.
    pub servers: Option<Pool>,
    /// Set if only servers count that the command line or the host names: agents of files get none of their own.
    pub named_servers_alone: bool,
    /// The notes of earlier sessions.
    pub notes: Option<Notes>,
    /// The shared list of tasks. Default: one without teammates.
    pub team: Option<Team>,
    /// The tool by which the model gives each answer as JSON. Default: none, and answers are text.
    pub structured_output: Option<StructuredOutput>,
    /// The user who answers questions of the model.
    pub questions: Option<Arc<dyn AskQuestions>>,
    /// The format of previews in those questions. Default: there are none.
    pub previews: Option<PreviewFormat>,
    /// The user who approves programs that a command line executes (E4). Default: no user.
    pub program_approver: Option<Arc<dyn AskPermission>>,
    /// The command that supervises the programs of a command line, up to but not including `--`: `becket supervise`. By
    /// default the rules for Bash apply only to the text of command lines (E1).
    pub supervisor: Option<Vec<OsString>>,
    /// The worktree that the session works in.
    pub worktree: Option<WorktreeName>,
    /// The receiver of what happens before the session is open, and of updates on its background tasks.
    pub watcher: Arc<dyn Watch>,
}

impl Assembly {
    /// Creates the description of a session with this configuration, and a model by its name.
    #[must_use]
    pub fn new(
        request: Request,
        models: Arc<dyn Models>,
        model: impl Into<String>,
        private: impl Into<PathBuf>,
    ) -> Self {
        let own = Request::new(Profile::becket(), request.environment.clone(), &request.start);
        Self {
            own_directory: own.user_directory(),
            request,
            models,
            model: model.into(),
            private: private.into(),
            model_is_chosen: false,
            mode_is_chosen: false,
            toolbox: ToolSet::default(),
            tools: ToolFilter::All,
            tool_aliases: HashMap::new(),
            system: SystemPrompt::default(),
            agents: None,
            agent: None,
            bare: false,
            has_skills: true,
            skills: None,
            commands: Vec::new(),
            protected: Vec::new(),
            runner: Runner::default(),
            http: HttpOptions::default(),
            mcp_host: McpHost::new(),
            servers: None,
            named_servers_alone: false,
            notes: None,
            team: None,
            structured_output: None,
            questions: None,
            previews: None,
            program_approver: None,
            supervisor: None,
            worktree: None,
            watcher: Arc::new(|_: &Update| {}),
        }
    }

    /// Adds the services of the session to the builder of its engine: tools, models, MCP servers, and the tools of the
    /// agents of hooks.
    #[must_use]
    pub fn engine(&self, builder: Builder) -> Builder {
        let builder = builder
            .tools(self.toolbox.clone())
            .agent_tools(configured_hook_tools(self.request.environment.clone()))
            .models(Arc::clone(&self.models))
            .enforces_rights(true)
            .session_dir(self.private.join("hooks"));
        match &self.servers {
            Some(pool) => builder.mcp_tools(HookCalls::new(pool.clone())),
            None => builder,
        }
    }
}

impl fmt::Debug for Assembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assembly")
            .field("start", &self.request.start)
            .field("model", &self.model)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
