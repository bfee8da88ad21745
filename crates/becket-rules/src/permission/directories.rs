//! The directories in which a command of a line may run, as far as the text shows.
//!
//! Every `cd`, `pushd`, `env -C` and `sudo -D` is followed, both as if it succeeded and as if it failed: a rule that
//! restricts, and a removal, must hold for each of the directories.

use super::call::Scope;
use crate::path::{Normal, lexical};
use crate::shell::{self, Command, MAX_VALUES, directory_option, paths};

/// More directories than a sensible line changes to.
const MOST: usize = 64;

/// The directories of a line.
pub(super) struct Directories {
    pub(super) all: Vec<Normal>,
    /// The line changes to more of them than are followed.
    pub(super) cut: bool,
}

/// The directories that the line may be in when a command runs: the cwd, and those that it changes to, each seen from
/// the cwd (a subshell may have ended) and from the one before.
pub(super) fn directories(line: &shell::Line, scope: &Scope<'_>) -> Directories {
    let (cwd, home) = (Normal::of(scope.cwd), scope.home_path());
    let mut last = cwd.clone();
    let mut found = Directories { all: vec![cwd.clone()], cut: false };
    let mut steps = MAX_VALUES;
    for target in line.commands().iter().flat_map(|command| changes(command, line, &mut steps)) {
        let seen_from = |from: &Normal| match &target {
            Some(text) => lexical(text, from, home.as_ref()),
            None => home.clone(),
        };
        let seen = [seen_from(&last), seen_from(&cwd)];
        last = seen[0].clone().unwrap_or(last);
        for path in seen.into_iter().flatten() {
            if found.all.contains(&path) {
                continue;
            }
            if found.all.len() >= MOST {
                found.cut = true;
                return found;
            }
            found.all.push(path);
        }
    }
    found.cut |= steps == 0;
    found
}

/// Returns the targets of `cd`, `pushd`, `env -C` or `sudo -D`: nothing (the home directory), or paths.
fn changes(command: &Command, line: &shell::Line, steps: &mut usize) -> Vec<Option<String>> {
    let Some((name, operands)) = command.args.split_first() else { return Vec::new() };
    let target = match name.command_name() {
        Some("cd" | "pushd") => match operands.iter().find(|arg| !arg.text.starts_with('-')) {
            Some(arg) => arg.clone(),
            None => {
                let homes = line.values.of("HOME").iter().flat_map(|home| line.values.texts(home, steps));
                return std::iter::once(None).chain(homes.map(Some)).collect();
            }
        },
        Some("env" | "sudo") => match directory_option(&command.args) {
            Some(arg) => arg,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let texts = paths(&target, &line.values, steps);
    // Deny rules see the text of what they can't tell.
    let texts = if texts.is_empty() { vec![target.text] } else { texts };
    texts.into_iter().map(Some).collect()
}
