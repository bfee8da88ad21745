//! The builder with which a host describes a session.

use super::open::Agent;
use crate::agents::{AgentTool, Definition, MainAgent};
use crate::checkpoints::Checkpoints;
use crate::compact::Window;
use crate::definitions::Dialect;
use crate::elicit::McpHost;
use crate::facts::Facts;
use crate::instructions::Instructions;
use crate::permission::{AutoMode, SessionPermissions};
use crate::session::{Expand, OpenError, OwnWorktree, SetupTrigger, Start, WorktreeTools};
use crate::structured_output::{self, StructuredOutput};
use crate::team::Team;
use crate::tool_call::AskPermission;
use crate::transcript::{RewindPoint, Store};
use crate::turn::{Approvers, Fallback, TurnEndTasks, TurnOptions};
use crate::update::{Notice, Watch};
use crate::watch::FileWatch;
use crate::worktree::{WorktreeName, Worktrees};
use becket_engine::{Engine, Tool, ToolSet};
use becket_llm::Model;
use becket_model::event::PermissionMode;
use becket_tools::tasks::Tasks;
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Work that the host runs when the session ends.
pub(super) type Closer = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;

/// Builds a session; [`AgentBuilder::open`] starts it.
pub struct AgentBuilder {
    pub(super) engine: Engine,
    pub(super) toolbox: ToolSet,
    pub(super) model: Arc<dyn Model>,
    pub(super) cwd: PathBuf,
    pub(super) facts: Option<Facts>,
    pub(super) store: Option<Store>,
    pub(super) start: Start,
    pub(super) rewind: Option<RewindPoint>,
    pub(super) checkpoints: Option<Checkpoints>,
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) mode: Option<PermissionMode>,
    pub(super) agent: Option<String>,
    /// The agent that the session works as.
    pub(super) works_as: Option<Definition>,
    pub(super) system: String,
    pub(super) initial_prompt: Option<String>,
    pub(super) max_turns: Option<u32>,
    pub(super) options: TurnOptions,
    pub(super) fallback: Option<Fallback>,
    pub(super) window: Option<Window>,
    pub(super) budget_usd: Option<f64>,
    pub(super) instructions: Instructions,
    pub(super) interactive: bool,
    pub(super) asked: Approvers,
    pub(super) permissions: Option<SessionPermissions>,
    pub(super) mcp_host: Option<McpHost>,
    pub(super) watchers: Vec<Arc<dyn Watch>>,
    pub(super) expand: Option<Arc<dyn Expand>>,
    pub(super) subagents: Option<AgentTool>,
    pub(super) worktree_tools: Option<WorktreeTools>,
    pub(super) tasks: Option<Tasks>,
    pub(super) team: Option<Team>,
    pub(super) structured_output: Option<StructuredOutput>,
    pub(super) tool_aliases: HashMap<String, String>,
    pub(super) at_turn_end: TurnEndTasks,
    pub(super) setup: Option<SetupTrigger>,
    pub(super) closers: Vec<Closer>,
    pub(super) watch: Option<FileWatch>,
    pub(super) worktrees: Option<Worktrees>,
    pub(super) in_worktree: Option<OwnWorktree>,
    /// Notices that are shown to the user first.
    pub(super) notices: Vec<Notice>,
}

