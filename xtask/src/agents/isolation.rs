//! One scenario in namespaces of its own.

use super::Points;
use super::expected::{self, ExpectedAgent};
use super::package::search_path;
use super::registration::Registration;
use super::scenario::{Scenario, Trial};
use super::scratch::ScratchProject;
use crate::installed::{text, there_is};
use crate::root;
use becket_proof::{AgentRun, ModelServer, RunEnd, Script, check_isolation, driver, isolated};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Checks that this machine has what the runs need.
///
/// # Errors
/// It has not; the text says why.
pub(super) fn is_available() -> Result<(), String> {
    there_is("git")?;
    check_isolation()
}

/// Runs a scenario of an agent; returns what was found.
///
/// # Errors
/// It could not be run.
pub(super) fn run(
    name: &str,
    agent: &ExpectedAgent,
    trial: Trial,
    program: &Path,
    becket: &Path,
) -> Result<Points, String> {
    let (scenario, scope) = (trial.scenario.name(), trial.scope.name());
    let directory = root().join("target/agents/runs").join(name).join(format!("{scenario}-{scope}"));
    // The agent has a limit inside; this one is for what is around it.
    let limit = Duration::from_secs(agent.limit + 30);
    let mut inside = Command::new("timeout");
    inside.args(["--kill-after=5", &limit.as_secs().to_string()]);
    let isolated = isolated();
    inside.arg(isolated.get_program()).args(isolated.get_args());
    inside.arg(std::env::current_exe().map_err(|error| error.to_string())?).args([
        "agent-run",
        name,
        scenario,
        scope,
    ]);
    inside.args([text(program), text(becket), text(&directory)]).stdin(Stdio::null());
    let ended = inside.output().map_err(|error| format!("can't run `timeout`: {error}"))?;
    if !ended.status.success() {
        return Err(format!("{scenario}: {}", String::from_utf8_lossy(&ended.stderr).trim()));
    }
    serde_json::from_slice(&ended.stdout).map_err(|error| format!("{scenario}: {error}"))
}

/// `cargo xtask agent-run`: the process inside of the namespaces.
///
/// # Errors
/// The scenario could not be run.
pub(crate) fn run_inside(arguments: &[String]) -> Result<(), String> {
    let [name, scenario, scope, program, becket, directory] = arguments else {
        return Err("`agent-run` is started by `agents`".to_owned());
    };
    let all = expected::agents()?;
    let (agent, driver) =
        all.get(name).zip(driver(name)).ok_or_else(|| format!("`{name}` is not an agent"))?;
    let trial = Trial::by_names(scenario, scope)?;
    let project = ScratchProject::make(Path::new(directory), trial.scenario == Scenario::Stop)?;
    if agent.reads_hooks {
        project.move_settings_to_user()?;
    }
    let script = Script { turns: trial.scenario.turns(driver, &project), main_tool: driver.main_tool };
    let model = ModelServer::start(script).map_err(|error| format!("no model: {error}"))?;
    let url = model.url();
    let scratch = project.scratch(&url);
    let launch = (driver.launch)(&scratch, trial.scenario.prompt());
    launch.write(&scratch).map_err(|error| format!("the configuration of `{name}`: {error}"))?;
    let registration = Registration::make(name, trial.scope, &scratch, Path::new(becket), &launch)?;
    let run = AgentRun {
        program: &PathBuf::from(program),
        search_path: &search_path(agent, Path::new(becket)),
        scratch,
        output: &project.directory,
        limit: Duration::from_secs(agent.limit),
    };
    let end = run.run(&launch).map_err(|error| format!("`{program}`: {error}"))?;
    registration.remove()?;
    let requests = model.requests();
    let seen: Vec<_> = requests.iter().map(|request| serde_json::json!({"main": request.is_main, "tools": request.tools, "messages": request.messages})).collect();
    let record = serde_json::json!({"requests": seen, "others": model.others(), "end": format!("{end:?}")});
    fs::write(project.directory.join("model.json"), format!("{record:#}\n"))
        .map_err(|error| error.to_string())?;
    if end == RunEnd::Limit {
        return Err(format!("it took longer than {} s; see `{directory}`", agent.limit));
    }
    println(
        &serde_json::to_string(&trial.scenario.points(&project, &requests))
            .map_err(|error| error.to_string())?,
    );
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the process outside reads it")]
fn println(text: &str) {
    println!("{text}");
}
