//! Builds a session: engine, servers, tools, and the agent that uses them.
//!
//! The order follows from the dependencies: servers need their host before there is an engine, the engine needs the
//! toolbox before it contains tools, and tools need the engine.

mod builder;
mod tool_factory;

use super::agents_and_skills::AgentsAndSkills;
use super::at_end::AtEnd;
use super::begins;
use super::context::RunContext;
use super::control::{HostPerson, HostServerChanges};
use super::last_fired::LastFired;
use super::memory;
use super::printer::Printer;
use super::servers;
use super::session::Session;
use super::terminal::{ActiveWork, Person};
use super::typed;
use super::worktree;
use crate::commands::fire::{report_errors, started};
use crate::error::CliError;
use crate::report::run::SessionEvent;
use crate::services::RunModels;
use crate::telemetry;
use becket_agent::elicit::McpHost;
use becket_agent::notes::Notes;
use becket_agent::session::Facts;
use becket_agent::tool_call::AskPermission;
use becket_agent::update::{Happened, Notice, Origin, Update, Watch};
use becket_engine::{Engine, RunEvent, Start as HowStarted, ToolSet};
use becket_llm::Models;
use becket_mcp::Pool;
use becket_mcp::config::ConfiguredServer;
use becket_model::Session as Words;
use becket_tools::configured_hook_tools;
use becket_tools::mcp::HookCalls;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Opens it.
///
/// # Errors
/// Errors if a file can't be used, the configuration forbids the start, or there is no transcript to resume. Then
/// nothing is left running.
pub(super) async fn assembled(
    at: RunContext<'_>,
    models: Arc<RunModels>,
    printer: &Printer,
) -> Result<Session, CliError> {
    let host = servers::host(at);
    let (servers, hidden_servers) = servers::pool_of(at, &host)?.unzip();
    if let Some(pool) = &servers {
        pool.start(at.cancel).await;
    }
    let hidden_servers = hidden_servers.unwrap_or_default();
    let fired = LastFired::default();
    let parts = SessionParts {
        at,
        models,
        printer,
        host,
        servers: servers.clone(),
        hidden_servers,
        fired,
        notes: memory::notes(at),
    };
    let made = parts.opened().await;
    if let (Err(_), Some(pool)) = (&made, servers) {
        pool.close().await;
    }
    made
}

/// The parts that form a session.
struct SessionParts<'a> {
    at: RunContext<'a>,
    models: Arc<RunModels>,
    printer: &'a Printer,
    host: McpHost,
    servers: Option<Pool>,
    /// Entries of servers without effect.
    hidden_servers: Vec<ConfiguredServer>,
    fired: LastFired,
    /// The notes of earlier sessions, and those for later ones.
    notes: Option<Notes>,
}

/// The last answer as displayed.
type DisplayedAnswer = Arc<Mutex<Option<String>>>;

