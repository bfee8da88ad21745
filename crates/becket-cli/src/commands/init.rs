//! `becket init`: the first guards of a repository.

mod questions;
mod template;

use crate::args::{Global, InitArgs, TemplateName};
use crate::commands::add::{Confirmation, apply, guard_error, missing_programs, parse_answers, refuse_home};
use crate::commands::install::{on_path, places};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{FAINT, HEAD, WARNING, plain, styled};
use crate::session;
use becket_install::guard::{Addition, Answers, Guard, RepositoryFacts, add_guards, catalog};
use becket_install::{AGENTS, AgentConfig, Scope};
use questions::Interview;
use std::path::Path;

/// Inspects the repository, asks, adds the guards of a template, and suggests a command to try.
pub(crate) fn run(args: &InitArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let root = session::launched(global, around)?.start;
    refuse_home(&root, around)?;
    let facts = RepositoryFacts::read(&root);
    tell_facts(&root, &facts, around, out)?;
    let interview = Interview::of(&args.change, around)?;
    let template = match args.template {
        Some(template) => template,
        None => interview.template()?,
    };
    let guards = chosen(template, &facts, &interview, around, out)?;
    let mut answers = parse_answers(&args.change.set, &guards)?;
    interview.complete(&guards, &mut answers, &facts)?;
    let additions: Vec<Addition> =
        guards.into_iter().zip(answers).filter_map(|(guard, answers)| addition(guard, answers)).collect();
    let plan = add_guards(&root, &additions, &facts).map_err(guard_error)?;
    let confirmation =
        Confirmation { dry_run: args.change.dry_run, yes: args.change.yes, shows_files: args.change.dry_run };
    if apply(&plan, &confirmation, around, out)? {
        tell_next(global, &additions, around, out)?;
    }
    Ok(0)
}

/// Returns the guards of a template that can run on this machine.
fn chosen(
    template: TemplateName,
    facts: &RepositoryFacts,
    interview: &Interview<'_>,
    around: &Surroundings,
    out: &Out,
) -> Result<Vec<Guard>, CliError> {
    let mut guards = Vec::new();
    for name in template::guards(template) {
        let guard = catalog::guard(name).map_err(guard_error)?;
        let left_out = match missing_programs(&guard, around).first() {
            Some(program) => Some(format!("it needs `{program}`, which is not on PATH")),
            None if *name == TESTS && facts.tests.is_none() && !interview.knows_tests() => {
                Some("no command that runs tests was found; `--set command='…'` names one".to_owned())
            }
            None => None,
        };
        match left_out {
            Some(why) => tell(&format!("`{name}` is left out: {why}"), out),
            None => guards.push(guard),
        }
    }
    Ok(guards)
}

/// The guard that runs the tests, which asks for their command.
const TESTS: &str = "tests-before-stop";
const COMMAND: &str = "command";

/// Leaves out the tests if the answer is that there are none.
fn addition(guard: Guard, answers: Answers) -> Option<Addition> {
    let has_no_tests = guard.manifest.name == TESTS && answers.get(COMMAND).is_some_and(Vec::is_empty);
    (!has_no_tests).then(|| Addition { guard, source: "becket".to_owned(), answers })
}

fn tell(text: &str, out: &Out) {
    out.note(&format!("{} {}\n", styled(WARNING, "note:"), plain(text)));
}

/// Prints what was found.
fn tell_facts(
    root: &Path,
    facts: &RepositoryFacts,
    around: &Surroundings,
    out: &Out,
) -> Result<(), CliError> {
    let or =
        |values: &[String], none: &str| if values.is_empty() { none.to_owned() } else { values.join(", ") };
    let languages: Vec<String> = facts.languages.iter().map(|name| (*name).to_owned()).collect();
    let agents: Vec<String> = installed(around).map(|agent| agent.dialect().title.to_owned()).collect();
    out.remark(&format!("{}\n", styled(HEAD, &around.short(root))))?;
    for (label, text) in [
        ("languages", or(&languages, "none that is known")),
        ("tests", facts.tests.clone().unwrap_or_else(|| "none found".to_owned())),
        ("shared branches", or(&facts.branches, "none found")),
        ("agents", or(&agents, "none found on this machine")),
    ] {
        out.remark(&format!("  {label:16} {}\n", plain(&text)))?;
    }
    let is_below = root.ancestors().skip(1).any(|parent| parent.join(".git").exists());
    if !facts.is_repository && is_below {
        tell(
            "this directory is inside of a repository: an agent that starts elsewhere in it does not read settings from here",
            out,
        );
    }
    Ok(())
}

/// Returns the agents on this machine.
fn installed(around: &Surroundings) -> impl Iterator<Item = &'static AgentConfig> {
    AGENTS.iter().filter(|agent| agent.programs.iter().any(|program| on_path(program, around).is_some()))
}

/// Prints the next steps.
fn tell_next(
    global: &Global,
    additions: &[Addition],
    around: &Surroundings,
    out: &Out,
) -> Result<(), CliError> {
    let names: Vec<&str> = additions.iter().map(|addition| addition.guard.manifest.name.as_str()).collect();
    let session = session::launched(global, around)?;
    let places = places(&session, around);
    out.remark("\n")?;
    out.print(&format!("added {}\n", names.join(", ")))?;
    for agent in installed(around).filter(|agent| agent.name != "claude") {
        if let Some(path) = agent.path(Scope::Project, &places) {
            let line = format!(
                "{} does not read these hooks itself: `becket install {} --project` writes `{}`",
                agent.dialect().title,
                agent.name,
                around.short(&path)
            );
            out.remark(&format!("{}\n", styled(FAINT, &line)))?;
        }
    }
    out.remark("\ntry it:\n")?;
    for line in [
        "becket check",
        "becket test",
        "becket fire PreToolUse --tool Bash --input '{\"command\": \"git push --force origin main\"}'",
    ] {
        out.remark_to_copy(&format!("  {line}\n"))?;
    }
    Ok(())
}
