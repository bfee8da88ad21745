//! The paths whose removal is critical, and whether a word names one of them.

use super::values::{Values, Variables};
use crate::path::{Normal, lexical};
use crate::permission::call::Scope;
use crate::permission::directories::{Directories, directories};
use crate::permission::uses::own_process;
use crate::shell::{self, Arg, Command};
use std::path::Path;

/// The home directory, and every directory that the line may be in.
pub(super) struct Places<'a> {
    scope: &'a Scope<'a>,
    home: Option<Normal>,
    /// The directories that relative paths may start from.
    directories: Vec<Normal>,
    /// The protected paths: the home directory and the working directories, also by their linked names.
    kept: Vec<Normal>,
    /// The links that the line makes.
    links: Vec<MadeLink>,
}

/// A symbolic link that a line makes.
struct MadeLink {
    path: Normal,
    target: Normal,
}

/// The maximum number of links of one line that are followed.
const MOST_LINKS: usize = 64;

impl<'a> Places<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, directories: Vec<Normal>) -> Self {
        let places = scope.places(scope.anchor);
        let kept = directories.iter().cloned().chain(places.cwd()).chain(places.home()).collect();
        Self { scope, home: scope.home_path(), directories, kept, links: Vec::new() }
    }

    /// Returns the places of a line, including directories that it changes to through a variable and links that it makes,
    /// and the values of its variables. The flag is true if there are more directories or links than are followed.
    pub(super) fn of<'l>(
        line: &'l shell::Line,
        scope: &'a Scope<'a>,
        variables: Variables<'l>,
    ) -> (Self, Values<'l>, bool) {
        let Directories { mut all, cut } = directories(line, scope);
        let values = Values::new(line, scope.home_path().as_ref(), &all, variables);
        let home = scope.home_path();
        let mut found = Vec::new();
        for text in line.commands().iter().flat_map(|command| values.changes_to(command)) {
            found.extend(all.iter().filter_map(|from| lexical(&text, from, home.as_ref())));
        }
        for path in found {
            if !all.contains(&path) {
                all.push(path);
            }
        }
        let mut places = Self::new(scope, all);
        for command in line.commands() {
            places.add_links(command, &values);
        }
        let is_cut = cut || places.links.len() > MOST_LINKS;
        (places, values, is_cut)
    }

    /// Adds the symbolic links that a command makes: `ln -s TARGET… LINK`, where the last operand may also be the directory
    /// of the links, or the only one their target.
    fn add_links(&mut self, command: &Command, values: &Values<'_>) {
        let Some((first, rest)) = command.args.split_first() else { return };
        let is_option = |arg: &&Arg| arg.text.starts_with('-');
        if first.command_name() != Some("ln") || !rest.iter().any(is_symbolic) {
            return;
        }
        let texts = |arg: &Arg| values.readings(&arg.text).into_iter().map(|reading| reading.text);
        let operands: Vec<String> = rest.iter().filter(|arg| !is_option(arg)).flat_map(texts).collect();
        let Some((last, targets)) = operands.split_last() else { return };
        let targets = if targets.is_empty() { std::slice::from_ref(last) } else { targets };
        let home = self.home.as_ref();
        for target in targets {
            let name = target.trim_end_matches('/').rsplit('/').next().unwrap_or(target);
            for path in [last.clone(), format!("{last}/{name}"), name.to_owned()] {
                for from in &self.directories {
                    let Some(path) = lexical(&path, from, home) else { continue };
                    let Some(target) = lexical(target, &path.up(1), home) else { continue };
                    if self.links.len() > MOST_LINKS {
                        return;
                    }
                    self.links.push(MadeLink { path, target });
                }
            }
        }
    }

    /// Returns the paths that a path through links of the line leads to.
    fn through_links<'p>(&'p self, path: &'p Normal, is_inside: bool) -> impl Iterator<Item = Normal> + 'p {
        self.links.iter().filter_map(move |link| {
            let rest = path.below(&link.path).filter(|rest| is_inside || !rest.is_empty())?;
            Some(link.target.join(&format!("./{rest}")))
        })
    }

    /// Returns the number of directories that the line may be in.
    pub(super) fn count(&self) -> usize {
        self.directories.len()
    }

    /// Returns a description of the path that a word names, if it is critical. `may_glob` is true outside of quotes.
    pub(super) fn critical_path(&self, text: &str, may_glob: bool) -> Option<&'static str> {
        let whole = if may_glob { whole_directory(text) } else { text };
        let other_home = whole.strip_prefix('~').filter(|rest| !rest.is_empty() && !rest.starts_with('/'));
        if other_home.is_some_and(|rest| !rest.trim_end_matches('/').contains('/')) {
            return Some("a home directory");
        }
        // The last part of a path is removed itself, if it is a link; the content of a directory is behind the link.
        let is_inside = whole.len() < text.len() || text.ends_with('/');
        self.directories.iter().find_map(|from| {
            let path = lexical(whole, from, self.home.as_ref())?;
            let may_match = may_glob && path.text().contains(['*', '?', '[']);
            let by_process = || self.place(&own_process(whole, &path, from)?, may_match);
            let real = || self.place(&self.real(&path, is_inside)?, may_match);
            let through_link =
                || self.through_links(&path, is_inside).find_map(|path| self.place(&path, may_match));
            self.place(&path, may_match).or_else(by_process).or_else(real).or_else(through_link)
        })
    }

    fn real(&self, path: &Normal, is_inside: bool) -> Option<Normal> {
        let path = Path::new(path.text());
        if is_inside {
            return self.scope.links.target(path).map(|target| Normal::of(&target));
        }
        let parent = self.scope.links.target(path.parent()?)?;
        Some(Normal::of(&parent.join(path.file_name()?)))
    }

    fn place(&self, path: &Normal, is_pattern: bool) -> Option<&'static str> {
        if path.text() == "/" {
            return Some("the root of the file system");
        }
        if path.text().matches('/').count() == 1 {
            return Some("a directory of the root");
        }
        let home = self.scope.places(self.scope.anchor).home();
        if home.contains(path) {
            return Some("the home directory");
        }
        if home.iter().any(|home| home.below(path).is_some()) {
            return Some("a parent of the home directory");
        }
        let holds = |kept: &Normal| kept.below(path).is_some() || (is_pattern && matches_above(path, kept));
        self.kept.iter().any(holds).then_some("the cwd, the home directory or a parent of them")
    }
}

