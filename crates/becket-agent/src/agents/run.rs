//! A subagent from start to end: SubagentStart, its own turn, SubagentStop (`protocol.md` L0).
//!
//! INVARIANT: the hooks of an agent's frontmatter are removed when it ends, however it ends: by a panic, a cancel, or a
//! drop.

use super::definition::Definition;
use super::hooks::HooksOfAgent;
use super::memory::AgentMemory;
use super::mode::{self, MayWiden};
use super::narrow;
use super::own_servers::ConnectedServers;
use super::own_tree::OwnTree;
use super::parent::Parent;
use super::report;
use super::skill_texts::FirstSkills;
use super::tool::AgentParts;
use crate::definitions::ModelChoice;
use crate::facts::Facts;
use crate::team::Seat;
use crate::transcript::AgentMetadata;
use crate::turn::{AgentLoop, Begin, StopEvent, TurnEnd, TurnStart};
use crate::update::Origin;
use becket_engine::{CancellationToken, Tool, ToolSet};
use becket_llm::{Block, Model, Models};
use becket_model::AgentId;
use becket_model::event::Agent;
use becket_model::event::agents::SubagentStart;
use std::sync::Arc;

/// The result of calls that are still open when the agent ends.
const UNANSWERED: &str = "the call was not run";

/// The text for an agent that works alone in its worktree.
const OWN_TREE: &str =
    "This is a working tree of its own, a copy of the repository: change files here and nowhere else.";

/// The options of a call.
pub(super) struct SubagentOptions {
    /// A freshly generated agent id.
    pub(super) id: AgentId,
    /// The agent's own worktree, if it has one.
    pub(super) own: Option<OwnTree>,
    pub(super) definition: Arc<Definition>,
    pub(super) prompt: String,
    /// The task in a few words.
    pub(super) description: String,
    /// The model that the call names.
    pub(super) model: Option<String>,
    pub(super) tool_use_id: String,
    /// The name in the team, if the agent is to be a teammate.
    pub(super) name: Option<String>,
    /// The team, if the call names one.
    pub(super) team: Option<String>,
}

/// A subagent that has not started yet.
pub(super) struct Subagent {
    pub(super) agent_loop: AgentLoop,
    wanted: SubagentOptions,
    /// The agent's place in its team.
    pub(super) seat: Option<Seat>,
    /// The registered hooks, which are removed with the agent.
    hooks: HooksOfAgent,
    /// The connected MCP servers that the agent describes itself.
    servers: Option<ConnectedServers>,
    /// The skills that the agent may start with.
    skills: Option<FirstSkills>,
    pub(super) facts: report::Facts,
}

impl Subagent {
    /// Prepares a subagent: its tools, its model, its conversation; registers its hooks.
    ///
    /// # Errors
    /// Errors if the model does not exist, or a server that the agent describes has the name of another one; worded for
    /// the calling model.
    pub(super) async fn new(
        parent: &Parent,
        mut wanted: SubagentOptions,
        made: &AgentParts,
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        match Prerequisites::of(parent, &wanted, made, cancel).await {
            Ok(found) => Ok(Self::with(parent, wanted, found, made)),
            Err(why) => {
                if let Some(own) = wanted.own.take() {
                    own.leave().await;
                }
                Err(why)
            }
        }
    }

