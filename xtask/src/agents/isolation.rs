//! One scenario in namespaces of its own: a network with the loopback alone, processes that end with it, an ordinary user.

use super::Points;
use super::expected::{self, ExpectedAgent};
use super::package::search_path;
use super::registration::register;
use super::scenario::Scenario;
use super::scratch::ScratchProject;
use crate::installed::{text, there_is};
use crate::root;
use becket_proof::{AgentRun, ModelServer, RunEnd, Script, driver};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Namespaces for users, network, processes and mounts; the loopback is brought up before the capability for it is dropped.
const UNSHARE: [&str; 9] = [
    "--user",
    "--map-user=1000",
    "--map-group=1000",
    "--keep-caps",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
];
const INSIDE: &str = "ip link set lo up && exec setpriv --ambient-caps=-all --inh-caps=-all -- \"$@\"";

/// Checks that this machine has what the namespaces need.
///
/// # Errors
/// It has not; the text says why.
pub(super) fn is_available() -> Result<(), String> {
    there_is("git")?;
    let ended = isolated().arg("true").output().map_err(|error| format!("can't run `unshare`: {error}"))?;
    let why = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() { Ok(()) } else { Err(format!("no namespaces: {}", why.trim())) }
}

fn isolated() -> Command {
    let mut unshare = Command::new("unshare");
    unshare.args(UNSHARE).args(["--", "sh", "-c", INSIDE, "sh"]);
    unshare
}

/// Runs a scenario of an agent; returns what was found.
///
/// # Errors
/// It could not be run.
pub(super) fn run(
    name: &str,
    agent: &ExpectedAgent,
    scenario: Scenario,
    program: &Path,
    becket: &Path,
) -> Result<Points, String> {
    let directory = root().join("target/agents/runs").join(name).join(scenario.name());
    // The agent has a limit inside; this one is for what is around it.
    let limit = Duration::from_secs(agent.limit + 30);
    let mut inside = Command::new("timeout");
    inside.args(["--kill-after=5", &limit.as_secs().to_string()]);
    let isolated = isolated();
    inside.arg(isolated.get_program()).args(isolated.get_args());
    inside.arg(std::env::current_exe().map_err(|error| error.to_string())?).args([
        "agent-run",
        name,
        scenario.name(),
    ]);
    inside.args([text(program), text(becket), text(&directory)]).stdin(Stdio::null());
    let ended = inside.output().map_err(|error| format!("can't run `timeout`: {error}"))?;
    if !ended.status.success() {
        return Err(format!("{}: {}", scenario.name(), String::from_utf8_lossy(&ended.stderr).trim()));
    }
    serde_json::from_slice(&ended.stdout).map_err(|error| format!("{}: {error}", scenario.name()))
}

/// `cargo xtask agent-run`: the process inside of the namespaces.
///
/// # Errors
/// The scenario could not be run.
pub(crate) fn run_inside(arguments: &[String]) -> Result<(), String> {
    let [name, scenario, program, becket, directory] = arguments else {
        return Err("`agent-run` is started by `agents`".to_owned());
    };
    let all = expected::agents()?;
    let (agent, driver) =
        all.get(name).zip(driver(name)).ok_or_else(|| format!("`{name}` is not an agent"))?;
    let scenario = Scenario::by_name(scenario).ok_or_else(|| format!("`{scenario}` is not a scenario"))?;
    let project = ScratchProject::make(Path::new(directory), scenario == Scenario::Stop)?;
    let script = Script { turns: scenario.turns(driver, &project), main_tool: driver.main_tool };
    let model = ModelServer::start(script).map_err(|error| format!("no model: {error}"))?;
    let url = model.url();
    let scratch = project.scratch(&url);
    let mut launch = (driver.launch)(&scratch, scenario.prompt());
    register(name, &scratch, Path::new(becket), &mut launch)?;
    let run = AgentRun {
        program: &PathBuf::from(program),
        search_path: &search_path(agent),
        scratch,
        output: &project.directory,
        limit: Duration::from_secs(agent.limit),
    };
    let end = run.run(&launch).map_err(|error| format!("`{program}`: {error}"))?;
    let requests = model.requests();
    let seen: Vec<_> = requests.iter().map(|request| serde_json::json!({"main": request.is_main, "tools": request.tools, "messages": request.messages})).collect();
    let record = serde_json::json!({"requests": seen, "others": model.others(), "end": format!("{end:?}")});
    fs::write(project.directory.join("model.json"), format!("{record:#}\n"))
        .map_err(|error| error.to_string())?;
    if end == RunEnd::Limit {
        return Err(format!("it took longer than {} s; see `{directory}`", agent.limit));
    }
    println(
        &serde_json::to_string(&scenario.points(&project, &requests)).map_err(|error| error.to_string())?,
    );
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the process outside reads it")]
fn println(text: &str) {
    println!("{text}");
}
