//! The tools of an agent, for the main session and for its subagents.

use super::assembly::Assembly;
use super::protected_files::protected_files;
use super::tool_filter::ToolFilter;
use crate::ask_user::{AskQuestions, AskUserQuestion, PreviewFormat};
use crate::facts::Facts;
use crate::team::{Team, team_tools};
use crate::tool_call::{ProgramJudge, ToolCalls};
use crate::update::{Origin, Update, UpdateKind};
use becket_engine::config::Request;
use becket_engine::{Engine, Tool, ToolSet};
use becket_tools::mcp::McpServers;
use becket_tools::shell::{Bash, ProgramSupervision, Whereabouts};
use becket_tools::tasks::{TaskInfo, TaskOptions, TaskOutput, TaskStop, Tasks};
use becket_tools::web_fetch::WebFetch;
use becket_tools::{Surroundings, file_tools};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes the tools of an agent.
#[derive(Clone)]
pub(super) struct ToolFactory {
    pub(super) engine: Engine,
    pub(super) filter: ToolFilter,
    pub(super) tasks: Tasks,
    pub(super) team: Team,
    surroundings: Surroundings,
    request: Request,
    web: WebFetch,
    servers: Option<McpServers>,
    questions: Option<Arc<dyn AskQuestions>>,
    previews: Option<PreviewFormat>,
}

impl ToolFactory {
    pub(super) fn new(assembly: &Assembly, engine: &Engine, team: Team) -> Self {
        let private = &assembly.private;
        let servers = assembly.servers.as_ref();
        Self {
            engine: engine.clone(),
            filter: assembly.tools.clone(),
            tasks: Tasks::with_options(private.join("tasks"), task_options(assembly)),
            team,
            surroundings: surroundings(assembly, engine),
            request: assembly.request.clone(),
            web: WebFetch::new().with_http(assembly.http.clone()).with_models(Arc::clone(&assembly.models)),
            servers: servers.map(|pool| McpServers::new(pool.clone(), private.join("mcp"))),
            questions: assembly.questions.clone(),
            previews: assembly.previews,
        }
    }

    /// Returns all tools that an agent may have, except those of servers.
    pub(super) fn tools(&self, facts: &Facts) -> Vec<Arc<dyn Tool>> {
        let mut ask = AskUserQuestion::new();
        if let Some(user) = &self.questions {
            ask = ask.with_user(Arc::clone(user));
        }
        if let Some(format) = self.previews {
            ask = ask.with_previews(format);
        }
        let mut tools = vec![self.shell(facts)];
        tools.extend(file_tools(self.surroundings.clone()));
        tools.push(Arc::new(self.web.clone()));
        tools.push(Arc::new(ask));
        tools.push(Arc::new(TaskOutput::new(self.tasks.clone())));
        tools.push(Arc::new(TaskStop::new(self.tasks.clone())));
        tools.extend(team_tools(&self.team, &self.engine));
        self.filter.filter(tools)
    }

    /// Protects the files of plugins and the scripts of hooks that were added since the start; those of earlier ones
    /// stay protected.
    pub(super) fn protect_files(&self) {
        self.surroundings.protect(protected_files(&self.engine, &self.request));
    }

    /// Returns the calls that skills may make, which are command lines.
    pub(super) fn calls(&self, facts: &Facts) -> ToolCalls {
        ToolCalls::new(self.engine.clone(), ToolSet::new([self.shell(facts)]))
    }

    /// Returns the current tools of servers and for their resources, and the problems with their names.
    pub(super) fn of_servers(&self) -> (Vec<Arc<dyn Tool>>, Vec<String>) {
        let Some(servers) = &self.servers else { return (Vec::new(), Vec::new()) };
        let found = servers.tools();
        let of_resources = self.filter.filter(servers.resource_tools(&self.surroundings));
        let tools = found.tools.into_iter().chain(of_resources).collect();
        (tools, found.warnings.iter().map(ToString::to_string).collect())
    }

