//! `becket uninstall`: removes Becket from the configurations of other agents.

use crate::args::{Global, UninstallArgs};
use crate::commands::install::{InstallContext, agent_by_name, apply, summary};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use becket_install::{AGENTS, AgentConfig, FileRecord, Places, Records, Scope, status, uninstall};
use std::path::PathBuf;

/// Removes the entries of the agents in each scope.
pub(crate) fn run(args: &UninstallArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let context = InstallContext::of(global, around, out)?;
    let mut records = context.open_records()?;
    let is_all = args.agents.iter().any(|name| name == "all");
    let agents: Vec<&'static AgentConfig> = match is_all {
        true => AGENTS.iter().collect(),
        false => args.agents.iter().map(|name| agent_by_name(name)).collect::<Result<_, CliError>>()?,
    };
    let mut outcomes = Vec::new();
    for agent in agents {
        let mut found = false;
        for (scope, places) in registrations(agent, args, &context, &records, is_all) {
            let plan = uninstall(agent, scope, &places, &records);
            outcomes.push(apply(plan, agent, args.dry_run, &mut records, around, out)?);
            found = true;
        }
        if !found && !is_all {
            outcomes.push(crate::commands::install::AgentOutcome::Unchanged(agent.dialect().title));
        }
    }
    if outcomes.is_empty() {
        out.print("nothing is registered\n")?;
    }
    summary(&outcomes, "removed from", args.dry_run, out)
}

/// Returns the places where an agent has entries: those of the user and of this project, and with `all` the recorded
/// ones in other projects.
fn registrations(
    agent: &'static AgentConfig,
    args: &UninstallArgs,
    context: &InstallContext,
    records: &Records,
    is_all: bool,
) -> Vec<(Scope, Places)> {
    let wanted = |scope: Scope| match scope {
        Scope::User => !args.scope.project,
        Scope::Project => !args.scope.user,
    };
    let here = status(agent, &context.places, records).files.into_iter();
    let mut found: Vec<(Scope, Places)> =
        here.filter(|file| wanted(file.scope)).map(|file| (file.scope, context.places.clone())).collect();
    if is_all && wanted(Scope::Project) && !args.scope.project {
        for root in records.files().iter().filter_map(|record| project_of(agent, record)) {
            let is_known = found.iter().any(|(_, places)| places.project.as_ref() == Some(&root));
            if !is_known {
                let places = Places { project: Some(root), ..context.places.clone() };
                found.push((Scope::Project, places));
            }
        }
    }
    found
}

/// Returns the project of an agent's record.
fn project_of(agent: &AgentConfig, record: &FileRecord) -> Option<PathBuf> {
    let below = agent.project.filter(|_| record.agent == agent.name && record.scope == Scope::Project)?;
    let root = record.path.ancestors().skip(1).find(|root| record.path.starts_with(root.join(below)))?;
    Some(root.to_owned())
}