impl SessionParts<'_> {
    async fn opened(self) -> Result<Session, CliError> {
        let toolbox = ToolSet::default();
        let engine = self.engine(&toolbox)?;
        match self.open_on(&engine, toolbox).await {
            Ok(session) => Ok(session),
            Err(error) => {
                engine.close().await;
                Err(error)
            }
        }
    }

    async fn open_on(self, engine: &Engine, toolbox: ToolSet) -> Result<Session, CliError> {
        let at = self.at;
        let facts = Facts::new(Words::new("", "", &at.session.start));
        let of_facts = facts.clone();
        self.host.ready(engine.clone(), move || of_facts.session());
        let makes = self.tool_factory(engine)?;
        let models: Arc<dyn Models> = self.models.clone();
        let own = AgentsAndSkills::load(
            at,
            &makes,
            &facts,
            models,
            self.servers.as_ref(),
            printing(self.printer.clone()),
        )?;
        own.diagnostics.iter().for_each(|diagnostic| self.notice(Notice::of(diagnostic)));
        typed::hidden(&own.skills.skills()).into_iter().for_each(|text| self.notice(Notice::warning(text)));
        let tools = self.tools(&own, makes, &facts, toolbox.clone());
        tools.refresh().into_iter().for_each(|warning| self.notice(Notice::warning(warning)));
        let displayed = DisplayedAnswer::default();
        let builder = self.builder(engine, toolbox, &own)?.facts(facts);
        let builder = self.with_services(builder, &tools.makes, &displayed);
        let at_end = AtEnd::new(self.models.clone(), self.notes.clone());
        let turn_end = at_end.tasks(at, &tools.makes.tasks);
        let builder = builder.at_turn_end(turn_end.clone());
        let (builder, worktrees) =
            worktree::with_worktrees(builder, at, own.works_as.as_deref(), tools.makes.worktrees.clone())?;
        if let Some(terminal) = at.terminal {
            // From here on only the terminal thread writes to the screen.
            terminal.works(ActiveWork::Program("starting"));
        }
        let agent = tokio::select! {
            opened = builder.open() => opened.map_err(|error| begins::not_opened(&error, begins::store(at).as_ref(), at)),
            () = at.cancel.cancelled() => Err(CliError::Interrupted),
        };
        let agent = worktree::or_abandoned(agent, &worktrees).await?;
        at_end.late.opened(&agent);
        at.job.opened(&agent);
        let AgentsAndSkills { agents, skills, works_as, .. } = own;
        let (servers, models) = (self.servers, self.models);
        let (hidden_servers, fired) = (self.hidden_servers, self.fired);
        Ok(Session {
            agent,
            tools,
            servers,
            hidden_servers,
            models,
            agents,
            skills,
            fired,
            server_changes: HostServerChanges::default(),
            at_end,
            job: at.job.clone(),
            turn_end,
            since: Instant::now(),
            displayed,
            is_narrowed: works_as.is_some(),
            has_logged_out: AtomicBool::default(),
        })
    }

    fn engine(&self, toolbox: &ToolSet) -> Result<Engine, CliError> {
        let at = self.at;
        let (printer, fired) = (self.printer.clone(), self.fired.clone());
        let mut builder = at.session.builder(self.person().is_some()).tools(toolbox.clone());
        builder = builder.agent_tools(configured_hook_tools(at.session.environment().clone()));
        builder = builder.models(self.models.clone()).session_dir(at.private.join("hooks"));
        builder = builder.observe(move |event: &RunEvent| {
            fired.on(event);
            printer.show(SessionEvent::Hook(Box::new(event.clone())));
        });
        if let Some(pool) = &self.servers {
            builder = builder.mcp_tools(HookCalls::new(pool.clone()));
        }
        if let Some(terminal) = at.terminal {
            builder = builder.ask_user(Person::at(terminal));
        }
        let sources = &at.args.sources;
        builder = match (sources.safe_mode, sources.bare) {
            (true, _) => builder.start(HowStarted::Safe),
            (false, true) => builder.start(HowStarted::Bare),
            (false, false) => builder,
        };
        let engine = started(telemetry::observed(builder).build(), at.around, at.out)?;
        if let Some(wants) = at.wants {
            wants.register(&engine, at.host)?;
            wants.warnings().for_each(|text| self.notice(Notice::warning(text)));
        }
        report_errors(&engine, at.around, at.out);
        let config = engine.config();
        let withheld = config.diagnostics.iter().filter(|finding| finding.code.starts_with(typed::WITHHELD));
        withheld.for_each(|finding| self.notice(Notice::of(finding)));
        at.left.of(&engine);
        Ok(engine)
    }

    /// Returns the user to ask for permissions.
    fn person(&self) -> Option<Arc<dyn AskPermission>> {
        let is_wanted = self.at.args.sdk.permission_prompt_tool.is_some();
        let host = self.at.host.filter(|_| is_wanted).map(|host| HostPerson::new(host.clone()));
        let person: Option<Arc<dyn AskPermission>> = match self.at.terminal {
            Some(terminal) => Some(Arc::new(Person::at(terminal))),
            None => host.map(|host| Arc::new(host) as Arc<dyn AskPermission>),
        };
        person.map(|person| self.at.job.waits_for(person))
    }

    fn notice(&self, notice: Notice) {
        printing(self.printer.clone()).on(&Update { of: Origin::Main, what: UpdateKind::Notice(notice) });
    }
}

fn printing(printer: Printer) -> impl Watch + 'static {
    move |update: &Update| printer.show(SessionEvent::Update(Box::new(update.clone())))
}

/// Passes updates to the printer, and records the last answer as displayed.
fn watcher(printer: Printer, displayed: DisplayedAnswer) -> impl Watch + 'static {
    let shows = printing(printer);
    move |update: &Update| {
        if let (Origin::Main, UpdateKind::Answered { displayed: text, .. }) = (&update.of, &update.what) {
            displayed.lock().unwrap_or_else(PoisonError::into_inner).clone_from(text);
        }
        shows.on(update);
    }
}