    /// Returns a shell in the directory of an agent.
    fn shell(&self, facts: &Facts) -> Arc<dyn Tool> {
        let root = self.request.start.clone();
        let shell = ShellEnvironment { facts: facts.clone(), root, engine: self.engine.clone() };
        Arc::new(Bash::new(self.surroundings.clone(), self.tasks.clone(), Arc::new(shell)))
    }
}

/// The reason why a command line is not run if no supervisor can restrict its rights.
const NO_SUPERVISOR: &str = "the settings enable `sandbox`, and there is no supervisor here that could enforce it: the line was not run";

/// Returns the environment of tools under an engine, with the files that they may not edit without a prompt.
fn surroundings(assembly: &Assembly, engine: &Engine) -> Surroundings {
    let (of_files, of_places) = (engine.clone(), engine.clone());
    let (of_reads, of_rules, of_settings) = (engine.clone(), engine.clone(), engine.clone());
    let (of_texts, private) = (engine.clone(), assembly.private.clone());
    let protected = protected_files(engine, &assembly.request);
    let protected = protected.into_iter().chain(assembly.own_directory.clone());
    let surroundings = protected
        .chain(assembly.protected.iter().cloned())
        .fold(Surroundings::new(assembly.request.environment.clone()), Surroundings::with_protected);
    let of_sandbox = engine.clone();
    let surroundings = surroundings.with_unsupervised(move || match of_sandbox.config().sandbox.lines {
        None => Ok(()),
        Some(_) => Err(NO_SUPERVISOR.to_owned()),
    });
    let surroundings = with_programs(surroundings, assembly, engine);
    surroundings
        .with_runner(assembly.runner.clone())
        .with_env_files(move |session| of_files.host().env_files(session))
        .with_more_directories(move |_| of_places.host().directories())
        .with_denied_reads(move |session, path| of_reads.host().denies_read(session, path).is_some())
        .with_readable(move |session| {
            let own = [private.join("tasks"), private.join("mcp")];
            of_texts.host().long_texts(&session.id).into_iter().chain(own).collect()
        })
        .with_kept_processes(move || of_settings.config().policy.keep_processes.clone())
        .while_reads_are_denied(move || of_rules.host().may_deny_reads())
}

/// Adds the supervision of a command line's programs, if the host has a supervisor (E1).
fn with_programs(surroundings: Surroundings, assembly: &Assembly, engine: &Engine) -> Surroundings {
    let Some((program, arguments)) = assembly.supervisor.as_ref().and_then(|command| command.split_first())
    else {
        return surroundings;
    };
    let mut calls = ToolCalls::new(engine.clone(), assembly.toolbox.clone());
    if let Some(person) = &assembly.program_approver {
        calls = calls.with_person(Arc::clone(person));
    }
    let watcher = Arc::clone(&assembly.watcher);
    let guard = Arc::new(ProgramJudge::new(calls, move |update: &Update| watcher.on(update)));
    surroundings.with_programs(ProgramSupervision {
        program: program.into(),
        arguments: arguments.to_vec(),
        guard,
    })
}

/// Returns the options of background tasks, which report their start and end.
fn task_options(assembly: &Assembly) -> TaskOptions {
    let watcher = Arc::clone(&assembly.watcher);
    let tell = move |task: &TaskInfo| {
        let (id, status) = (task.id.to_string(), task.status.name().to_owned());
        let (description, output_file) = (task.description.clone(), task.output_file.clone());
        let kind = task.kind.clone();
        let what = UpdateKind::Task { id, status, kind, description, output_file };
        watcher.on(&Update { of: Origin::Main, what });
    };
    TaskOptions { observer: Some(Arc::new(tell)), ..TaskOptions::default() }
}

/// The directory and environment of a shell.
struct ShellEnvironment {
    facts: Facts,
    root: PathBuf,
    engine: Engine,
}

impl Whereabouts for ShellEnvironment {
    fn root(&self) -> PathBuf {
        self.facts.worktree().unwrap_or_else(|| self.root.clone())
    }

    fn directories(&self) -> Vec<PathBuf> {
        self.engine.host().directories()
    }

    fn moved(&self, _from: &Path, to: &Path) {
        self.facts.set_cwd(to.to_owned());
    }
}
