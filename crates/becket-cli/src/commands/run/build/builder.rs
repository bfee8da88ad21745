//! The agent of a run, built from its arguments and files.

use super::{DisplayedAnswer, SessionParts, watcher};
use crate::commands::run::agents_and_skills::AgentsAndSkills;
use crate::commands::run::tools::ToolFactory;
use crate::commands::run::{begins, limits, system};
use crate::error::CliError;
use becket_agent::AgentBuilder;
use becket_agent::definitions::Homes;
use becket_agent::instructions::Instructions;
use becket_agent::permission::{AutoMode, ModelClassifier};
use becket_agent::update::Notice;
use becket_agent::watch::FileWatch;
use becket_engine::{Engine, ToolSet};
use becket_llm::{Model, Models};
use std::sync::Arc;

impl SessionParts<'_> {
    pub(super) fn builder(
        &self,
        engine: &Engine,
        toolbox: ToolSet,
        own: &AgentsAndSkills,
    ) -> Result<AgentBuilder, CliError> {
        let at = self.at;
        let (of, args) = (&at.args.session, &at.args.model);
        let store = begins::store(at);
        let prompt = own.works_as.as_ref().map(|agent| agent.prompt.as_str());
        let models: Arc<dyn Models> = self.models.clone();
        let options = limits::of(at)?;
        let mut builder = AgentBuilder::new(engine.clone(), toolbox, self.model(own)?, &at.session.start)
            .start(begins::start(of, store.as_ref(), at)?)
            .options(options)
            .window(limits::window(at)?)
            .system(system::prompt(args, prompt, &at.session.start))
            .auto_mode(AutoMode::new(ModelClassifier::new(models, None)))
            .instructions(self.instructions())
            .watch_files(self.watched(engine))
            .subagents(own.agents.clone())
            .interactive(at.terminal.is_some())
            .expand(Arc::new(own.skills.clone()));
        if let Some(person) = self.person() {
            builder = builder.person(person);
        }
        if let Some(name) = &args.fallback_model {
            builder = builder.fallback(self.models.fallback(name)?, name);
        }
        match store {
            Some(_) if at.args.sdk.no_session_persistence => {}
            Some(store) => builder = builder.store(store),
            None => self.notice(Notice::warning("there is no home directory, so this session is not stored")),
        }
        Ok(self.as_wanted(builder, engine, own))
    }

    /// Adds the services of the session.
    pub(super) fn with_services(
        &self,
        builder: AgentBuilder,
        makes: &ToolFactory,
        displayed: &DisplayedAnswer,
    ) -> AgentBuilder {
        let private = self.at.private.to_owned();
        builder
            .tasks(makes.tasks.clone())
            .mcp_host(self.host.clone())
            .permissions(makes.permissions.clone())
            .team(makes.team.clone())
            .watch(watcher(self.printer.clone(), displayed.clone()))
            .on_close(move || Box::pin(async move { drop(std::fs::remove_dir_all(private)) }))
    }

    /// Applies the arguments about the session itself.
    fn as_wanted(&self, mut builder: AgentBuilder, engine: &Engine, own: &AgentsAndSkills) -> AgentBuilder {
        let args = self.at.args;
        let (of, permissions) = (&args.session, &args.permissions);
        if let Some(id) = &of.session_id {
            builder = builder.id(id);
        }
        if let Some(name) = of.name.as_ref().filter(|name| !name.trim().is_empty()) {
            builder = builder.title(name);
        }
        if let Some(trigger) = begins::setup(of) {
            builder = builder.setup(trigger);
        }
        if let Some(limit) = args.model.max_turns {
            builder = builder.max_turns(limit);
        }
        if let Some(agent) = &own.works_as {
            builder = builder.as_agent(agent, &own.dialect);
        }
        // The arguments override the mode in which the session ended; an agent's own mode has been taken into account
        // with it.
        let weighed = own.works_as.as_ref().is_some_and(|agent| agent.permission_mode.is_some());
        let said = permissions.permission_mode.is_some() || permissions.dangerously_skip_permissions;
        if said && !weighed {
            builder = builder.mode(engine.start_mode().mode.clone());
        }
        builder
    }

    /// Adds settings, and the skills that a bare start does not load.
    fn watched(&self, engine: &Engine) -> FileWatch {
        let request = self.at.session.request();
        let homes = match self.at.args.sources.skips_files() {
            true => Homes::default(),
            false => Homes::of(&request, &engine.config().plugins),
        };
        FileWatch::of(&request, &homes)
    }

    /// Adds the files that a bare start does not load.
    fn instructions(&self) -> Instructions {
        match self.at.args.sources.skips_files() {
            true => Instructions::default(),
            false => {
                let files = Instructions::of(&self.at.session.request());
                self.notes.iter().fold(files, |files, notes| files.with_notes(notes))
            }
        }
    }

    fn model(&self, own: &AgentsAndSkills) -> Result<Arc<dyn Model>, CliError> {
        let of_agent = own.model().filter(|_| self.at.args.model.model.is_none());
        let name = of_agent.unwrap_or(self.models.name());
        self.models.model(Some(name)).map_err(|error| CliError::NoModel { why: error.to_string() })
    }
}
