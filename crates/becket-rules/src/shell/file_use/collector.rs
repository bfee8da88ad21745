//! The paths of a line's files, each once.

use std::collections::BTreeSet;

use super::super::arg::Arg;
use super::super::limits::MAX_VALUES;
use super::super::values::Values;
use super::{FileAccess, FileUse, Unknown};

/// The source of the names of files that are known only at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// The arguments of other commands.
    Arguments,
    /// These, the values of variables, here-strings and here-documents.
    AnyText,
}

/// A collector of the paths of arguments.
pub(super) struct Collector<'l> {
    values: &'l Values,
    uses: Vec<FileUse>,
    /// The files so far, to keep each once.
    seen: BTreeSet<(String, bool, bool, bool)>,
    /// Paths whose content, if they are directories, changes as a whole.
    contents: BTreeSet<String>,
    /// The number of files that may still be added, landings aside.
    left: usize,
    /// Accesses to files that are known only at run time: reads (`false`) or edits, by their source.
    unknown: BTreeSet<(bool, Source)>,
    /// The source of operands that are known only at run time.
    source: Source,
    /// True if the command uses everything in its directories.
    recursive: bool,
    /// True if the end of a path that starts with an unknown expansion counts at any place where it may be.
    guesses: bool,
    /// The number of values of variables that may still be examined.
    steps: usize,
}

impl<'l> Collector<'l> {
    /// Creates a collector that stops after `most` files.
    pub(super) fn new(values: &'l Values, unknown: Unknown, most: usize) -> Self {
        Self {
            values,
            uses: Vec::new(),
            seen: BTreeSet::new(),
            contents: BTreeSet::new(),
            left: most,
            unknown: BTreeSet::new(),
            source: Source::AnyText,
            recursive: false,
            guesses: unknown == Unknown::AnyWord,
            steps: MAX_VALUES,
        }
    }

    /// Returns the files, and whether there may be more since variables have too many values.
    pub(super) fn finish(mut self) -> (Vec<FileUse>, bool) {
        for file in self.uses.iter_mut().filter(|file| file.access == FileAccess::Edit) {
            file.contents = self.contents.contains(&file.path);
        }
        (self.uses, self.steps == 0)
    }

    /// Records that the paths of an argument, if they are directories, are removed, moved or changed with all that is in
    /// them.
    pub(super) fn change_contents(&mut self, arg: &Arg) {
        let paths = self.paths(arg);
        self.contents.extend(paths);
    }

    /// Returns the accesses to files that are known only at run time.
    pub(super) fn take_unknown(&mut self) -> impl Iterator<Item = (FileAccess, Source)> + use<> {
        let access = |edits| if edits { FileAccess::Edit } else { FileAccess::Read };
        std::mem::take(&mut self.unknown).into_iter().map(move |(edits, source)| (access(edits), source))
    }

    /// Records an access to files that are known only at run time.
    pub(super) fn unknown(&mut self, access: FileAccess) {
        self.unknown.insert((access == FileAccess::Edit, self.source));
    }

    /// Sets the properties of the files that are added next.
    pub(super) fn begin(&mut self, source: Source, recursive: bool) {
        (self.source, self.recursive) = (source, recursive);
    }

    /// Returns the texts of here-strings and here-documents.
    pub(super) fn stdin_texts(&self) -> Vec<String> {
        self.values.stdin_texts().to_vec()
    }

    /// Returns the paths that an argument may name, as far as they are known.
    pub(super) fn paths(&mut self, arg: &Arg) -> Vec<String> {
        paths(arg, self.values, &mut self.steps)
    }

    /// Returns whether all paths that an argument may name are known.
    pub(super) fn knows_all(&mut self, arg: &Arg) -> bool {
        known_paths(arg, self.values, &mut self.steps).1
    }

