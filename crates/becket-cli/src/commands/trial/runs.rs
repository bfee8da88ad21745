//! The runs of a trial: one whose calls are denied, one whose prompt is blocked.

use super::canary::{ALLOWED, CanaryProject, FORBIDDEN, Guard, GuardResult};
use super::{Trial, TrialReport};
use crate::commands::agent_version::version_in;
use crate::trust;
use becket_engine::config::Request;
use becket_engine::{Environment, Profile};
use becket_install::{AgentConfig, Installation, Places, Records, Scope, agent, install};
use becket_model::EventKind;
use becket_proof::{AgentDriver, AgentRun, Launch, ModelRequest, ModelServer, RunEnd, Script, driver};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time limit for the version query.
const VERSION_LIMIT: Duration = Duration::from_secs(20);
/// The length limit of an agent's last output, in characters.
const LAST_WORDS: usize = 300;

/// Runs the trial.
pub(super) fn report(trial: &Trial) -> TrialReport {
    let Some((config, driver)) = agent(&trial.agent).zip(driver(&trial.agent)) else {
        let problem = format!("there is no way to start `{}` without a user", trial.agent);
        return TrialReport { problem: Some(problem), ..TrialReport::default() };
    };
    let runs = Runs { trial, config, driver };
    let version = runs.version();
    match runs.guards() {
        Ok(guards) => TrialReport { version, guards, problem: None },
        Err(problem) => TrialReport { version, guards: Vec::new(), problem: Some(problem) },
    }
}

/// The agent, and the context of its runs.
struct Runs<'a> {
    trial: &'a Trial,
    config: &'static AgentConfig,
    driver: &'static AgentDriver,
}

impl Runs<'_> {
    fn guards(&self) -> Result<Vec<(Guard, GuardResult)>, String> {
        let (project, requests) = self.run("calls", ALLOWED)?;
        let mut guards = project.calls(&requests).map_err(|why| self.with_last_words(&why, "calls"))?;
        let row = self.config.dialect().row_of(EventKind::UserPromptSubmit);
        if row.is_some_and(|row| row.supports.refusal) {
            let (project, requests) = self.run("prompt", FORBIDDEN)?;
            guards.push(project.prompt(&requests));
        }
        Ok(guards)
    }

    /// Runs the agent once; returns its project and its requests to the model.
    fn run(&self, name: &str, prompt: &str) -> Result<(CanaryProject, Vec<ModelRequest>), String> {
        let failed = |error: std::io::Error| format!("its files can't be written: {error}");
        let home = self.home(name).map_err(failed)?;
        let project = CanaryProject::make(self.trial.directory.join(name).join("project")).map_err(failed)?;
        let script = Script {
            turns: project.turns(self.driver),
            main_tool: self.driver.main_tool,
            ..Script::default()
        };
        let model = ModelServer::start(script).map_err(|error| format!("no model can be served: {error}"))?;
        let url = model.url();
        let run = self.agent_run(&home, &project.directory, &url, self.limit());
        let mut launch = (self.driver.launch)(&run.scratch, prompt);
        self.keep_requests_here(&mut launch, &url);
        launch.write(&run.scratch).map_err(failed)?;
        self.register(&home, &project.directory, &launch)?;
        match run.run(&launch) {
            Ok(RunEnd::Exited(_)) => Ok((project, model.requests())),
            Ok(RunEnd::Limit) => {
                let why = format!("it took longer than {} s and was ended", self.trial.limit);
                Err(self.with_last_words(&why, name))
            }
            Err(error) => Err(format!("`{}` can't be started: {error}", self.trial.program.display())),
        }
    }

    fn limit(&self) -> Duration {
        Duration::from_secs(self.trial.limit)
    }

    fn home(&self, name: &str) -> std::io::Result<PathBuf> {
        let home = self.trial.directory.join(name).join("home");
        fs::create_dir_all(&home)?;
        Ok(home)
    }

    /// Returns a run in a home directory, with its output next to it.
    fn agent_run<'r>(
        &'r self,
        home: &'r Path,
        project: &'r Path,
        model: &'r str,
        limit: Duration,
    ) -> AgentRun<'r> {
        AgentRun {
            program: &self.trial.program,
            search_path: &self.trial.search_path,
            scratch: becket_proof::Scratch { home, project, model },
            output: home.parent().unwrap_or(home),
            limit,
        }
    }

    /// Redirects the agent's requests to the model, if no namespace keeps them on this machine.
    fn keep_requests_here(&self, launch: &mut Launch, model: &str) {
        if self.trial.needs_proxy {
            let names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
            launch.environment.extend(names.map(|name| (name, model.to_owned())));
        }
    }

    /// Registers Becket like `install`, in the user's scope if the agent supports it.
    fn register(&self, home: &Path, project: &Path, launch: &Launch) -> Result<(), String> {
        let environment = Environment::empty().with_home(home);
        trust::record(&Request::new(Profile::claude(), environment, project))
            .map_err(|error| error.to_string())?;
        let variables = launch.environment.iter();
        let places = Places {
            home: Some(home.to_owned()),
            project: Some(project.to_owned()),
            variables: variables.map(|(name, value)| ((*name).to_owned(), value.into())).collect(),
        };
        let scope = if self.config.user.is_some() { Scope::User } else { Scope::Project };
        let program = self.trial.becket.to_string_lossy();
        let wanted =
            Installation { program: &program, longest: None, more: &[], repair: false, exec_rewrite: false };
        let mut records = Records::open(&home.join(".claude/becket")).map_err(|error| error.to_string())?;
        let plan = install(self.config, scope, &places, &records, &wanted);
        plan.and_then(|plan| plan.apply(&mut records)).map_err(|error| error.to_string())
    }

    /// Returns the version that the agent reports.
    fn version(&self) -> Option<String> {
        let home = self.home("version").ok()?;
        let run = self.agent_run(&home, &home, "", VERSION_LIMIT.min(self.limit()));
        let mut launch = Launch { arguments: vec!["--version".to_owned()], ..Launch::default() };
        // No program listens on this port.
        self.keep_requests_here(&mut launch, "http://127.0.0.1:9");
        run.run(&launch).ok()?;
        ["stdout", "stderr"].iter().find_map(|stream| version_in(&self.output("version", stream)))
    }

    fn output(&self, name: &str, stream: &str) -> String {
        let bytes = fs::read(self.trial.directory.join(name).join(stream)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Appends the last line that the agent wrote.
    fn with_last_words(&self, why: &str, name: &str) -> String {
        let outputs = ["stderr", "stdout"].map(|stream| self.output(name, stream));
        let last = outputs.iter().find_map(|text| text.lines().rev().find(|line| !line.trim().is_empty()));
        match last {
            Some(line) => {
                format!("{why}; its last words: {}", line.chars().take(LAST_WORDS).collect::<String>())
            }
            None => why.to_owned(),
        }
    }
}
