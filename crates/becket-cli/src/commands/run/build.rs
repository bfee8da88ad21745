//! Builds a session from the arguments: servers, engine, and the agent under it.
//!
//! The order follows from the dependencies: servers need their host before there is an engine, and the session needs the
//! engine.

use super::begins;
use super::context::RunContext;
use super::control::{HostPerson, HostServerChanges, HostSettings, Initialize};
use super::end_tasks;
use super::last_fired::LastFired;
use super::limits;
use super::memory;
use super::model_settings;
use super::options::{structured_output, worktree_name};
use super::permission_tool::PermissionTool;
use super::printer::Printer;
use super::servers;
use super::session::Session;
use super::team;
use super::terminal::{ActiveWork, Person};
use super::typed;
use crate::args::PromptAnswerer;
use crate::commands::fire::{report_errors, started};
use crate::error::CliError;
use crate::report::run::SessionEvent;
use crate::report::style::{WARNING, plain, styled};
use crate::services::RunModels;
use crate::telemetry;
use becket_agent::assemble::{
    AssembledSession, Assembly, AssemblyError, SessionTools, SystemPrompt, ToolFilter,
};
use becket_agent::end_tasks::EndTasks;
use becket_agent::tool_call::AskPermission;
use becket_agent::transcript::{Mirror, Store};
use becket_agent::update::{Notice, Origin, Update, UpdateKind, Watch};
use becket_agent::{Agent, AgentBuilder, PreviewFormat};
use becket_base::suggest;
use becket_engine::config::{Config, Diagnostic, Severity, StopsStart};
use becket_engine::{Engine, RunEvent, Start as HowStarted};
use becket_fire::FiringError;
use becket_mcp::Pool;
use becket_mcp::config::ConfiguredServer;
use becket_model::Source;
use becket_rules::tools::known;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The variable for the format of previews in questions.
const PREVIEW_FORMAT: &str = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";

/// Opens the session.
///
/// # Errors
/// Errors if a file can't be used, the configuration forbids the start, or there is no transcript to resume. Then
/// nothing is left running.
pub(super) async fn assembled(
    at: RunContext<'_>,
    models: Arc<RunModels>,
    printer: &Printer,
) -> Result<Session, CliError> {
    let mut assembly = assembly(at, &models, printer)?;
    let found = servers::pool_of(at, &assembly.mcp_host)?;
    let (servers, hidden_servers) = found.unzip();
    assembly.servers = servers;
    if let Some(pool) = &assembly.servers {
        pool.start(at.cancel).await;
    }
    let servers = assembly.servers.clone();
    let hidden_servers = hidden_servers.unwrap_or_default();
    let opened = match permission_tool(at, servers.as_ref()) {
        Ok(permission_tool) => {
            let opening = OpeningSession { at, models, printer, assembly, hidden_servers, permission_tool };
            opening.opened().await
        }
        Err(error) => Err(error),
    };
    if let (Err(_), Some(pool)) = (&opened, servers) {
        pool.close().await;
    }
    opened
}

/// Returns the tool of a server that decides permissions, if the arguments name one.
///
/// # Errors
/// Errors if there is no such server.
fn permission_tool(
    at: RunContext<'_>,
    servers: Option<&Pool>,
) -> Result<Option<Arc<dyn AskPermission>>, CliError> {
    let is_silent = at.args.sdk.permission_prompts == Some(PromptAnswerer::None);
    match at.args.sdk.permission_prompt_tool.as_deref().filter(|name| *name != "stdio" && !is_silent) {
        None => Ok(None),
        Some(name) => {
            let tool = PermissionTool::new(name, servers);
            let wrong = |why| CliError::usage(format!("`--permission-prompt-tool`: {why}"));
            Ok(Some(Arc::new(tool.map_err(wrong)?)))
        }
    }
}