/// Returns whether the argument is `ln`'s `-s`, `-sfn`, `--symbolic` or a prefix of it.
fn is_symbolic(arg: &Arg) -> bool {
    match arg.text.strip_prefix("--") {
        Some(long) => !long.is_empty() && "symbolic".starts_with(long),
        None => arg.text.strip_prefix('-').is_some_and(|cluster| cluster.contains('s')),
    }
}

/// Returns whether a pattern matches a path or one of its parents. Brackets match any character.
fn matches_above(pattern: &Normal, path: &Normal) -> bool {
    let mut names = path.text().split('/');
    pattern
        .text()
        .split('/')
        .all(|part| names.next().is_some_and(|name| matches(part.as_bytes(), name.as_bytes())))
}

fn matches(pattern: &[u8], name: &[u8]) -> bool {
    // Extended globs are not analysed here.
    if pattern.contains(&b'(') {
        return true;
    }
    let Some((first, rest)) = pattern.split_first() else { return name.is_empty() };
    match first {
        b'*' => {
            let rest = &rest[rest.iter().take_while(|byte| **byte == b'*').count()..];
            rest.is_empty() || (0..=name.len()).any(|at| matches_fixed(rest, &name[at..]))
        }
        _ => matches_fixed(pattern, name),
    }
}

/// Returns whether a pattern that does not begin with a star matches a name.
fn matches_fixed(pattern: &[u8], name: &[u8]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return name.is_empty() };
    if *first == b'*' {
        return matches(pattern, name);
    }
    let Some((own, left)) = name.split_first() else { return false };
    match (first, rest.iter().position(|byte| *byte == b']')) {
        (b'?', _) => matches_fixed(rest, left),
        (b'[', Some(end)) => matches_fixed(&rest[end + 1..], left),
        _ => first == own && matches_fixed(rest, left),
    }
}

/// Returns the directory whose whole content the text names (`dir/*`, `*`, `.[!.]*`, `dir/*/*`), else the text itself.
fn whole_directory(text: &str) -> &str {
    let mut text = text;
    loop {
        let trimmed = text.trim_end_matches('/');
        let (directory, last) = match trimmed.rsplit_once('/') {
            Some(("", last)) => ("/", last),
            Some((directory, last)) => (directory, last),
            None => (".", trimmed),
        };
        let everything = last.contains('*') && last.chars().all(|c| "*?.[]!^".contains(c));
        match everything {
            true if matches!(directory, "/" | ".") => return directory,
            true => text = directory,
            false => return text,
        }
    }
}
