//! One scenario in separate namespaces.

use super::Points;
use super::editor::EditorRun;
use super::expected::{self, ExpectedAgent};
use super::package::search_path;
use super::registration::{Registration, trust};
use super::route::Route;
use super::scenario::{Scenario, Trial};
use super::scratch::ScratchProject;
use super::terminal::TerminalRun;
use crate::installed::{text, there_is};
use crate::root;
use becket_install::Scope;
use becket_proof::{
    AgentDriver, AgentRun, GatewayCommand, Launch, ModelServer, RunEnd, Scratch, Script, acp_driver,
    check_isolation, driver, gateway_driver, isolated, terminal_driver,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Checks that this machine supports the runs.
///
/// # Errors
/// Errors with the reason if it does not.
pub(super) fn is_available() -> Result<(), String> {
    there_is("git")?;
    let tmux =
        Command::new("tmux").arg("-V").output().map_err(|error| format!("can't run `tmux`: {error}"))?;
    if !tmux.status.success() {
        return Err("`tmux -V` failed".to_owned());
    }
    check_isolation()
}

/// Runs a scenario of an agent; returns the results.
///
/// # Errors
/// Errors if it could not be run.
pub(super) fn run(
    name: &str,
    agent: &ExpectedAgent,
    trial: Trial,
    program: &Path,
    becket: &Path,
) -> Result<Points, String> {
    let (scenario, route) = (trial.scenario.name(), trial.route.name());
    let directory = root().join("target/agents/runs").join(name).join(format!("{scenario}-{route}"));
    // The agent has a limit inside; this one is for everything around it.
    let limit = Duration::from_secs(agent.limit + 30);
    let mut inside = Command::new("timeout");
    inside.args(["--kill-after=5", &limit.as_secs().to_string()]);
    let isolated = isolated();
    inside.arg(isolated.get_program()).args(isolated.get_args());
    inside.arg(std::env::current_exe().map_err(|error| error.to_string())?).args([
        "agent-run",
        name,
        scenario,
        route,
    ]);
    inside.args([text(program), text(becket), text(&directory)]).stdin(Stdio::null());
    let ended = inside.output().map_err(|error| format!("can't run `timeout`: {error}"))?;
    if !ended.status.success() {
        return Err(format!("{scenario}: {}", String::from_utf8_lossy(&ended.stderr).trim()));
    }
    serde_json::from_slice(&ended.stdout).map_err(|error| format!("{scenario}: {error}"))
}

/// Runs `cargo xtask agent-run`: the process inside of the namespaces.
///
/// # Errors
/// Errors if the scenario could not be run.
pub(crate) fn run_inside(arguments: &[String]) -> Result<(), String> {
    let [name, scenario, route, program, becket, directory] = arguments else {
        return Err("`agent-run` is started by `agents`".to_owned());
    };
    let all = expected::agents()?;
    let (agent, driver) =
        all.get(name).zip(driver(name)).ok_or_else(|| format!("`{name}` is not an agent"))?;
    let trial = Trial::by_names(scenario, route)?;
    let project = ScratchProject::make(Path::new(directory), trial.scenario == Scenario::Stop)?;
    if agent.reads_hooks {
        project.move_settings_to_user()?;
    }
    let script = Script {
        turns: trial.turns(driver, &project),
        main_tool: trial.main_tool(driver),
        one_turn_per_prompt: matches!(trial.route, Route::Acp | Route::Terminal),
    };
    let model = ModelServer::start(script).map_err(|error| format!("no model: {error}"))?;
    let url = model.url();
    let inside = Inside {
        name,
        agent,
        driver,
        trial,
        program: Path::new(program),
        becket: Path::new(becket),
        project: &project,
        scratch: project.scratch(&url),
        model: &model,
    };
    trust(&inside.scratch)?;
    let ended = inside.run();
    let requests = model.requests();
    let asked = ended.as_ref().map(|ended| ended.asked.clone()).unwrap_or_default();
    let seen: Vec<_> = requests
        .iter()
        .map(|request| json!({"main": request.is_main, "tools": request.tools, "messages": request.messages}))
        .collect();
    let record = json!({"requests": seen, "others": model.others(), "asked": asked});
    fs::write(project.directory.join("model.json"), format!("{record:#}\n"))
        .map_err(|error| error.to_string())?;
    let points = ended?.points.unwrap_or_else(|| trial.points(&project, &requests, &asked));
    println(&serde_json::to_string(&points).map_err(|error| error.to_string())?);
    Ok(())
}

/// The end of a run.
#[derive(Default)]
struct Ended {
    /// The questions to the user of an editor.
    asked: Vec<Value>,
    /// The points, if they were checked during the run.
    points: Option<Points>,
}

/// One run, inside of the namespaces.
struct Inside<'a> {
    name: &'a str,
    agent: &'a ExpectedAgent,
    driver: &'a AgentDriver,
    trial: Trial,
    program: &'a Path,
    becket: &'a Path,
    project: &'a ScratchProject,
    scratch: Scratch<'a>,
    model: &'a ModelServer,
}

