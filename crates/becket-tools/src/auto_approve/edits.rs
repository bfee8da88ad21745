//! The effect of `mkdir`, `touch`, `mv` and `cp` (`protocol.md` P14), judged as strictly as reads: options are matched
//! by their full names, paths are resolved, and anything uncertain counts as no edit.
//!
//! A line changes the files that its later commands see. So a path counts both as it is and as the directory that it
//! may have become by then; no tree with links is moved or copied whole; and besides an edit there are only plain
//! reads by programs that the line can't have put on `PATH`.

use super::command::Judge;
use super::options::{NONE, Options};
use super::tree;
use crate::reach::of_edit;
use crate::surroundings::Surroundings;
use becket_engine::Effect;
use becket_model::Session;
use std::path::{Path, PathBuf};

const MKDIR: Options = Options { flags: "pv", long: &["parents", "verbose"], ..NONE };
const TOUCH: Options = Options { flags: "acm", long: &["no-create"], ..NONE };
const MOVE: Options = Options {
    flags: "finuvT",
    long: &["force", "interactive", "no-clobber", "update", "verbose", "no-target-directory"],
    ..NONE
};
const COPY: Options = Options {
    flags: "finuvTprR",
    long: &["force", "interactive", "no-clobber", "update", "verbose", "no-target-directory", "recursive"],
    ..NONE
};

/// Judges the edits of one line.
pub(super) struct Edits<'a> {
    pub(super) judge: &'a Judge<'a>,
    pub(super) host: &'a Surroundings,
    pub(super) session: &'a Session,
}

impl Edits<'_> {
    /// Returns the effect of the command; `None` if it is not an edit, or the effect is not certain.
    pub(super) fn effect(&self, words: &[&str]) -> Option<Effect> {
        let (name, args) = words.split_first()?;
        match *name {
            "mkdir" => self.all(&MKDIR.read(args)?.operands),
            "touch" => self.all(&TOUCH.read(args)?.operands),
            "mv" => self.transfers(args, &MOVE, Kind::Move),
            "cp" => self.transfers(args, &COPY, Kind::Copy),
            _ => None,
        }
    }

    fn all(&self, paths: &[&str]) -> Option<Effect> {
        let effects: Option<Vec<Effect>> = paths.iter().map(|path| self.edit(path)).collect();
        worst(effects?)
    }

    /// Returns the effect of an edit of a path, in all possible directories of the line.
    fn edit(&self, path: &str) -> Option<Effect> {
        if path.is_empty() {
            return None;
        }
        let bases = self.judge.bases().iter();
        worst(bases.map(|base| of_edit(self.host, self.session, &base.join(path))))
    }

    fn transfers(&self, args: &[&str], options: &Options, kind: Kind) -> Option<Effect> {
        let (into, args) = target_option(args);
        let read = options.read(&args)?;
        let exact = read.given.iter().any(|option| matches!(option.as_str(), "T" | "no-target-directory"));
        let (sources, to) = match into {
            Some(_) if exact => return None,
            Some(into) => (read.operands.as_slice(), into),
            None => read.operands.split_last().map(|(last, sources)| (sources, *last))?,
        };
        let recursive = read.given.iter().any(|option| matches!(option.as_str(), "r" | "R" | "recursive"));
        let names: Option<Vec<&str>> = sources.iter().map(|source| base_name(source)).collect();
        // With two sources of the same name, the second overwrites the first or is written through it.
        let names = names.filter(|names| !names.is_empty() && !has_twins(names))?;
        let effects = sources.iter().zip(names).map(|(source, name)| {
            let transfer = Transfer { source, to, below: format!("{}/{name}", to.trim_end_matches('/')) };
            self.transfer(&transfer, kind, recursive)
        });
        worst(effects.collect::<Option<Vec<Effect>>>()?)
    }

    /// Returns the effect of moving or copying one source to its target, which may be a directory by then.
    fn transfer(&self, transfer: &Transfer<'_>, kind: Kind, recursive: bool) -> Option<Effect> {
        let Transfer { source, to, below } = transfer;
        // A file with denied reads must not get another name.
        if !self.judge.is_in_working_directory(source) {
            return None;
        }
        let mut effects = vec![self.edit(to)?, self.below(to, below)?];
        if kind == Kind::Move {
            effects.push(self.edit(source)?);
        }
        for base in self.judge.bases() {
            let (at, into) = (base.join(source), [base.join(to), base.join(below)]);
            if !at.is_dir() {
                continue;
            }
            let whole = kind == Kind::Move || recursive;
            // The source is a root of the working directories, or a whole tree replaces another one.
            let moves_root = kind == Kind::Move && !self.judge.holds_parent(&at);
            let merges = into.iter().filter(|path| path.symlink_metadata().is_ok()).count()
                > usize::from(into[0].is_dir());
            if !whole || moves_root || (kind == Kind::Copy && merges) {
                return None;
            }
            effects.push(self.tree(&at, &into)?);
        }
        worst(effects)
    }

    /// Returns the effect of an edit below the target, in case it is a directory by then. A path that is a file now
    /// has no entries that could be looked up: only its names count.
    fn below(&self, to: &str, below: &str) -> Option<Effect> {
        let is_file = |base: &PathBuf| base.join(to).is_file();
        let effect = self.edit(below)?;
        let counts = effect == Effect::EditsProtected || !self.judge.bases().iter().all(is_file);
        Some(if counts { effect } else { Effect::Edits })
    }

    /// Returns the effect on everything below a directory, at its old and its new place.
    fn tree(&self, at: &Path, into: &[PathBuf]) -> Option<Effect> {
        // Denied files are not searched for in a tree.
        let entries = tree::without_links(at).filter(|_| self.judge.may_read_all())?;
        let effect = |path: &Path| of_edit(self.host, self.session, path);
        let below = |entry: &PathBuf| {
            let rest = entry.strip_prefix(at).ok()?;
            worst(into.iter().map(|into| effect(&into.join(rest))).chain([effect(entry)]))
        };
        let effects: Option<Vec<Effect>> = entries.iter().map(below).collect();
        worst(effects?.into_iter().chain([Effect::Edits]))
    }
}