/// Returns the description of the session that the arguments define.
fn assembly(at: RunContext<'_>, models: &Arc<RunModels>, printer: &Printer) -> Result<Assembly, CliError> {
    let (args, sources) = (at.args, &at.args.sources);
    let mut assembly = Assembly::new(at.session.request(), models.clone(), models.name(), at.private);
    assembly.model_is_chosen = args.model.model.is_some();
    let permissions = &args.permissions;
    assembly.mode_is_chosen =
        permissions.permission_mode.is_some() || permissions.dangerously_skip_permissions;
    assembly.tools = ToolFilter::of(args.sdk.tools.as_deref());
    assembly.system = SystemPrompt {
        replacement: args.model.system_prompt.clone(),
        style: None,
        appendix: args.model.append_system_prompt.clone(),
    };
    assembly.agents.clone_from(&args.model.agents);
    assembly.agent.clone_from(&args.model.agent);
    assembly.bare = sources.skips_files();
    assembly.has_skills = !sources.disable_slash_commands;
    assembly.skills = at.wants.and_then(Initialize::skills).map(<[String]>::to_vec);
    assembly.tool_aliases = at.wants.into_iter().flat_map(Initialize::tool_aliases).collect();
    assembly.commands = typed::names().map(str::to_owned).collect();
    let files = sources.mcp_config.iter().filter(|given| !given.trim_start().starts_with('{'));
    assembly.protected = files.map(|file| at.session.start.join(file)).collect();
    assembly.runner = at.left.runner.clone();
    assembly.http = becket_embed::models::http(at.session.environment());
    assembly.mcp_host = servers::host(at);
    assembly.named_servers_alone = sources.strict_mcp_config || sources.skips_files();
    assembly.notes = memory::notes(at);
    assembly.questions = at.terminal.map(|terminal| Arc::new(Person::at(terminal)) as _);
    assembly.previews = preview_format(at).and_then(|name| PreviewFormat::from_name(&name));
    assembly.worktree = worktree_name(args)?;
    assembly.structured_output = structured_output(args)?;
    let program = at.around.program.as_ref().filter(|_| cfg!(target_os = "linux"));
    assembly.supervisor = program.map(|program| vec![program.into(), "supervise".into()]);
    assembly.watcher = Arc::new(printing(printer.clone()));
    Ok(assembly)
}

/// A session that is being opened.
struct OpeningSession<'a> {
    at: RunContext<'a>,
    models: Arc<RunModels>,
    printer: &'a Printer,
    assembly: Assembly,
    /// The entries of servers that have no effect.
    hidden_servers: Vec<ConfiguredServer>,
    /// The tool that decides permissions, if it belongs to a server.
    permission_tool: Option<Arc<dyn AskPermission>>,
}

/// The last answer as displayed.
type DisplayedAnswer = Arc<Mutex<Option<String>>>;

