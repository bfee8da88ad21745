//! The tools of a run, and their factory.

use super::{SessionParts, printing};
use crate::commands::run::agents_and_skills::AgentsAndSkills;
use crate::commands::run::protected_files::surroundings;
use crate::commands::run::terminal::Person;
use crate::commands::run::tool_filter::ToolFilter;
use crate::commands::run::tools::{SessionTools, ToolFactory};
use crate::commands::run::{begins, team};
use crate::error::CliError;
use becket_agent::permission::SessionPermissions;
use becket_agent::session::Facts;
use becket_agent::session::WorktreeTools;
use becket_agent::update::{Origin, Update, UpdateKind, Watch};
use becket_engine::{Engine, Tool, ToolSet};
use becket_llm::Models;
use becket_tools::mcp::McpServers;
use becket_tools::tasks::{TaskInfo, TaskOptions, Tasks};
use becket_tools::web_fetch::WebFetch;
use std::sync::Arc;

impl SessionParts<'_> {
    pub(super) fn tool_factory(&self, engine: &Engine) -> Result<ToolFactory, CliError> {
        let (session, private) = (self.at.session, self.at.private);
        let (of_files, of_places) = (engine.clone(), engine.clone());
        let (of_reads, of_rules, of_settings) = (engine.clone(), engine.clone(), engine.clone());
        let (of_texts, of_session) = (engine.clone(), private.to_path_buf());
        let host = surroundings(self.at, engine)
            .with_runner(self.at.left.runner.clone())
            .with_env_files(move |session| of_files.env_files(session))
            .with_more_directories(move |_| of_places.directories())
            .with_denied_reads(move |session, path| of_reads.denies_read(session, path).is_some())
            .with_readable(move |session| {
                let own = [of_session.join("tasks"), of_session.join("mcp")];
                of_texts.long_texts(&session.id).into_iter().chain(own).collect()
            })
            .with_kept_processes(move || of_settings.config().policy.keep_processes.clone())
            .while_reads_are_denied(move || of_rules.may_deny_reads());
        let models: Arc<dyn Models> = self.models.clone();
        let http = becket_embed::models::http(&crate::session::environment(self.at.around));
        Ok(ToolFactory {
            engine: engine.clone(),
            host,
            root: session.start.clone(),
            tasks: Tasks::with_options(private.join("tasks"), self.task_options()),
            web: WebFetch::new().with_http(http).with_models(models),
            servers: self.servers.as_ref().map(|pool| McpServers::new(pool.clone(), private.join("mcp"))),
            permissions: SessionPermissions::new(engine.clone()),
            person: self.at.terminal.map(Person::at),
            worktrees: WorktreeTools::new(),
            base: ToolFilter::of(self.at.args.sdk.tools.as_deref()),
            team: team::of(self.at, engine)?,
        })
    }

    pub(super) fn tools(
        &self,
        own: &AgentsAndSkills,
        makes: ToolFactory,
        facts: &Facts,
        toolbox: ToolSet,
    ) -> SessionTools {
        let mut tools: Vec<Arc<dyn Tool>> = makes.own(facts);
        tools.push(Arc::new(own.agents.clone()));
        tools.push(Arc::new(own.skills.tool()));
        tools.extend(makes.worktrees.tools());
        if let Some(directory) = begins::own_directory(self.at) {
            let file = directory.join("plans").join(format!("{}.md", uuid::Uuid::new_v4()));
            tools.push(makes.plan(facts, file));
        }
        SessionTools { toolbox, own: makes.base.filter(tools).into(), makes }
    }

    /// Returns the options of background tasks, which report their start and end.
    fn task_options(&self) -> TaskOptions {
        let printer = printing(self.printer.clone());
        let tell = move |task: &TaskInfo| {
            let (id, status) = (task.id.to_string(), task.status.name().to_owned());
            let (description, output_file) = (task.description.clone(), task.output_file.clone());
            let what = UpdateKind::Task { id, status, description, output_file };
            printer.on(&Update { of: Origin::Main, what });
        };
        TaskOptions { observer: Some(Arc::new(tell)), ..TaskOptions::default() }
    }
}