impl Inside<'_> {
    fn run(&self) -> Result<Ended, String> {
        match self.trial.route {
            Route::Hook(scope) => self.hook(scope).map(|()| Ended::default()),
            Route::Gateway => self.gateway().map(|()| Ended::default()),
            Route::Acp => Ok(Ended { asked: self.acp()?, points: None }),
            Route::Terminal => Ok(Ended { asked: Vec::new(), points: Some(self.terminal()?) }),
        }
    }

    /// Runs the agent with Becket as its hook.
    fn hook(&self, scope: Scope) -> Result<(), String> {
        let launch = (self.driver.launch)(&self.scratch, self.prompt());
        self.write(&launch)?;
        let registration = Registration::make(self.name, scope, &self.scratch, self.becket, &launch)?;
        self.launch(&launch)?;
        registration.remove()
    }

    /// Runs the agent behind the gateway.
    fn gateway(&self) -> Result<(), String> {
        let driver = gateway_driver(self.name).ok_or("it is not driven behind a gateway")?;
        let servers = self.project.add_server()?;
        let arguments = ["mcp", "gateway", "--mcp-config", &text(&servers)];
        let command = GatewayCommand { program: self.becket, arguments: &arguments };
        let launch = (driver.launch)(&self.scratch, &command, self.prompt());
        self.write(&launch)?;
        self.launch(&launch)
    }

    /// Lets an editor drive the agent; returns the questions to its user, who allows calls unless a hook asks.
    fn acp(&self) -> Result<Vec<Value>, String> {
        let driver = acp_driver(self.name).ok_or("it is not driven over ACP")?;
        let launch = (driver.launch)(&self.scratch);
        self.write(&launch)?;
        let choice = if self.trial.scenario == Scenario::Ask { "reject_once" } else { "allow_once" };
        let run = EditorRun {
            becket: self.becket,
            agent: self.program,
            search_path: &search_path(self.agent, self.becket),
            scratch: self.scratch,
            output: &self.project.directory,
            limit: Duration::from_secs(self.agent.limit),
            choice,
        };
        run.run(&launch, &self.trial.prompts())
    }

    /// Lets a user work with the agent at a terminal.
    fn terminal(&self) -> Result<Points, String> {
        let driver = terminal_driver(self.name).ok_or("it is not driven at a terminal")?;
        let launch = (driver.launch)(&self.scratch);
        self.write(&launch)?;
        let registration = Registration::make(self.name, Scope::User, &self.scratch, self.becket, &launch)?;
        let run = TerminalRun {
            driver,
            program: self.program,
            becket: self.becket,
            search_path: &search_path(self.agent, self.becket),
            scratch: self.scratch,
            project: self.project,
            model: self.model,
            limit: Duration::from_secs(self.agent.limit),
        };
        let points = run.run(&launch);
        registration.remove()?;
        points
    }

    fn prompt(&self) -> &'static str {
        self.trial.prompts().first().copied().unwrap_or_default()
    }

    fn write(&self, launch: &Launch) -> Result<(), String> {
        launch.write(&self.scratch).map_err(|error| format!("the configuration of `{}`: {error}", self.name))
    }

    fn launch(&self, launch: &Launch) -> Result<(), String> {
        let run = AgentRun {
            program: self.program,
            search_path: &search_path(self.agent, self.becket),
            scratch: self.scratch,
            output: &self.project.directory,
            limit: Duration::from_secs(self.agent.limit),
        };
        let end = run.run(launch).map_err(|error| format!("`{}`: {error}", self.program.display()))?;
        if end == RunEnd::Limit {
            let directory = self.project.directory.display();
            return Err(format!("it took longer than {} s; see `{directory}`", self.agent.limit));
        }
        Ok(())
    }
}

#[expect(clippy::print_stdout, reason = "the process outside reads it")]
fn println(text: &str) {
    println!("{text}");
}