impl OpeningSession<'_> {
    async fn opened(self) -> Result<Session, CliError> {
        let fired = LastFired::default();
        let engine = self.engine(&fired)?;
        match self.open_on(&engine, fired).await {
            Ok(session) => Ok(session),
            Err(error) => {
                engine.close().await;
                Err(error)
            }
        }
    }

    async fn open_on(mut self, engine: &Engine, fired: LastFired) -> Result<Session, CliError> {
        let at = self.at;
        self.assembly.program_approver = self.person();
        self.assembly.team = Some(team::of(at, engine)?);
        let AssembledSession { builder, tools, definitions, plugins, styles, notices, worktrees, .. } =
            self.assembly.session(engine)?;
        notices.into_iter().for_each(|notice| self.notice(notice));
        let warnings = ineffective(at, &engine.config(), &definitions.diagnostics, &tools);
        let hidden = typed::hidden(&definitions.skills.skills());
        hidden.into_iter().for_each(|text| self.notice(Notice::warning(text)));
        let (displayed, end_tasks) = (DisplayedAnswer::default(), EndTasks::new(self.models.clone()));
        let turn_end = end_tasks::registered(at, &end_tasks, self.assembly.notes.as_ref(), tools.tasks());
        let builder = self.completed(builder)?;
        let builder = builder.watch(watcher(self.printer.clone(), displayed.clone()));
        let builder = builder.at_turn_end(turn_end.clone());
        if let Some(terminal) = at.terminal {
            // From here on, only the terminal thread writes to the screen.
            terminal.works(ActiveWork::Program("starting"));
        }
        let agent = open(builder, at).await;
        if agent.is_err() {
            worktrees.abandon().await;
        }
        let agent = agent?;
        model_settings::without_betas(at, &self.models).into_iter().for_each(|notice| self.notice(notice));
        limits::unpriced(at, &self.models).into_iter().for_each(|notice| self.notice(notice));
        end_tasks.opened(&agent);
        at.job.opened(&agent);
        Ok(Session {
            agent,
            tools,
            servers: self.assembly.servers,
            hidden_servers: self.hidden_servers,
            models: self.models,
            is_narrowed: definitions.works_as.is_some(),
            agents: definitions.agents,
            skills: definitions.skills,
            plugins,
            fired,
            server_changes: HostServerChanges::default(),
            host_settings: HostSettings::default(),
            end_tasks,
            takes_notes: self.assembly.notes.is_some(),
            job: at.job.clone(),
            turn_end,
            since: Instant::now(),
            displayed,
            styles,
            warnings,
            has_logged_out: AtomicBool::default(),
        })
    }

    fn engine(&self, fired: &LastFired) -> Result<Engine, CliError> {
        let at = self.at;
        let (printer, fired) = (self.printer.clone(), fired.clone());
        let mut builder = self.assembly.engine(at.session.builder(self.person().is_some()));
        builder = builder.observe(move |event: &RunEvent| {
            fired.on(event);
            printer.show(SessionEvent::Hook(Box::new(event.clone())));
        });
        if let Some(terminal) = at.terminal {
            builder = builder.ask_user(Person::at(terminal));
        }
        let sources = &at.args.sources;
        builder = match (sources.safe_mode, sources.bare) {
            (true, _) => builder.start(HowStarted::Safe),
            (false, true) => builder.start(HowStarted::Bare),
            (false, false) => builder,
        };
        let built = telemetry::observed(builder).build();
        let stop = built.as_ref().err().and_then(|error| error.config.stops_start.clone());
        let engine = started(built, at.around, at.out).map_err(|error| match stop {
            Some(StopsStart::Named { .. }) => CliError::usage(format!("`--settings`: {error}")),
            Some(StopsStart::Managed { .. } | StopsStart::Strict { .. }) | None => error,
        })?;
        if let Some(wants) = at.wants {
            wants.register(&engine, at.host)?;
            for text in wants.warnings() {
                at.out.eprint(&format!("{} {}\n", styled(WARNING, "warning:"), plain(&text)));
                self.notice(Notice::warning(text));
            }
        }
        report_errors(&engine, at.around, at.out);
        let config = engine.config();
        let withheld = config.diagnostics.iter().filter(|finding| finding.code.starts_with(typed::WITHHELD));
        withheld.for_each(|finding| self.notice(Notice::of(finding)));
        at.left.of(&engine);
        Ok(engine)
    }

    /// Applies the arguments about the session itself: which one it is, its limits, its user.
    fn completed(&self, mut builder: AgentBuilder) -> Result<AgentBuilder, CliError> {
        let (at, of, args) = (self.at, &self.at.args.session, &self.at.args.model);
        let store = begins::store(at);
        builder = builder
            .start(begins::start(of, store.as_ref(), at)?)
            .options(limits::of(at)?)
            .interactive(at.terminal.is_some());
        if let Some(window) = limits::window(at)? {
            builder = builder.window(window);
        }
        if let Some(limit) = args.max_budget_usd {
            builder = builder.budget_usd(limits::budget(limit, &self.models)?);
        }
        if let Some(person) = self.person() {
            builder = builder.person(person);
        }
        if let Some(name) = &args.fallback_model {
            builder = builder.fallback(self.models.fallback(name)?, name);
        }
        match store {
            Some(_) if at.args.sdk.no_session_persistence => {}
            Some(store) if at.args.sdk.session_mirror => builder = builder.store(self.mirrored(store)),
            Some(store) => builder = builder.store(store),
            None => self.notice(Notice::warning("there is no home directory, so this session is not stored")),
        }
        if let Some(point) = begins::rewind_point(of)? {
            builder = builder.rewind(point);
        }
        if let Some(checkpoints) = begins::checkpoints(at) {
            builder = builder.checkpoints(checkpoints);
        }
        if let Some(id) = &of.session_id {
            builder = builder.id(id);
        }
        if let Some(name) = of.name.as_ref().filter(|name| !name.trim().is_empty()) {
            builder = builder.title(name);
        }
        if let Some(trigger) = begins::setup(of) {
            builder = builder.setup(trigger);
        }
        Ok(match args.max_turns {
            Some(limit) => builder.max_turns(limit),
            None => builder,
        })
    }

    /// Mirrors what is stored to the host.
    fn mirrored(&self, store: Store) -> Store {
        let printer = self.printer.clone();
        store.mirrored(Mirror::new(move |file, line| {
            let entry: Value = serde_json::from_str(line).unwrap_or_default();
            let file = file.to_string_lossy();
            let message = json!({"type": "transcript_mirror", "filePath": file, "entries": [entry]});
            printer.show(SessionEvent::Control(Box::new(message)));
        }))
    }

    /// Returns the user to ask for permissions.
    fn person(&self) -> Option<Arc<dyn AskPermission>> {
        if self.at.args.sdk.permission_prompts == Some(PromptAnswerer::None) {
            return None;
        }
        let wanted = self.at.args.sdk.permission_prompt_tool.as_deref();
        let person: Option<Arc<dyn AskPermission>> = match (self.at.terminal, wanted, &self.permission_tool) {
            (Some(terminal), ..) => Some(Arc::new(Person::at(terminal))),
            (None, _, Some(tool)) => Some(tool.clone()),
            (None, Some(_), None) => {
                let host = self.at.host.map(|host| HostPerson::new(host.clone()));
                host.map(|host| Arc::new(host) as Arc<dyn AskPermission>)
            }
            (None, None, None) => None,
        };
        person.map(|person| self.at.job.waits_for(person))
    }

    fn notice(&self, notice: Notice) {
        printing(self.printer.clone()).on(&Update { of: Origin::Main, what: UpdateKind::Notice(notice) });
    }
}