    pub(super) fn all<'a>(&mut self, args: impl IntoIterator<Item = &'a Arg>, access: FileAccess) {
        args.into_iter().for_each(|arg| self.add(arg, access));
    }

    /// Records the paths of the sources in the directory `into`, or else in the last operand.
    pub(super) fn landings(&mut self, mut sources: Vec<Arg>, mut into: Vec<Arg>) {
        if into.is_empty() {
            into.extend(sources.pop());
        }
        let mut known = |args: &[Arg]| -> Vec<String> {
            args.iter().flat_map(|arg| paths(arg, self.values, &mut self.steps)).collect()
        };
        let (sources, into) = (known(&sources), known(&into));
        for directory in &into {
            for name in sources.iter().filter_map(|path| path.trim_end_matches('/').rsplit('/').next()) {
                let path = format!("{}/{name}", directory.trim_end_matches('/'));
                let glob = path.contains(['*', '?', '[']);
                self.push(FileUse {
                    access: FileAccess::Edit,
                    path,
                    glob,
                    landing: true,
                    recursive: false,
                    contents: false,
                });
            }
        }
    }

    pub(super) fn add(&mut self, arg: &Arg, access: FileAccess) {
        if self.left == 0 {
            return;
        }
        let (paths, complete) = known_paths(arg, self.values, &mut self.steps);
        let has_default = arg.text.contains("${") && arg.text.contains(['-', '=', '+']);
        let filled = arg.dynamic && (!complete || has_default || !arg.text.contains(['$', '`']));
        if filled {
            self.unknown(access);
        }
        if arg.dynamic && !complete {
            self.around(&arg.text, access);
        }
        for path in paths {
            if path != "-" && !path.is_empty() {
                let glob = arg.glob || (arg.dynamic && path.contains(['*', '?', '[']));
                self.push(FileUse {
                    access,
                    path,
                    glob,
                    landing: false,
                    recursive: self.recursive,
                    contents: false,
                });
            }
        }
    }

    /// Records what is known of a path with an unknown expansion: the directory of `secrets/$(name)`, and
    /// `$(pwd)/secrets/key`, which may be below any directory.
    pub(super) fn around(&mut self, text: &str, access: FileAccess) {
        let head = text.split(['$', '`']).next().unwrap_or_default();
        let mut known = Vec::new();
        if let Some((directory, _)) = head.rsplit_once('/') {
            known.push((format!("{directory}/*"), true));
        }
        if let Some(tail) = after_expansions(text).filter(|_| self.guesses) {
            let process = if head.ends_with("/proc/") { "/proc/self" } else { "." };
            let glob = tail.contains(['*', '?', '[']);
            known.push((format!("{process}{tail}"), glob));
            if head.is_empty() {
                known.push((tail.to_owned(), glob));
            }
        }
        for (path, glob) in known {
            self.push(FileUse {
                access,
                path,
                glob,
                landing: false,
                recursive: self.recursive,
                contents: false,
            });
        }
    }

    fn push(&mut self, file: FileUse) {
        let recursive = file.glob && file.recursive;
        let is_new =
            self.seen.insert((file.path.clone(), file.access == FileAccess::Edit, file.landing, recursive));
        if is_new {
            self.left = self.left.saturating_sub(usize::from(!file.landing));
            self.uses.push(file);
        }
    }
}

/// Returns the end of a path after its last expansion, from a slash on.
fn after_expansions(text: &str) -> Option<&str> {
    let closed = text.rfind([')', '}', '`']).map_or(0, |at| at + 1);
    let named = text.rfind('$').filter(|at| *at >= closed).map_or(closed, |at| {
        let name = text.get(at + 1..).unwrap_or_default();
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
        at + 1 + end
    });
    let rest = text.get(named..)?;
    rest.find('/').and_then(|at| rest.get(at..)).filter(|tail| tail.len() > 1)
}

/// Returns the paths that an argument may name, as far as the text and the home directory determine them.
pub(crate) fn paths(arg: &Arg, values: &Values, steps: &mut usize) -> Vec<String> {
    known_paths(arg, values, steps).0
}

/// Returns the paths as [`paths`] does, and whether these are all.
fn known_paths(arg: &Arg, values: &Values, steps: &mut usize) -> (Vec<String>, bool) {
    if arg.dynamic { values.known_texts(&arg.text, steps) } else { (fixed_paths(arg, values, steps), true) }
}

/// Returns the paths of an argument without expansions other than `~`.
fn fixed_paths(arg: &Arg, values: &Values, steps: &mut usize) -> Vec<String> {
    if arg.tilde {
        let rest = arg.text.strip_prefix('~').unwrap_or_default();
        let (own, rest) = match rest.strip_prefix(['+', '-']) {
            Some(rest) => (".", rest),
            None => ("~", rest),
        };
        if !rest.is_empty() && !rest.starts_with('/') {
            return Vec::new();
        }
        let given = if own == "~" { values.of("HOME") } else { &[] };
        let homes = given.iter().flat_map(|home| values.texts(home, steps));
        return [own.to_owned()].into_iter().chain(homes).map(|home| format!("{home}{rest}")).collect();
    }
    vec![if arg.text.starts_with('~') { format!("./{}", arg.text) } else { arg.text.clone() }]
}
