//! The directories in which a command of a line may run, as far as the text shows.
//!
//! Every `cd`, `pushd`, `env -C` and `sudo -D` is followed, through `CDPATH` and `OLDPWD` too, both as if it succeeded
//! and as if it failed: a rule that restricts, and a removal, must hold for each of the directories.

use super::call::Scope;
use crate::path::{Normal, lexical};
use crate::shell::{self, Arg, Command, MAX_VALUES, directory_option, paths};

/// The maximum number of directories; a sensible line changes to fewer.
const MOST: usize = 64;

/// The directories of a line.
pub(super) struct Directories {
    pub(super) all: Vec<Normal>,
    /// True if the line changes to more directories than are followed.
    pub(super) cut: bool,
}

/// Returns the directories that the line may be in when a command runs: the cwd, and those that it changes to, each
/// relative to the cwd (a subshell may have ended) and to the one before.
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
        Some("cd" | "pushd" | "chdir") => match operands.iter().find(|arg| is_directory(arg)) {
            // The directory before this one counts anyway, as every one of the line.
            Some(arg) if arg.text == "-" => {
                return known("OLDPWD", line, steps).into_iter().map(Some).collect();
            }
            Some(arg) => return by_search(arg, line, steps),
            None => {
                let homes = known("HOME", line, steps).into_iter().map(Some);
                return std::iter::once(None).chain(homes).collect();
            }
        },
        // The shell changes to a directory that is given as a command.
        _ if operands.is_empty() && line.text().contains("autocd") => name.clone(),
        Some("env" | "sudo" | "unshare" | "nsenter") => match directory_option(&command.args) {
            Some(arg) => arg,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let texts = paths(&target, &line.values, steps);
    // Deny rules are compared with the text if its values are unknown.
    let texts = if texts.is_empty() { vec![target.text] } else { texts };
    texts.into_iter().map(Some).collect()
}

fn is_directory(arg: &Arg) -> bool {
    arg.text == "-" || !arg.text.starts_with('-')
}

/// Returns the values of a variable that the line sets.
fn known(name: &str, line: &shell::Line, steps: &mut usize) -> Vec<String> {
    line.values.of(name).iter().take(MOST).flat_map(|value| line.values.texts(value, steps)).collect()
}

/// Returns the targets of `cd`: the directory itself, the one of that name below each of `CDPATH`, and the value of a
/// variable of that name (`cdable_vars`).
fn by_search(target: &Arg, line: &shell::Line, steps: &mut usize) -> Vec<Option<String>> {
    let mut texts = paths(target, &line.values, steps);
    // Deny rules are compared with the text if its values are unknown.
    if texts.is_empty() {
        texts.push(target.text.clone());
    }
    let searched = known("CDPATH", line, steps);
    let below = |text: &String| {
        let text = text.clone();
        let starts = searched.iter().flat_map(|path| path.split(':'));
        starts.map(move |start| format!("{start}/{text}")).take(MOST).collect::<Vec<_>>()
    };
    let relative = texts.iter().take(MOST).filter(|text| !text.starts_with(['/', '~']));
    let found: Vec<String> =
        relative.flat_map(below).chain(known(&target.text, line, steps)).take(*steps).collect();
    *steps = steps.saturating_sub(found.len());
    texts.into_iter().chain(found).map(Some).collect()
}
