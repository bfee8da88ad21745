//! `cargo xtask agents [NAME…]`: real agents with Becket as their one hook, against a scripted model.
//!
//! Each agent runs four scenarios in the guarded example project, registered as `becket install` does it, some also
//! behind the gateway, the ACP proxy and at a terminal, in separate namespaces: no network but the loopback, no process
//! that outlives the run, an ordinary user. The effects are compared with `agents.json`; a point that is better than
//! expected fails as well. `proved.json` records the runs that went as expected.

mod doctor;
mod editor;
mod expected;
mod isolation;
mod package;
mod point;
mod proved;
mod registration;
mod results;
mod route;
mod scenario;
mod scratch;
mod terminal;

pub(crate) use isolation::run_inside;
pub(crate) use point::PointResult;
pub(crate) use proved::ProvedRun;
pub(crate) use results::Results;

use crate::suites::leave_out;
use crate::{program, say};
use expected::ExpectedAgent;
use point::Point;
use scenario::Trial;
use std::collections::BTreeMap;
use std::path::Path;

/// The results of points.
pub(crate) type Points = BTreeMap<Point, PointResult>;

/// Runs the named agents, or all, and records those that went as expected.
///
/// # Errors
/// Errors if an agent did not go as expected. The others have run.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let all = expected::agents()?;
    if let Some(unknown) = arguments.iter().find(|name| !all.contains_key(*name)) {
        let known: Vec<&str> = all.keys().map(String::as_str).collect();
        return Err(format!("`{unknown}` is not an agent: the agents are {}", known.join(", ")));
    }
    let is_wanted = |name: &String| arguments.is_empty() || arguments.contains(name);
    for (name, proved) in prove(all.into_iter().filter(|(name, _)| is_wanted(name)))? {
        proved::record(&name, proved)?;
    }
    Ok(())
}

/// Runs the suite: the agents of CI.
///
/// # Errors
/// Errors if an agent did not go as expected.
pub(crate) fn suite(_: &[String]) -> Result<(), String> {
    prove(expected::agents()?.into_iter().filter(|(_, agent)| agent.ci)).map(drop)
}

/// An agent that went as expected, and its results.
type ProvedAgent = (ExpectedAgent, Results);

fn prove(
    agents: impl Iterator<Item = (String, ExpectedAgent)>,
) -> Result<Vec<(String, ProvedAgent)>, String> {
    if let Err(reason) = isolation::is_available() {
        leave_out("real agents", &reason);
        return Ok(Vec::new());
    }
    let becket = program::becket()?;
    let (mut proved, mut failed) = (Vec::new(), Vec::new());
    for (name, agent) in agents {
        let program = match package::install(&name, &agent) {
            Ok(program) => program,
            Err(reason) => {
                leave_out(&format!("agent `{name}`"), &reason);
                continue;
            }
        };
        match results(&name, &agent, &program, &becket) {
            Ok(results) => match agent.differences(&results) {
                differences if differences.is_empty() => {
                    if let Err(reason) = doctor::proves(&name, &agent, &program, &becket) {
                        say(&format!("{name} {}: {reason}", agent.version));
                        failed.push(name);
                        continue;
                    }
                    say(&format!("{name} {}: all {} points as expected", agent.version, results.len()));
                    proved.push((name, (agent, results)));
                }
                differences => {
                    say(&format!("{name} {}: {}", agent.version, differences.join("; ")));
                    failed.push(name);
                }
            },
            Err(reason) => {
                say(&format!("{name} {}: {reason}", agent.version));
                failed.push(name);
            }
        }
    }
    if failed.is_empty() { Ok(proved) } else { Err(format!("agents failed: {}", failed.join(", "))) }
}

/// Runs all trials of an agent. A point that is checked in both scopes must have the same result in both.
fn results(name: &str, agent: &ExpectedAgent, program: &Path, becket: &Path) -> Result<Results, String> {
    let mut results = Results::default();
    let config = becket_install::agent(name).ok_or_else(|| format!("`{name}` has no configuration"))?;
    for trial in Trial::all_of(config) {
        let found = isolation::run(name, agent, trial, program, becket)?;
        let shown: Vec<String> = found.iter().map(|(point, result)| format!("{point} {result}")).collect();
        let (scenario, route) = (trial.scenario.name(), trial.route.name());
        say(&format!("  {name}, {scenario}, {route}: {}", shown.join(", ")));
        for (point, result) in found {
            let points = results.of_mut(trial.route);
            if let Some(other) = points.insert(point, result).filter(|other| *other != result) {
                return Err(format!("{point} is {other} in one scope and {result} in the other"));
            }
        }
    }
    Ok(results)
}