impl AgentBuilder {
    /// Describes a session in `cwd` (absolute) with these tools, under the hooks and rules of an engine, with a model.
    /// Pass the same toolbox to [`becket_engine::Builder::tools`]. By default the session is not stored, has no person
    /// to ask, and is new.
    pub fn new(engine: Engine, toolbox: ToolSet, model: Arc<dyn Model>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            engine,
            toolbox,
            model,
            cwd: cwd.into(),
            facts: None,
            store: None,
            start: Start::New,
            rewind: None,
            checkpoints: None,
            id: None,
            title: None,
            mode: None,
            agent: None,
            works_as: None,
            system: String::new(),
            initial_prompt: None,
            max_turns: None,
            options: TurnOptions::default(),
            fallback: None,
            window: None,
            budget_usd: None,
            instructions: Instructions::default(),
            interactive: false,
            asked: Approvers::default(),
            permissions: None,
            mcp_host: None,
            watchers: Vec::new(),
            expand: None,
            subagents: None,
            worktree_tools: None,
            tasks: None,
            team: None,
            structured_output: None,
            tool_aliases: HashMap::new(),
            at_turn_end: TurnEndTasks::default(),
            setup: None,
            closers: Vec::new(),
            watch: None,
            worktrees: None,
            in_worktree: None,
            notices: Vec::new(),
        }
    }

    /// Sets the facts that tools received before the session existed: opening the session fills them in.
    #[must_use]
    pub fn facts(mut self, facts: Facts) -> Self {
        self.facts = Some(facts);
        self
    }

    /// Sets the store of the session's transcript.
    #[must_use]
    pub fn store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets whether the session is new or continues an existing one.
    #[must_use]
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Keeps copies of files before tools edit them, for [`Agent::rewind_files`]. Default: none.
    #[must_use]
    pub fn checkpoints(mut self, checkpoints: Checkpoints) -> Self {
        self.checkpoints = Some(checkpoints);
        self
    }

    /// Sets the last message to keep of a session that continues. Default: its last one.
    #[must_use]
    pub fn rewind(mut self, point: RewindPoint) -> Self {
        self.rewind = Some(point);
        self
    }

    /// Sets the id of a new session or a fork: a UUID.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the title of the session.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the permission mode that the user has chosen; it overrides that of a resumed session and of the settings.
    #[must_use]
    pub fn mode(mut self, mode: PermissionMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets the files with instructions for the model. Default: none.
    #[must_use]
    pub fn instructions(mut self, instructions: Instructions) -> Self {
        self.instructions = instructions;
        self
    }

    /// Sets the agent that the session works as (`agent_type`).
    #[must_use]
    pub fn agent(mut self, kind: impl Into<String>) -> Self {
        self.agent = Some(kind.into());
        self
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.system = prompt.into();
        self
    }

    /// Sets the maximum number of answers in one turn. Default: unlimited.
    #[must_use]
    pub fn max_turns(mut self, answers: u32) -> Self {
        self.max_turns = Some(answers);
        self
    }

    /// Sets the options of the session's turns.
    #[must_use]
    pub fn options(mut self, options: TurnOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the context size at which conversations are compacted. Default: the context window of the model, which is
    /// also the upper limit.
    #[must_use]
    pub fn window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    /// Sets the limit on the cost of the session, in US dollars: once it is reached, no more requests are sent. With a
    /// limit, no request is sent to a model without a known price. Default: none.
    #[must_use]
    pub fn budget_usd(mut self, limit: f64) -> Self {
        self.budget_usd = Some(limit);
        self
    }

    /// Sets whether the session has a screen. The engine must be built as interactive, too.
    #[must_use]
    pub fn interactive(mut self, interactive: bool) -> Self {
        self.interactive = interactive;
        self
    }

    /// Sets the person who is asked for permissions. Default: none.
    #[must_use]
    pub fn person(mut self, person: impl AskPermission + 'static) -> Self {
        self.asked.person = Some(Arc::new(person));
        self
    }

    /// Sets the model that answers for the rest of a turn if the session's own model is overloaded, and its name.
    /// Default: none.
    #[must_use]
    pub fn fallback(mut self, model: Arc<dyn Model>, requested: impl Into<String>) -> Self {
        self.fallback = Some(Fallback { model, requested: requested.into() });
        self
    }

    /// Sets the classifier of the mode `auto`. Default: none, and that mode asks (P14).
    #[must_use]
    pub fn auto_mode(mut self, auto: AutoMode) -> Self {
        self.asked.auto = Some(auto);
        self
    }

    /// Sets the permissions that tools received before the session existed. Default: new ones, under the same engine.
    #[must_use]
    pub fn permissions(mut self, permissions: SessionPermissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets the host that answers the questions of the session's servers: Notification hooks see `elicitation_response`
    /// when the user has answered one, and `elicitation_complete` when a server reports that the work behind the
    /// address to which it sent the user is done.
    #[must_use]
    pub fn mcp_host(mut self, host: McpHost) -> Self {
        self.mcp_host = Some(host);
        self
    }

    /// Adds a watcher of updates.
    #[must_use]
    pub fn watch(mut self, watcher: impl Watch + 'static) -> Self {
        self.watchers.push(Arc::new(watcher));
        self
    }

    /// Sets the expander of commands and mentions. Default: none, and all prompts are plain text.
    #[must_use]
    pub fn expand(mut self, expand: Arc<dyn Expand>) -> Self {
        self.expand = Some(expand);
        self
    }

    /// Sets the tool of the toolbox by which the model starts agents; it then belongs to this session.
    #[must_use]
    pub fn subagents(mut self, tool: AgentTool) -> Self {
        self.subagents = Some(tool);
        self
    }

    /// Makes the session work as this agent, unless set otherwise: its prompts, tools, answer limit, and the mode that
    /// it may have. Its hooks are registered for the whole session, and its `Stop` stays `Stop` (C10). The model
    /// remains the host's choice.
    #[must_use]
    pub fn as_agent(mut self, definition: &Definition, dialect: &Dialect) -> Self {
        let MainAgent { tools, mode, hooks, notices } =
            MainAgent::new(&self.engine, dialect, definition, &self.toolbox);
        let output = self.structured_output.clone().map(|output| Arc::new(output) as Arc<dyn Tool>);
        let others = tools.into_iter().filter(|tool| tool.name() != structured_output::NAME);
        // The host needs its answer, whatever tools the agent has.
        self.toolbox.replace(others.chain(output));
        self.agent = Some(definition.name.to_string());
        self.works_as = Some(definition.clone());
        self.mode = self.mode.or(mode);
        self.max_turns = self.max_turns.or(definition.max_turns);
        self.initial_prompt.clone_from(&definition.initial_prompt);
        if self.system.is_empty() {
            self.system.clone_from(&definition.prompt);
        }
        self.notices.extend(notices);
        self.on_close(move || Box::pin(async move { drop(hooks) }))
    }

    /// Sets the registry of background tasks; they end with the session.
    #[must_use]
    pub fn tasks(mut self, tasks: Tasks) -> Self {
        self.tasks = Some(tasks);
        self
    }

    /// Sets the shared list of tasks and its teammates: add its tools to the toolbox, and pass it to [`AgentTool`].
    #[must_use]
    pub fn team(mut self, team: Team) -> Self {
        self.team = Some(team);
        self
    }

    /// Sets the tool of the toolbox by which the model gives each answer as JSON. Default: none, and answers are text.
    #[must_use]
    pub fn structured_output(mut self, output: StructuredOutput) -> Self {
        self.structured_output = Some(output);
        self
    }

    /// Sets aliases of tools: the tool to call for a name that the model uses. Hooks and rules see the tool that is
    /// called. Default: none.
    #[must_use]
    pub fn tool_aliases(mut self, aliases: HashMap<String, String>) -> Self {
        self.tool_aliases = aliases;
        self
    }

    /// Sets the host's tasks at the end of each turn (L7).
    #[must_use]
    pub fn at_turn_end(mut self, tasks: TurnEndTasks) -> Self {
        self.at_turn_end = tasks;
        self
    }

    /// Fires Setup before the session starts.
    #[must_use]
    pub fn setup(mut self, trigger: SetupTrigger) -> Self {
        self.setup = Some(trigger);
        self
    }

    /// Sets the files to watch: hooks see their changes, and changed settings apply once hooks allow it. Default: none,
    /// and the session keeps its initial configuration.
    #[must_use]
    pub fn watch_files(mut self, watch: FileWatch) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Sets the provider of working trees for the session and its subagents. Default: none, and requests for one fail.
    #[must_use]
    pub fn worktrees(mut self, worktrees: Worktrees) -> Self {
        self.worktrees = Some(worktrees);
        self
    }

    /// Sets the tools of the toolbox by which the model enters and leaves worktrees; they then belong to this session.
    /// Requires [`AgentBuilder::worktrees`].
    #[must_use]
    pub fn worktree_tools(mut self, tools: WorktreeTools) -> Self {
        self.worktree_tools = Some(tools);
        self
    }

    /// Makes the session work in its own worktree, which is created or reused before the session starts; `system`
    /// returns the system prompt for its directory. Requires [`AgentBuilder::worktrees`].
    #[must_use]
    pub fn in_worktree(
        mut self,
        name: WorktreeName,
        system: impl FnOnce(&Path) -> String + Send + 'static,
    ) -> Self {
        self.in_worktree = Some(OwnWorktree { name, system: Box::new(system) });
        self
    }

    /// Adds work that runs when the session ends, after its hooks, such as closing connections or removing directories.
    #[must_use]
    pub fn on_close(mut self, end: impl FnOnce() -> BoxFuture<'static, ()> + Send + 'static) -> Self {
        self.closers.push(Box::new(end));
        self
    }

    /// Opens the session: fires Setup if requested, then SessionStart. Context from their hooks is kept for the first
    /// prompt.
    ///
    /// # Errors
    /// Errors if the transcript can't be opened: see [`OpenError`].
    pub async fn open(self) -> Result<Agent, OpenError> {
        Agent::open(self).await
    }
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("cwd", &self.cwd)
            .field("start", &self.start)
            .field("toolbox", &self.toolbox)
            .finish_non_exhaustive()
    }
}
