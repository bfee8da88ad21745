//! The agents and skills of a session, from files, the command line and the program itself.

use super::context::RunContext;
use super::tools::ToolFactory;
use super::typed;
use crate::error::CliError;
use becket_agent::agents::{AgentTool, Agents, Definition};
use becket_agent::definitions::{Dialect, Homes, ModelChoice};
use becket_agent::session::Facts;
use becket_agent::skills::SessionSkills;
use becket_agent::tool_call::ToolCalls;
use becket_agent::update::Watch;
use becket_engine::ToolSet;
use becket_engine::config::Diagnostic;
use becket_llm::Models;
use becket_mcp::Pool;
use becket_model::Source;
use std::sync::Arc;

/// Agents and skills.
pub(super) struct AgentsAndSkills {
    pub(super) agents: AgentTool,
    pub(super) skills: SessionSkills,
    pub(super) dialect: Dialect,
    /// The agent that the session works as.
    pub(super) works_as: Option<Arc<Definition>>,
    /// The problems in their files.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl AgentsAndSkills {
    /// Reads them; a bare start only has those of the command line and the program.
    ///
    /// # Errors
    /// Errors if no agent has the name that the session is to run as, or one of the command line is invalid.
    pub(super) fn load(
        at: RunContext<'_>,
        makes: &ToolFactory,
        facts: &Facts,
        models: Arc<dyn Models>,
        servers: Option<&Pool>,
        watch: impl Watch + 'static,
    ) -> Result<Self, CliError> {
        let request = at.session.request();
        let homes = match at.args.sources.skips_files() {
            true => Homes::default(),
            false => Homes::of(&request, &makes.engine.config().plugins),
        };
        let homes_of_skills = match at.args.sources.disable_slash_commands {
            true => Homes::default(),
            false => homes.clone(),
        };
        let dialect = Dialect::of(&request);
        let loaded = Agents::load(&homes, at.args.model.agents.as_deref());
        // An error in the arguments, not in files: it is reported before anything is done.
        if let Some(wrong) =
            loaded.diagnostics.iter().find(|one| one.source == Source::Flag && one.is_error())
        {
            return Err(CliError::usage(format!("`--agents`: {}", wrong.message)));
        }
        let works_as = match &at.args.model.agent {
            Some(name) => {
                let found = loaded.agents.get(name);
                Some(Arc::clone(found.map_err(|error| CliError::usage(format!("`--agent`: {error}")))?))
            }
            None => None,
        };
        let calls = ToolCalls::new(makes.engine.clone(), ToolSet::new([makes.shell(facts)]));
        let environment = at.session.environment().clone();
        let skills = SessionSkills::builder(
            makes.engine.clone(),
            calls,
            environment,
            homes_of_skills,
            dialect.clone(),
        )
        .other_commands(typed::names().map(str::to_owned))
        .watch(watch);
        let skills = match servers {
            Some(pool) => skills.servers(pool.clone()),
            None => skills,
        };
        let (skills, of_skills) = skills.load();
        let (of_agents, tool) = (makes.clone(), skills.tool());
        let tools = move |facts: &Facts| {
            let (of_servers, _) = of_agents.of_servers();
            let calls = ToolCalls::new(of_agents.engine.clone(), ToolSet::new([of_agents.shell(facts)]));
            let skill = Arc::new(tool.with_calls(calls)) as Arc<dyn becket_engine::Tool>;
            let skill = of_agents.base.filter(vec![skill]);
            of_agents.own(facts).into_iter().chain(skill).chain(of_servers).collect()
        };
        let agents = AgentTool::new(loaded.agents, dialect.clone(), models, Arc::new(tools));
        let agents = agents.with_tasks(makes.tasks.clone()).with_team(&makes.team);
        let diagnostics = loaded.diagnostics.into_iter().chain(of_skills).collect();
        Ok(AgentsAndSkills { agents, skills, dialect, works_as, diagnostics })
    }

    /// The model of the session's agent, if the command line names none.
    pub(super) fn model(&self) -> Option<&str> {
        match &self.works_as.as_ref()?.model {
            ModelChoice::Inherit => None,
            ModelChoice::Named(name) => Some(name),
        }
    }
}
