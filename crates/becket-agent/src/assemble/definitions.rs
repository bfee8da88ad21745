//! The agents and skills of a session, from files and the host.

use super::assembly::Assembly;
use super::error::AssemblyError;
use super::tool_factory::ToolFactory;
use crate::agents::{AgentMemory, AgentTool, Agents, Definition, MemoryHomes, OwnServers, SkillTexts};
use crate::definitions::{Dialect, Homes, ModelChoice};
use crate::facts::Facts;
use crate::skills::SessionSkills;
use crate::update::{Notice, Update};
use becket_engine::Tool;
use becket_engine::config::{Diagnostic, Request};
use becket_model::Source;
use std::sync::Arc;

/// Agents and skills.
#[derive(Debug)]
#[non_exhaustive]
pub struct Definitions {
    /// The tool that starts agents.
    pub agents: AgentTool,
    /// The skills.
    pub skills: SessionSkills,
    /// The agent that the session works as.
    pub works_as: Option<Arc<Definition>>,
    /// The problems in the definition files.
    pub diagnostics: Vec<Diagnostic>,
    pub(super) dialect: Dialect,
    /// The prompt of the agent that the session works as.
    prompt: Option<String>,
    /// The reason why the agent's memory is not in the prompt, if it has one.
    pub(super) unread_memory: Option<Notice>,
}

impl Definitions {
    /// Reads the agents and skills below these homes.
    ///
    /// # Errors
    /// Errors if there is no agent with the name that the session is to work as, or one of the host's own is invalid.
    pub(super) fn load(
        assembly: &Assembly,
        factory: &ToolFactory,
        facts: &Facts,
        homes: &Homes,
    ) -> Result<Self, AssemblyError> {
        let dialect = Dialect::of(&assembly.request);
        let loaded = Agents::load(homes, assembly.agents.as_deref());
        // An error in the host's agents, not in files, is reported before anything is done.
        if let Some(wrong) =
            loaded.diagnostics.iter().find(|one| one.source == Source::Flag && one.is_error())
        {
            return Err(AssemblyError::InvalidAgents(wrong.message.clone()));
        }
        let works_as = match &assembly.agent {
            Some(name) => Some(Arc::clone(loaded.agents.get(name).map_err(AssemblyError::UnknownAgent)?)),
            None => None,
        };
        let (skills, of_skills) = skills(assembly, factory, facts, homes, &dialect);
        let (of_agents, tool) = (factory.clone(), skills.tool());
        let (of_skills_calls, preloaded) = (factory.clone(), skills.tool());
        let tools = move |facts: &Facts| {
            let skill = Arc::new(tool.with_calls(of_agents.calls(facts))) as Arc<dyn Tool>;
            let skill = of_agents.filter.filter(vec![skill]);
            let (of_servers, _) = of_agents.of_servers();
            of_agents.tools(facts).into_iter().chain(skill).chain(of_servers).collect()
        };
        let models = Arc::clone(&assembly.models);
        let agents = AgentTool::new(loaded.agents, dialect.clone(), models, Arc::new(tools));
        let memories = memories(&assembly.request);
        let agents = agents
            .with_skills(Arc::new(move |facts| {
                Arc::new(preloaded.with_calls(of_skills_calls.calls(facts))) as Arc<dyn SkillTexts>
            }))
            .with_memories(memories.clone())
            .with_own_servers(own_servers(assembly))
            .with_tasks(factory.tasks.clone())
            .with_team(&factory.team);
        let diagnostics = loaded.diagnostics.into_iter().chain(of_skills).collect();
        let (prompt, unread_memory) =
            works_as.as_ref().map(|agent| prompt(agent, factory, facts, &memories)).unzip();
        Ok(Self {
            agents,
            skills,
            works_as,
            diagnostics,
            dialect,
            prompt,
            unread_memory: unread_memory.flatten(),
        })
    }

    /// Returns the model that the session's agent names.
    pub(super) fn model(&self) -> Option<&str> {
        match &self.works_as.as_ref()?.model {
            ModelChoice::Inherit => None,
            ModelChoice::Named(name) => Some(name),
        }
    }

    /// Returns the prompt of the session's agent.
    pub(super) fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref()
    }
}

/// Returns the prompt of the session's agent, and the reason why its memory is not included, if it has one.
fn prompt(
    agent: &Definition,
    factory: &ToolFactory,
    facts: &Facts,
    memories: &MemoryHomes,
) -> (String, Option<Notice>) {
    match AgentMemory::of(agent, memories) {
        Some(memory) => {
            let (memory, unread) = memory.prompt(&factory.engine, &facts.session());
            (format!("{}\n\n{memory}", agent.prompt), unread)
        }
        None => (agent.prompt.clone(), None),
    }
}

/// Returns the settings for connecting the MCP servers of agents.
fn own_servers(assembly: &Assembly) -> OwnServers {
    OwnServers {
        request: assembly.request.clone(),
        host: Arc::new(assembly.mcp_host.clone()),
        session: assembly.servers.clone(),
        named_alone: assembly.named_servers_alone,
        directory: assembly.private.join("mcp"),
    }
}

/// Returns the settings directories that contain the memories of agents.
fn memories(request: &Request) -> MemoryHomes {
    let project = request.start.join(&*request.profile.directory);
    MemoryHomes { user: request.user_directory(), project: Some(project) }
}

fn skills(
    assembly: &Assembly,
    factory: &ToolFactory,
    facts: &Facts,
    homes: &Homes,
    dialect: &Dialect,
) -> (SessionSkills, Vec<Diagnostic>) {
    let homes = if assembly.has_skills { homes.clone() } else { Homes::default() };
    let watcher = Arc::clone(&assembly.watcher);
    let builder = SessionSkills::builder(
        factory.engine.clone(),
        factory.calls(facts),
        assembly.request.environment.clone(),
        homes,
        dialect.clone(),
    )
    .other_commands(assembly.commands.iter().cloned())
    .watch(move |update: &Update| watcher.on(update));
    let builder = match &assembly.skills {
        Some(names) => builder.only(names.iter().cloned()),
        None => builder,
    };
    match &assembly.servers {
        Some(pool) => builder.servers(pool.clone()).load(),
        None => builder.load(),
    }
}