    fn with(parent: &Parent, wanted: SubagentOptions, found: Prerequisites, made: &AgentParts) -> Self {
        let Prerequisites { model, seat, mut servers } = found;
        let AgentParts { dialect, tools, .. } = made;
        let definition = Arc::clone(&wanted.definition);
        let id = wanted.id.clone();
        let engine = &parent.shared.engine;
        let hooks = HooksOfAgent::register(engine, dialect, &definition, Some(id.clone()));
        let own = Agent::new(id.clone(), Arc::clone(&definition.name));
        let facts = parent.facts.of_subagent(own).with_mode(mode_of(parent, &definition, &hooks));
        if let Some(own) = &wanted.own {
            facts.enter(own.path().to_owned());
        }
        let all = narrow::within(tools(&facts), &parent.toolbox);
        let origin = Origin::Subagent { id: id.clone(), tool_use_id: wanted.tool_use_id.clone() };
        let updates = parent.shared.updates_of(&origin);
        let unknown = narrow::unknown_notices(&all, &definition, &dialect.tools);
        hooks.notices().into_iter().chain(unknown).for_each(|notice| updates.notice(notice));
        let tools: Vec<Arc<dyn Tool>> = match &seat {
            Some(_) => narrow::of_teammate(&all, &definition, &dialect.tools),
            None => narrow::of_subagent(all, &definition, &dialect.tools),
        };
        let of_servers = servers.as_mut().map(ConnectedServers::take).unwrap_or_default();
        of_servers.notices.into_iter().for_each(|notice| updates.notice(notice));
        let tools = tools.into_iter().chain(of_servers.tools);
        let metadata = AgentMetadata {
            agent_type: definition.name.to_string(),
            description: wanted.description.clone(),
            tool_use_id: wanted.tool_use_id.clone(),
        };
        let (transcript, conversation) = parent.conversation(&id, &metadata, &updates);
        let stop_event =
            StopEvent::SubagentStop { id: id.clone(), kind: definition.name.to_string(), transcript };
        let memory = made.memories.get().and_then(|homes| AgentMemory::of(&definition, homes));
        let (memory, unread) = memory.map(|memory| memory.prompt(engine, &facts.session())).unzip();
        unread.flatten().into_iter().for_each(|notice| updates.notice(notice));
        let skills = made.first_skills(&definition, &facts);
        let begin = Begin {
            system: system(&definition, &facts, seat.as_ref(), memory),
            toolbox: ToolSet::new(tools),
            model: Arc::clone(&model),
            max_turns: definition.max_turns,
            facts,
            conversation,
            origin,
            stop_event,
            mate: seat.as_ref().map(|seat| Arc::clone(&seat.name)),
        };
        let facts = report::Facts {
            id,
            kind: definition.name.to_string(),
            prompt: wanted.prompt.clone(),
            model: model.name().to_owned(),
            tools: std::collections::BTreeMap::new(),
            left: None,
        };
        let agent_loop = AgentLoop::new(Arc::clone(&parent.shared), begin);
        Self { agent_loop, wanted, seat, hooks, servers, skills, facts }
    }

    /// Runs the agent to its end.
    pub(super) async fn run(mut self, cancel: &CancellationToken) -> (TurnEnd, report::Facts) {
        let start = self.begin(cancel).await;
        let end = self.agent_loop.turn(start, cancel).await;
        self.facts.tools = report::tools_called(&self.agent_loop.conversation.whole(UNANSWERED).messages());
        (end, self.finish().await)
    }

    /// Ends the agent after its hooks have judged its end. The worktree is left last.
    pub(super) async fn finish(self) -> report::Facts {
        let Self { agent_loop, wanted, hooks, servers, mut facts, .. } = self;
        drop((agent_loop, hooks));
        if let Some(servers) = servers {
            servers.close().await;
        }
        if let Some(own) = wanted.own {
            facts.left = Some(own.leave().await);
        }
        facts
    }

    /// Fires SubagentStart, and returns the first turn.
    pub(super) async fn begin(&mut self, cancel: &CancellationToken) -> TurnStart {
        let body = SubagentStart::new(self.facts.id.as_str().to_owned(), self.facts.kind.clone());
        for text in self.agent_loop.instruct_silently(cancel).await {
            self.agent_loop.remind(text);
        }
        self.preload(cancel).await;
        let started =
            self.agent_loop.shared.fire(&self.agent_loop.facts, body, &self.agent_loop.updates, cancel).await;
        for text in started.for_model() {
            self.agent_loop.remind(text);
        }
        TurnStart::Prompt(vec![Block::Text(std::mem::take(&mut self.wanted.prompt))])
    }

