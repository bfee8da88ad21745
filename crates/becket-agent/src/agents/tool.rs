//! The tool `Agent`, which gives a task to a new agent (`protocol.md` L0, P10, N4).
//!
//! It has no limit of its own: each request and each call of the agent has one, and the caller can end it.

use super::definition::Definition;
use super::memory::MemoryHomes;
use super::own_servers::{ConnectedServers, OwnServers};
use super::own_tree::OwnTree;
use super::parent::{Parent, ParentCell};
use super::read::ISOLATED;
use super::register::Agents;
use super::report;
use super::run::{Subagent, SubagentOptions, fresh_id};
use super::skill_texts::{FirstSkills, MakesSkillTexts};
use super::task::AgentTask;
use super::teammate::TeammateTask;
use crate::definitions::{Dialect, unknown};
use crate::facts::Facts;
use crate::team::Team;
use crate::tool_call::NestedCalls;
use crate::turn::EndReason;
use becket_engine::{
    CancellationToken, Effect, Hints, RunningCall, Settlement, Tool, ToolFailure, ToolOutput, ToolSet,
};
use becket_llm::{Models, ToolSpec};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Session};
use becket_tools::schema::{Field, Kind, Spec, optional, required};
use becket_tools::tasks::Tasks;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The agent of a call that does not name one.
const DEFAULT: &str = "general-purpose";

const ISOLATION: Field = optional(
    "isolation",
    Kind::Choice(&[ISOLATED]),
    "`worktree`: it works in a git worktree of its own, which begins at the present commit. Without changes that is removed at \
     its end; else its path and branch are told",
);

static SPEC: Spec = Spec {
    name: "Agent",
    description: "Gives a task to an agent that works on it by itself and reports back. It sees nothing of this \
                  conversation but `prompt`: put everything into it that the agent has to know, and say what it is to \
                  report. Several calls at once run side by side.",
    fields: &[DESCRIPTION, PROMPT, KIND, MODEL, IN_BACKGROUND, ISOLATION],
};

/// The specification in a session that leads a team.
static IN_TEAM: Spec = Spec {
    name: SPEC.name,
    description: "Gives a task to an agent that works on it by itself and reports back. It sees nothing of this \
                  conversation but `prompt`: put everything into it that the agent has to know, and say what it is to \
                  report. Several calls at once run side by side. With a `name` it becomes a teammate: it goes on in the \
                  background, shares the list of tasks with you, and is idle at the end of a turn until SendMessage sets \
                  it to work; what it sends you is told to you by itself.",
    fields: &[
        DESCRIPTION,
        PROMPT,
        KIND,
        MODEL,
        IN_BACKGROUND,
        ISOLATION,
        optional("name", Kind::Text, "What the agent is called as a teammate: letters, digits, `_` and `-`"),
        optional("team_name", Kind::Text, "The team: there is one, which needs no name here"),
    ],
};

const DESCRIPTION: Field = required("description", Kind::Text, "The task in a few words");
const PROMPT: Field = required("prompt", Kind::Text, "The task for the agent, complete");
const KIND: Field = optional("subagent_type", Kind::Text, "Which agent works on it");
const MODEL: Field =
    optional("model", Kind::Text, "The model that it asks, where that should be another than its own");
const IN_BACKGROUND: Field = optional(
    "run_in_background",
    Kind::Flag,
    "Whether it goes on in the background: the call is answered at once, and its end is told later",
);

/// The `Agent` tool. Cheap to clone; all clones are the same tool.
#[derive(Clone)]
pub struct AgentTool {
    shared: Arc<ToolState>,
}

/// Creates the session's tools for another agent loop, in which a shell has its own directory.
pub type MakesTools = Arc<dyn Fn(&Facts) -> Vec<Arc<dyn Tool>> + Send + Sync>;

/// The parts that all agents share.
pub(super) struct AgentParts {
    pub(super) dialect: Dialect,
    pub(super) tools: MakesTools,
    pub(super) models: Arc<dyn Models>,
    pub(super) skills: OnceLock<MakesSkillTexts>,
    pub(super) memories: OnceLock<MemoryHomes>,
    pub(super) own_servers: OnceLock<OwnServers>,
}

impl AgentParts {
    /// Returns the skills that an agent starts with, if it names any and the session has skills.
    pub(super) fn first_skills(&self, definition: &Definition, facts: &Facts) -> Option<FirstSkills> {
        let texts = self.skills.get().filter(|_| !definition.skills.is_empty())?(facts);
        Some(FirstSkills { agent: Arc::clone(&definition.name), names: definition.skills.clone(), texts })
    }

    /// Connects the servers that an agent describes, if any, and keeps the tools that its definition allows.
    ///
    /// # Errors
    /// Errors like [`OwnServers::connect`].
    pub(super) async fn connect_servers(
        &self,
        definition: &Definition,
        session: &ToolSet,
        cancel: &CancellationToken,
    ) -> Result<Option<ConnectedServers>, String> {
        match self.own_servers.get() {
            Some(servers) => servers.connect(definition, session, &self.dialect.tools, cancel).await,
            None => Ok(None),
        }
    }
}