/// The treatment of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Move,
    Copy,
}

/// A source, its target, and its target in case that is a directory.
struct Transfer<'a> {
    source: &'a str,
    to: &'a str,
    below: String,
}

/// Returns the value of `-t DIR` or `--target-directory=DIR`, if given once, and the arguments without it. Any other
/// spelling stays among the options and is unknown.
fn target_option<'a>(args: &[&'a str]) -> (Option<&'a str>, Vec<&'a str>) {
    let (mut into, mut remaining, mut rest) = (None, Vec::new(), args.iter().copied());
    while let Some(arg) = rest.next() {
        let directory = match (arg, arg.strip_prefix("--target-directory=")) {
            ("--", _) => {
                remaining.push(arg);
                remaining.extend(rest.by_ref());
                None
            }
            (_, Some(value)) => Some(value),
            ("-t" | "--target-directory", None) => rest.next(),
            (_, None) => {
                remaining.push(arg);
                None
            }
        };
        match (directory, into) {
            (Some(_), None) => into = directory,
            // An option that is given twice stays among the options, and is unknown there.
            (Some(_), Some(_)) => remaining.push("-t"),
            (None, _) => {}
        }
    }
    (into, remaining)
}

/// Returns the last name of a path; `None` if it does not end with a name.
fn base_name(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}

/// Returns whether two names are equal on a file system that ignores case.
fn has_twins(names: &[&str]) -> bool {
    let mut seen = std::collections::HashSet::new();
    !names.iter().all(|name| seen.insert(name.to_lowercase()))
}

/// Returns the effect that matters most; `None` if there is none.
pub(super) fn worst(effects: impl IntoIterator<Item = Effect>) -> Option<Effect> {
    effects.into_iter().max_by_key(|effect| match effect {
        Effect::Reads => 0,
        Effect::Edits => 1,
        Effect::EditsElsewhere => 2,
        Effect::EditsProtected => 3,
        Effect::Acts => 4,
        Effect::ActsAndEdits => 5,
    })
}
