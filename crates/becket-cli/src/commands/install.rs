//! `becket install`: registers Becket in the configurations of other agents.

mod context;
mod missing;
mod program;
mod show;

pub(crate) use context::{InstallContext, agent_by_name, is_entry, on_path, places, record_directory};
pub(crate) use missing::{entry_findings, missing_in_session, switched_off};
pub(crate) use program::{major_of, version_of};
pub(crate) use show::{AgentOutcome, apply, difference, scope_and_path, summary};

use crate::args::{Global, InstallArgs};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{ERROR, WARNING, plain, styled};
use becket_install::{AgentConfig, Installation, Records, Scope, hooks_off, install, status};

/// Registers with the agents, one after another: a failure with one agent does not affect the others.
pub(crate) fn run(args: &InstallArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let context = InstallContext::of(global, around, out)?;
    if args.list {
        return list(&context, around, out);
    }
    let scope = context.scope(args.scope);
    let agents = chosen(args, scope, &context, around, out)?;
    context.check_home()?;
    let program = program::to_register(args, scope, around)?;
    let wanted = Installation {
        program: &program,
        longest: context.longest(),
        more: &context.kinds(),
        repair: args.repair,
        exec_rewrite: args.exec_rewrite,
    };
    let mut records = context.open_records()?;
    let mut outcomes = Vec::new();
    for agent in agents {
        let plan = install(agent, scope, &context.places, &records, &wanted);
        let done = apply(plan, agent, args.dry_run, &mut records, around, out)?;
        let done =
            if done.is_failure() { done } else { tell_switches(done, agent, scope, &context, around, out) };
        if !done.is_failure() {
            tell_steps(agent, &context, &records, out);
            if args.exec_rewrite && !agent.takes_rewrites() {
                let title = agent.dialect().title;
                tell(
                    &format!("{title}: it runs the lines of the model as they are: it takes no rewrite"),
                    out,
                );
            }
        }
        outcomes.push(done);
    }
    if scope == Scope::User && context.has_untrusted_hooks() {
        tell(
            "the hooks of this project run there only once you trust its folder: `becket trust` does it",
            out,
        );
    }
    summary(&outcomes, "registered with", args.dry_run, out)
}

/// Returns the agents that the arguments name.
fn chosen(
    args: &InstallArgs,
    scope: Scope,
    context: &InstallContext,
    around: &Surroundings,
    out: &Out,
) -> Result<Vec<&'static AgentConfig>, CliError> {
    let is_all = args.agents.iter().any(|name| name == "all");
    if !is_all {
        let named: Vec<_> =
            args.agents.iter().map(|name| context::agent_by_name(name)).collect::<Result<_, _>>()?;
        if named.iter().any(|agent| agent.name == "claude") && !args.only_hook {
            return Err(CliError::usage(
                "Claude Code runs these hooks itself, and would run each twice; if becket is to be its only hook, add \
                 `--only-hook`",
            ));
        }
        return Ok(named);
    }
    let (mut found, mut other) = (Vec::new(), Vec::new());
    for agent in becket_install::AGENTS.iter().filter(|agent| agent.name != "claude" || args.only_hook) {
        let is_here = agent.has_directory(&context.places)
            || agent.programs.iter().any(|program| on_path(program, around).is_some());
        let has_scope = match scope {
            Scope::User => agent.user.is_some(),
            Scope::Project => agent.project.is_some(),
        };
        if is_here && has_scope {
            found.push(agent);
        } else if is_here {
            let other = if scope == Scope::User { "project" } else { "user" };
            let (title, name) = (agent.dialect().title, agent.name);
            tell(&format!("{title} is left out: type `becket install {name} --{other}`"), out);
        } else {
            other.push(agent.name);
        }
    }
    if !other.is_empty() {
        tell(
            &format!("not found on this machine: {}; name one to register with it anyway", other.join(", ")),
            out,
        );
    }
    match found.is_empty() {
        true => Err(CliError::usage("none of the agents was found on this machine: name one")),
        false => Ok(found),
    }
}

/// Prints the remaining steps for the user, and warns about hooks that would run twice.
fn tell_steps(agent: &AgentConfig, context: &InstallContext, records: &Records, out: &Out) {
    let title = agent.dialect().title;
    if let Some(step) = agent.step {
        tell(&format!("{title}: {step}"), out);
    }
    if let Some(reads) = agent.reads_hooks.filter(|_| context.has_project_hooks() && agent.name != "claude") {
        tell(&format!("{title}: {reads}, so hooks of this project run twice there"), out);
    }
    let of_agent = |scope| records.files().iter().any(|file| file.agent == agent.name && file.scope == scope);
    if of_agent(Scope::User) && of_agent(Scope::Project) {
        tell(
            &format!("{title}: becket is registered for the user and in a project, so hooks run twice there"),
            out,
        );
    }
}

/// Reports the settings with which the agent switches off its entries; they make the outcome a failure.
fn tell_switches(
    done: AgentOutcome,
    agent: &AgentConfig,
    scope: Scope,
    context: &InstallContext,
    around: &Surroundings,
    out: &Out,
) -> AgentOutcome {
    let title = agent.dialect().title;
    let found = hooks_off(agent, &context.places, &[scope]);
    for off in &found {
        let text = plain(&format!("{title}: {}", switched_off(off, around)));
        out.eprint(&format!("{} {text}\n", styled(ERROR, "error:")));
    }
    if found.is_empty() { done } else { AgentOutcome::SwitchedOff(title) }
}

fn tell(text: &str, out: &Out) {
    out.eprint(&format!("{} {}\n", styled(WARNING, "note:"), plain(text)));
}

/// Lists the registrations.
fn list(context: &InstallContext, around: &Surroundings, out: &Out) -> CommandResult {
    let records = context.read_records()?;
    for agent in &becket_install::AGENTS {
        for file in status(agent, &context.places, &records).files {
            let events = match file.events.len() {
                0 => "nothing".to_owned(),
                1 => "1 event".to_owned(),
                count => format!("{count} events"),
            };
            let place = scope_and_path(file.scope, &file.path, around);
            let changed = match file.changed.len() {
                0 => String::new(),
                count => format!(", {count} not as becket writes it; see `becket doctor {}`", agent.name),
            };
            out.print(&format!("{:14} {place}: {events}{changed}\n", agent.dialect().title))?;
        }
    }
    Ok(0)
}