struct ToolState {
    agents: RwLock<Agents>,
    parts: AgentParts,
    tasks: OnceLock<Tasks>,
    has_team: AtomicBool,
    parent: ParentCell,
}

impl AgentTool {
    /// Creates a tool that starts these agents, once it belongs to an open session. Their definitions say which of
    /// `tools` they may have; the tool itself is never among them.
    #[must_use]
    pub fn new(agents: Agents, dialect: Dialect, models: Arc<dyn Models>, tools: MakesTools) -> Self {
        let parent = ParentCell::default();
        let agents = RwLock::new(agents);
        let (skills, memories, own_servers) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let parts = AgentParts { dialect, tools, models, skills, memories, own_servers };
        Self {
            shared: Arc::new(ToolState {
                agents,
                parts,
                tasks: OnceLock::new(),
                has_team: AtomicBool::new(false),
                parent,
            }),
        }
    }

    /// Sets the session's background tasks: without them the caller waits for an agent that should run in the
    /// background.
    #[must_use]
    pub fn with_tasks(self, tasks: Tasks) -> Self {
        let _ = self.shared.tasks.set(tasks);
        self
    }

    /// Lets agents with a name be teammates if the session leads a team; requires its background tasks to be set.
    #[must_use]
    pub fn with_team(self, team: &Team) -> Self {
        let may = team.has_teammates() && self.shared.tasks.get().is_some();
        self.shared.has_team.store(may, Ordering::Relaxed);
        self
    }

    /// Lets agents start with the texts of skills; only the first call has an effect. Default: none does.
    #[must_use]
    pub fn with_skills(self, skills: MakesSkillTexts) -> Self {
        let _ = self.shared.parts.skills.set(skills);
        self
    }

    /// Lets agents have a memory below these directories; only the first call has an effect. Default: none has.
    #[must_use]
    pub fn with_memories(self, homes: MemoryHomes) -> Self {
        let _ = self.shared.parts.memories.set(homes);
        self
    }

    /// Lets agents have the MCP servers that they describe; only the first call has an effect. Default: none has.
    #[must_use]
    pub fn with_own_servers(self, servers: OwnServers) -> Self {
        let _ = self.shared.parts.own_servers.set(servers);
        self
    }

    fn table(&self) -> &'static Spec {
        if self.shared.has_team.load(Ordering::Relaxed) { &IN_TEAM } else { &SPEC }
    }

    /// Sets the session of the tool.
    pub(crate) fn belongs_to(&self, get_parent: impl Fn() -> Option<Parent> + Send + Sync + 'static) {
        self.shared.parent.set(get_parent);
    }

    /// Returns the skills that a session working as an agent starts with.
    pub(crate) fn first_skills(&self, definition: &Definition, facts: &Facts) -> Option<FirstSkills> {
        self.shared.parts.first_skills(definition, facts)
    }

    /// Connects the servers that the agent of a session describes.
    ///
    /// # Errors
    /// Errors with the reason if one of their names is taken in the session.
    pub(crate) async fn connect_servers(
        &self,
        definition: &Definition,
        session: &ToolSet,
    ) -> Result<Option<ConnectedServers>, String> {
        self.shared.parts.connect_servers(definition, session, &CancellationToken::new()).await
    }

    /// Returns the agents that the tool can start.
    #[must_use]
    pub fn agents(&self) -> Agents {
        self.shared.agents.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the agents that can be started; running ones are not affected.
    pub fn replace(&self, agents: Agents) {
        *self.shared.agents.write().unwrap_or_else(PoisonError::into_inner) = agents;
    }

    /// Returns the agents that no deny rule removes (P10).
    fn offered(&self) -> Vec<Arc<Definition>> {
        let agents = self.agents();
        let Some(parent) = self.shared.parent.get() else { return agents.all().to_vec() };
        let session = parent.facts.session();
        let denied = |definition: &Definition| {
            let input = Map::from_iter([("subagent_type".to_owned(), json!(*definition.name))]);
            let event = PreToolUse::new(SPEC.name.to_owned(), input, String::new());
            let restricted =
                parent.shared.engine.host().rule_restriction(&Event::new(session.clone(), event));
            matches!(restricted, Some(Settlement::Denied { .. }))
        };
        agents.all().iter().filter(|definition| !denied(definition)).cloned().collect()
    }

    fn definition(&self, input: &Map<String, Value>) -> Result<Arc<Definition>, String> {
        let name = text(input, "subagent_type").unwrap_or_else(|| DEFAULT.to_owned());
        let found = self.agents().find(&name).cloned();
        found.ok_or_else(|| {
            let offered = self.offered();
            let names: Vec<&str> = offered.iter().map(|definition| &*definition.name).collect();
            unknown("agent", &name, &names)
        })
    }

    async fn start(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let definition = self.definition(running.input).map_err(ToolFailure::new)?;
        let parent = self.shared.parent.get();
        let parent =
            parent.ok_or_else(|| ToolFailure::new("the session is not open, so no agent can start"))?;
        let isolated = definition.isolated || text(running.input, "isolation").as_deref() == Some(ISOLATED);
        let background =
            definition.background || running.input.get("run_in_background") == Some(&Value::Bool(true));
        let description = text(running.input, "description").unwrap_or_default();
        let id = fresh_id();
        let own = match isolated {
            true => Some(OwnTree::enter(&parent, &id, running.cancel).await.map_err(ToolFailure::new)?),
            false => None,
        };
        let wanted = SubagentOptions {
            id,
            own,
            definition,
            prompt: text(running.input, "prompt").unwrap_or_default(),
            description: description.clone(),
            model: text(running.input, "model"),
            tool_use_id: running.id.to_owned(),
            name: text(running.input, "name"),
            team: text(running.input, "team_name"),
        };
        let name = wanted.name.clone();
        let ToolState { parts, tasks, .. } = &*self.shared;
        let subagent = Subagent::new(&parent, wanted, parts, running.cancel).await;
        let subagent = subagent.map_err(ToolFailure::new)?;
        match tasks.get() {
            Some(tasks) if name.is_some() => {
                let name = name.unwrap_or_default();
                join(tasks, TeammateTask { subagent, name, description })
            }
            Some(tasks) if background => launch(tasks, AgentTask { subagent, description }),
            Some(_) | None => {
                let (end, facts) = subagent.run(running.cancel).await;
                // A person who was asked about a call of the agent has also ended the call that waits for the agent
                // (D8).
                if end.reason == EndReason::Interrupted {
                    NestedCalls::of(&running).interrupt();
                }
                report::answer(&end, &facts)
            }
        }
    }
}