    /// Puts the texts of the skills that the definition names before the task.
    async fn preload(&mut self, cancel: &CancellationToken) {
        let Some(skills) = &self.skills else { return };
        let read = skills.read(&self.agent_loop.facts.session(), cancel).await;
        read.notices.into_iter().for_each(|notice| self.agent_loop.updates.notice(notice));
        read.texts.into_iter().for_each(|text| self.agent_loop.remind(text));
    }
}

/// The parts without which a subagent can't start: each may be missing.
struct Prerequisites {
    model: Arc<dyn Model>,
    seat: Option<Seat>,
    servers: Option<ConnectedServers>,
}

impl Prerequisites {
    async fn of(
        parent: &Parent,
        wanted: &SubagentOptions,
        made: &AgentParts,
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        let model = model(parent, wanted, &*made.models)?;
        let servers = made.connect_servers(&wanted.definition, &parent.toolbox, cancel).await?;
        Ok(Self { model, seat: seat(parent, wanted)?, servers })
    }
}

/// Returns the model of the call, else of the definition, else of the session.
fn model(parent: &Parent, wanted: &SubagentOptions, models: &dyn Models) -> Result<Arc<dyn Model>, String> {
    let called = ModelChoice::of(wanted.model.clone());
    let choice = if wanted.model.is_some() { &called } else { &wanted.definition.model };
    match choice {
        ModelChoice::Inherit => Ok(Arc::clone(&parent.model)),
        ModelChoice::Named(name) => models.model(Some(name)).map_err(|error| {
            format!("the agent `{}` can't have the model `{name}`: {error}", wanted.definition.name)
        }),
    }
}

/// Returns the function by which the agent reads the session's current mode.
fn mode_of(
    parent: &Parent,
    definition: &Arc<Definition>,
    hooks: &HooksOfAgent,
) -> impl Fn(becket_model::event::PermissionMode) -> becket_model::event::PermissionMode + Send + Sync + 'static
{
    let (engine, definition) = (parent.shared.engine.clone(), Arc::clone(definition));
    let grants = hooks.may_widen(&engine, &definition).grants;
    move |session| {
        mode::in_force(session, &definition, MayWiden { grants, bypass: engine.host().may_bypass().is_ok() })
    }
}

/// Returns the agent's place in the team of its session, if it is to be a teammate.
fn seat(parent: &Parent, wanted: &SubagentOptions) -> Result<Option<Seat>, String> {
    let Some(name) = &wanted.name else { return Ok(None) };
    let team =
        parent.shared.team.as_ref().ok_or("this session has no team, so an agent can't have a `name`")?;
    let session = parent.facts.session();
    let own = team.name(&session).unwrap_or_default();
    match wanted.team.as_deref().filter(|other| *other != own) {
        Some(other) => Err(format!(
            "there is no team `{}`: this session's is `{own}`",
            becket_tools::schema::brief(other)
        )),
        None => team.join(name, &wanted.id, &session).map(Some),
    }
}

fn system(definition: &Definition, facts: &Facts, seat: Option<&Seat>, memory: Option<String>) -> String {
    let mut own = format!("{}\n\nWorking directory: {}", definition.prompt, facts.cwd().display());
    if facts.worktree().is_some_and(|tree| tree == facts.cwd()) {
        own = format!("{own}\n{OWN_TREE}");
    }
    if let Some(memory) = memory {
        own = format!("{own}\n\n{memory}");
    }
    match seat {
        Some(seat) => format!("{own}\n\n{}", seat.words()),
        None => own,
    }
}

pub(super) fn fresh_id() -> AgentId {
    let id = uuid::Uuid::new_v4().simple().to_string();
    format!("a{}", id.get(..16).unwrap_or(&id)).as_str().into()
}