/// Returns the descriptions of everything that was given and has no effect, or not the one that it seems to have. Those
/// that are not printed elsewhere are printed to stderr as well.
fn ineffective(
    at: RunContext<'_>,
    config: &Config,
    of_definitions: &[Diagnostic],
    tools: &SessionTools,
) -> Vec<String> {
    let is_given = |one: &&Diagnostic| one.source == Source::Flag && one.severity != Severity::Note;
    let is_printed = |one: &&Diagnostic| config.notices().any(|printed| std::ptr::eq(printed, *one));
    let (printed, other): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        config.diagnostics.iter().filter(is_given).partition(is_printed);
    let of_agents = of_definitions.iter().filter(is_given).filter(|one| one.code == "not-supported");
    let unprinted: Vec<String> = of_agents
        .map(|one| one.message.clone())
        .chain(tools.unmatched_names().iter().map(|name| no_tool(name)))
        .chain(at.session.permissions.unknown_tools())
        .chain(other.into_iter().map(finding))
        .chain(unknown_preview_format(at))
        .collect();
    for text in &unprinted {
        at.out.eprint(&format!("{} {}\n", styled(WARNING, "warning:"), plain(text)));
    }
    let of_arguments = at.args.sdk.mute.present().map(|name| format!("`{name}` has no effect here"));
    let of_host = at.wants.into_iter().flat_map(Initialize::warnings);
    of_arguments.chain(of_host).chain(unprinted).chain(printed.into_iter().map(finding)).collect()
}

/// Returns the format of previews in questions, which SDKs send as a variable (`toolConfig`).
fn preview_format(at: RunContext<'_>) -> Option<String> {
    let format = at.around.var(PREVIEW_FORMAT)?.to_string_lossy().into_owned();
    Some(format).filter(|format| !format.is_empty())
}

/// Returns the warning about an unknown format of previews.
fn unknown_preview_format(at: RunContext<'_>) -> Option<String> {
    let format = preview_format(at).filter(|format| PreviewFormat::from_name(format).is_none())?;
    Some(format!("`{PREVIEW_FORMAT}={format}` has no effect here: write `markdown` or `html`"))
}

/// Returns the warning about a name in `--tools` that no tool has; a tool of another agent is not misspelt.
fn no_tool(name: &str) -> String {
    let near = suggest(name, known()).filter(|_| !known().contains(&name));
    let near = near.map(|near| format!("; did you mean `{near}`?"));
    format!("`--tools`: there is no tool `{name}` here{}", near.unwrap_or_default())
}

/// Describes a finding about settings or rules of the caller. Lines of an argument mean nothing to its author.
fn finding(one: &Diagnostic) -> String {
    let file = one.file.display().to_string();
    format!("`{}`: {}", file.trim_matches(['<', '>']), one.message)
}

async fn open(builder: AgentBuilder, at: RunContext<'_>) -> Result<Agent, CliError> {
    tokio::select! {
        opened = builder.open() => opened.map_err(|error| begins::not_opened(&error, begins::store(at).as_ref(), at)),
        () = at.cancel.cancelled() => Err(FiringError::Interrupted.into()),
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

impl From<AssemblyError> for CliError {
    fn from(error: AssemblyError) -> Self {
        match error {
            AssemblyError::InvalidAgents(why) => CliError::usage(format!("`--agents`: {why}")),
            AssemblyError::UnknownAgent(why) => CliError::usage(format!("`--agent`: {why}")),
            AssemblyError::NoModel(why) => CliError::NoModel { why: why.to_string() },
        }
    }
}
