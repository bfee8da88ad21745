//! Where a command line may be when one of its commands runs, as far as its text says.
//!
//! It follows every `cd`, `pushd` and `env -C`, whether it would run or fail: a rule that restricts, and a removal, must hold for
//! each of the directories.

use super::call::Scope;
use crate::path::{Normal, lexical};
use crate::shell::{self, Arg, Command};

/// More directories than a sensible line changes to; further ones are not followed.
const MOST: usize = 64;

/// The directories that the line may be in when a command runs: the cwd, and those that it changes to, each seen from
/// the cwd (a subshell may have ended) and from the one before.
pub(super) fn directories(line: &shell::Line, scope: &Scope<'_>) -> Vec<Normal> {
    let (cwd, home) = (Normal::of(scope.cwd), scope.home_path());
    let mut last = cwd.clone();
    let mut directories = vec![cwd.clone()];
    for target in line.commands().iter().filter_map(change) {
        let seen_from = |from: &Normal| match target {
            Some(text) => lexical(text, from, home.as_ref()),
            None => home.clone(),
        };
        let found = [seen_from(&last), seen_from(&cwd)];
        last = found[0].clone().unwrap_or(last);
        for path in found.into_iter().flatten() {
            if !directories.contains(&path) && directories.len() < MOST {
                directories.push(path);
            }
        }
    }
    directories
}

/// What `cd`, `pushd` or `env -C` changes to: nothing (the home directory), or a path.
fn change(command: &Command) -> Option<Option<&str>> {
    let (name, operands) = command.args.split_first()?;
    match name.command_name()? {
        "cd" | "pushd" => {
            Some(operands.iter().find(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.as_str()))
        }
        "env" => option_of_env(operands).map(Some),
        _ => None,
    }
}

/// The value of `-C`, `-Cdir`, `--chdir dir` or `--chdir=dir`.
fn option_of_env(operands: &[Arg]) -> Option<&str> {
    operands.iter().zip(1..).find_map(|(arg, next)| match arg.text.as_str() {
        "-C" | "--chdir" => operands.get(next).map(|arg| arg.text.as_str()),
        text => text.strip_prefix("--chdir=").or_else(|| text.strip_prefix("-C")),
    })
}