/// Starts the agent in the background, and returns the location of its output.
fn launch(tasks: &Tasks, task: AgentTask) -> Result<ToolOutput, ToolFailure> {
    let (facts, description) = (task.subagent.facts.clone(), task.description.clone());
    let info = tasks.start(task).map_err(|error| ToolFailure::new(error.to_string()))?;
    let file = info.output_file.to_string_lossy();
    let text = format!(
        "The agent `{}` works in the background as task `{}`. You are told when it is done; TaskOutput shows its answer.",
        facts.kind, info.id
    );
    Ok(ToolOutput::text(text, report::launched(&facts, &description, &file)))
}

/// Starts a teammate.
fn join(tasks: &Tasks, task: TeammateTask) -> Result<ToolOutput, ToolFailure> {
    let (facts, name) = (task.subagent.facts.clone(), task.name.clone());
    let team = task.subagent.seat.as_ref().map(|seat| seat.team_name.to_string()).unwrap_or_default();
    let info = tasks.start(task).map_err(|error| ToolFailure::new(error.to_string()))?;
    let text = format!(
        "The teammate `{name}` works in the background as task `{}`, in the team `{team}`. What it has to say is told to \
         you; SendMessage reaches it, TaskStop ends it.",
        info.id
    );
    Ok(ToolOutput::text(text, report::joined(&facts, &name, &team)))
}

fn text(input: &Map<String, Value>, field: &str) -> Option<String> {
    input.get(field).and_then(Value::as_str).map(str::to_owned)
}

impl Tool for AgentTool {
    fn name(&self) -> &str {
        SPEC.name
    }

    fn spec(&self) -> ToolSpec {
        let agents: Vec<String> = self
            .offered()
            .iter()
            .map(|definition| {
                let tools = definition.tools.as_ref().map_or("all".to_owned(), |tools| tools.join(", "));
                format!("- {}: {} (tools: {tools})", definition.name, definition.description)
            })
            .collect();
        ToolSpec {
            name: SPEC.name.to_owned(),
            description: format!("{}\n\nThe agents:\n{}", self.table().description, agents.join("\n")),
            input_schema: self.table().json_schema(),
        }
    }

    /// The tool changes nothing: permissions are asked for each call of its agent.
    fn hints(&self) -> Hints {
        Hints { together: true, ..Hints::default() }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        self.table().validate(input)?;
        if text(input, "prompt").is_none_or(|prompt| prompt.trim().is_empty()) {
            return Err("`prompt` has to say what the agent is to do".to_owned());
        }
        self.definition(input).map(drop)
    }

    fn defaults(&self) -> Map<String, Value> {
        Map::from_iter([("subagent_type".to_owned(), json!(DEFAULT))])
    }

    /// Starting an agent is not an action; each of its calls is.
    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.start(running))
    }
}

impl fmt::Debug for AgentTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents = self.agents();
        let names: Vec<&str> = agents.all().iter().map(|definition| &*definition.name).collect();
        f.debug_struct("AgentTool").field("agents", &names).finish_non_exhaustive()
    }
}
