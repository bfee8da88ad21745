//! `becket add`: guards, added to the settings of a project.

mod answers;
mod github;
mod list;
mod project;
mod show;
mod source;

pub(crate) use answers::parse_answers;
pub(crate) use project::{guard_error, missing_items, missing_programs, project_root, refuse_home};
pub(crate) use show::{Confirmation, apply};

use crate::args::{AddArgs, Global};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{FAINT, HEAD, plain, styled};
use becket_install::guard::{Addition, Guard, GuardRecords, RepositoryFacts, add_guards};
use source::GuardSource;
use std::path::Path;

/// Adds the guards: all of them or none.
pub(crate) fn run(args: &AddArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let root = project_root(global, around, out)?;
    if args.list {
        return list::run(&root, around, out);
    }
    if args.hash.is_some() && args.guards.len() != 1 {
        return Err(CliError::usage("`--hash` is about one guard: add the others on their own"));
    }
    let sources: Vec<GuardSource> =
        args.guards.iter().map(|given| GuardSource::parse(given, around)).collect::<Result<_, _>>()?;
    let guards: Vec<Guard> = sources.iter().map(|source| source.guard(around)).collect::<Result<_, _>>()?;
    check_names(&guards)?;
    for (source, guard) in sources.iter().zip(&guards) {
        check_hash(args, source, guard, &root)?;
        if let Some(program) = missing_programs(guard, around).first() {
            return Err(CliError::guard(format!(
                "`{}` needs `{program}`, which is not on PATH: install it first",
                guard.manifest.name
            )));
        }
        let Guard { manifest, hash, .. } = guard;
        out.remark(&format!("{}  {}\n", styled(HEAD, &manifest.name), plain(&manifest.summary)))?;
        out.remark(&format!("{}\n", styled(FAINT, &format!("  from {}, {hash}", source.name()))))?;
    }
    let answers = parse_answers(&args.change.set, &guards)?;
    let additions = guards.into_iter().zip(&sources).zip(answers);
    let additions: Vec<Addition> = additions
        .map(|((guard, source), answers)| Addition { guard, source: source.name(), answers })
        .collect();
    let plan = add_guards(&root, &additions, &RepositoryFacts::read(&root)).map_err(guard_error)?;
    let confirmation = Confirmation {
        dry_run: args.change.dry_run,
        yes: args.change.yes,
        shows_files: args.change.dry_run || sources.iter().any(|source| !source.is_own()),
    };
    if !apply(&plan, &confirmation, around, out)? {
        return Ok(0);
    }
    let names: Vec<&str> = additions.iter().map(|addition| addition.guard.manifest.name.as_str()).collect();
    out.print(&format!("added {}", names.join(", ")))?;
    out.remark_to_copy(&format!("; try it: becket test {}", names.join(" ")))?;
    out.print("\n")?;
    Ok(0)
}

fn check_names(guards: &[Guard]) -> Result<(), CliError> {
    for (index, guard) in guards.iter().enumerate() {
        let name = &guard.manifest.name;
        if guards.iter().take(index).any(|other| other.manifest.name == *name) {
            return Err(CliError::usage(format!("two of the guards are called `{name}`: add one of them")));
        }
    }
    Ok(())
}

/// Refuses a guard that is not the expected one: by `--hash`, or, if it comes from elsewhere, by the one that was added
/// before. Then `--yes` does not count as consent.
fn check_hash(args: &AddArgs, source: &GuardSource, guard: &Guard, root: &Path) -> Result<(), CliError> {
    let name = &guard.manifest.name;
    let changed = |was: &str| format!("the hash of `{name}` is {}, and not {was}", guard.hash);
    if let Some(wanted) = &args.hash {
        return match *wanted == guard.hash {
            true => Ok(()),
            false => Err(CliError::guard(format!("nothing was added: {}", changed(wanted)))),
        };
    }
    let records = GuardRecords::read(root).map_err(guard_error)?;
    let known = records.guards.get(name).filter(|known| known.hash != guard.hash);
    match known {
        Some(known) if !source.is_own() && args.change.yes => Err(CliError::guard(format!(
            "nothing was added: {} as of {}. Look at it with `--dry-run`, then pass `--hash {}`, or answer at a terminal",
            changed(&known.hash),
            known.source,
            guard.hash
        ))),
        Some(_) | None => Ok(()),
    }
}
