//! The parts of a session under an engine.

use super::assembly::Assembly;
use super::definitions::Definitions;
use super::error::AssemblyError;
use super::plugins::SessionPlugins;
use super::system_prompt::SystemPrompt;
use super::tool_factory::ToolFactory;
use super::tools::SessionTools;
use crate::agent::AgentBuilder;
use crate::definitions::Homes;
use crate::facts::Facts;
use crate::instructions::Instructions;
use crate::output_style::{LoadedStyles, OutputStyles};
use crate::permission::{AutoMode, ModelClassifier};
use crate::team::Team;
use crate::update::Notice;
use crate::watch::FileWatch;
use crate::worktree::Worktrees;
use becket_engine::Engine;
use becket_llm::Model;
use becket_model::Session;
use std::sync::Arc;

/// A fully described session that is not open yet.
#[derive(Debug)]
#[non_exhaustive]
pub struct AssembledSession {
    /// The session, for the host to complete: its start and store, the user, limits.
    pub builder: AgentBuilder,
    /// The tools of the session.
    pub tools: SessionTools,
    /// The agents and skills of the session.
    pub definitions: Definitions,
    /// The plugins of the session.
    pub plugins: SessionPlugins,
    /// The output styles of the session.
    pub styles: OutputStyles,
    /// The problems found during assembly, for the user.
    pub notices: Vec<Notice>,
    /// The session's worktrees. If the session is not opened after all, [`Worktrees::abandon`] removes the one created
    /// for it.
    pub worktrees: Worktrees,
}

impl Assembly {
    /// Assembles the session under its engine, which was built with [`Assembly::engine`].
    ///
    /// # Errors
    /// Errors if an agent or the model is not available.
    pub fn session(&self, engine: &Engine) -> Result<AssembledSession, AssemblyError> {
        let start = &self.request.start;
        let facts = Facts::new(Session::new("", "", start));
        let of_facts = facts.clone();
        self.mcp_host.ready(engine.clone(), move || of_facts.session());
        let team = self.team.clone().unwrap_or_else(|| Team::without_teammates(self.private.join("own")));
        let factory = ToolFactory::new(self, engine, team);
        let homes = self.homes(engine);
        let definitions = Definitions::load(self, &factory, &facts, &homes)?;
        let tools = SessionTools::new(self, &definitions, factory, &facts);
        let plugins = SessionPlugins::new(self, &definitions, tools.clone());
        let LoadedStyles { styles, diagnostics, missing } =
            OutputStyles::load(&homes, engine.config().policy.output_style.as_deref());
        let system = SystemPrompt { style: styles.text(), ..self.system.clone() };
        let mut notices: Vec<Notice> = definitions.diagnostics.iter().map(Notice::of).collect();
        notices.extend(diagnostics.iter().map(Notice::of));
        notices.extend(missing.map(|name| {
            let known = styles.names().join("`, `");
            Notice::warning(format!(
                "there is no output style `{name}`, only `{known}`: the default one is used"
            ))
        }));
        notices.extend(definitions.unread_memory.clone());
        notices.extend(tools.refresh().into_iter().map(Notice::warning));
        let builder =
            AgentBuilder::new(engine.clone(), self.toolbox.clone(), self.model(&definitions)?, start)
                .facts(facts)
                .system(system.text(definitions.prompt(), start))
                .auto_mode(AutoMode::new(ModelClassifier::new(Arc::clone(&self.models), None)))
                .instructions(self.instructions())
                .watch_files(FileWatch::of(&self.request, &homes))
                .subagents(definitions.agents.clone())
                .expand(Arc::new(definitions.skills.clone()))
                .tasks(tools.tasks().clone())
                .mcp_host(self.mcp_host.clone())
                .permissions(tools.permissions().clone())
                .team(tools.team().clone())
                .tool_aliases(self.tool_aliases.clone());
        let builder = match &self.structured_output {
            Some(output) => builder.structured_output(output.clone()),
            None => builder,
        };
        let (builder, worktrees) = self.with_worktrees(builder, &definitions, &tools, system);
        let builder = self.working_as(builder, engine, &definitions);
        let private = self.private.clone();
        let builder =
            builder.on_close(move || Box::pin(async move { drop(std::fs::remove_dir_all(private)) }));
        Ok(AssembledSession { builder, tools, definitions, plugins, styles, notices, worktrees })
    }

    /// Returns the directories of agents and skills; a bare session has none.
    fn homes(&self, engine: &Engine) -> Homes {
        match self.bare {
            true => Homes::default(),
            false => Homes::of(&self.request, &engine.config().plugins),
        }
    }

    fn instructions(&self) -> Instructions {
        match self.bare {
            true => Instructions::default(),
            false => {
                let files = Instructions::of(&self.request);
                self.notes.iter().fold(files, |files, notes| files.with_notes(notes))
            }
        }
    }

    fn model(&self, definitions: &Definitions) -> Result<Arc<dyn Model>, AssemblyError> {
        let of_agent = definitions.model().filter(|_| !self.model_is_chosen);
        Ok(self.models.model(Some(of_agent.unwrap_or(&self.model)))?)
    }

    /// Applies the agent that the session works as, and the mode that the user has chosen.
    fn working_as(&self, builder: AgentBuilder, engine: &Engine, definitions: &Definitions) -> AgentBuilder {
        let Some(agent) = &definitions.works_as else {
            return match self.mode_is_chosen {
                true => builder.mode(engine.host().start_mode().mode.clone()),
                false => builder,
            };
        };
        let builder = builder.as_agent(agent, &definitions.dialect);
        // An agent's own mode has already been weighed against the chosen one.
        match self.mode_is_chosen && agent.permission_mode.is_none() {
            true => builder.mode(engine.host().start_mode().mode.clone()),
            false => builder,
        }
    }

    fn with_worktrees(
        &self,
        builder: AgentBuilder,
        definitions: &Definitions,
        tools: &SessionTools,
        system: SystemPrompt,
    ) -> (AgentBuilder, Worktrees) {
        let folder = self.request.profile.directory.clone().into_owned();
        let private = self.private.join("worktrees");
        let worktrees =
            Worktrees::new(self.request.environment.clone(), self.runner.clone(), folder, private);
        let builder = builder.worktrees(worktrees.clone()).worktree_tools(tools.worktrees().clone());
        let Some(name) = self.worktree.clone() else { return (builder, worktrees) };
        let prompt = definitions.prompt().map(str::to_owned);
        let builder = builder.in_worktree(name, move |place| system.text(prompt.as_deref(), place));
        (builder, worktrees)
    }
}
