//! The effect of `mkdir`, `touch`, `mv` and `cp` (`protocol.md` P14), judged as strictly as reads: options are known by
//! their whole names, paths are resolved, and anything uncertain counts as no edit.
//!
//! A line changes what its own later commands find. So a path counts both as it is and as the directory that it may
//! have become by then; nothing that holds links is moved or copied whole; and beside an edit there are only plain
//! reads of programs that the line can't have put on `PATH`.

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

    /// An edit of a path, wherever the line may be.
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
        // Two of one name: the second is written over, or through, the first.
        let names = names.filter(|names| !names.is_empty() && !has_twins(names))?;
        let effects = sources.iter().zip(names).map(|(source, name)| {
            let transfer = Transfer { source, to, below: format!("{}/{name}", to.trim_end_matches('/')) };
            self.transfer(&transfer, kind, recursive)
        });
        worst(effects.collect::<Option<Vec<Effect>>>()?)
    }

    /// One source to its target, which may be a directory by then.
    fn transfer(&self, transfer: &Transfer<'_>, kind: Kind, recursive: bool) -> Option<Effect> {
        let Transfer { source, to, below } = transfer;
        // What is denied to be read does not come under another name.
        if !self.judge.holds(source) {
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
            // A root of the working directories, or all of a tree over another one.
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

    /// An edit below the target, should that be a directory by then. What is a file now has nothing below, and no place
    /// that could be looked up: its names alone count.
    fn below(&self, to: &str, below: &str) -> Option<Effect> {
        let is_file = |base: &PathBuf| base.join(to).is_file();
        let effect = self.edit(below)?;
        let counts = effect == Effect::EditsProtected || !self.judge.bases().iter().all(is_file);
        Some(if counts { effect } else { Effect::Edits })
    }

    /// Returns the effect on everything below a directory, at its old and its new place.
    fn tree(&self, at: &Path, into: &[PathBuf]) -> Option<Effect> {
        // What is denied to be read is not looked for.
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

/// Fate of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Move,
    Copy,
}

/// A source, its target, and its target should that be a directory.
struct Transfer<'a> {
    source: &'a str,
    to: &'a str,
    below: String,
}

/// Returns the value of `-t DIR` or `--target-directory=DIR`, if given once, and the arguments without it. Any other
/// spelling stays among the options and is unknown.
fn target_option<'a>(args: &[&'a str]) -> (Option<&'a str>, Vec<&'a str>) {
    let (mut into, mut left, mut rest) = (None, Vec::new(), args.iter().copied());
    while let Some(arg) = rest.next() {
        let given = match (arg, arg.strip_prefix("--target-directory=")) {
            ("--", _) => {
                left.push(arg);
                left.extend(rest.by_ref());
                None
            }
            (_, Some(value)) => Some(value),
            ("-t" | "--target-directory", None) => rest.next(),
            (_, None) => {
                left.push(arg);
                None
            }
        };
        match (given, into) {
            (Some(_), None) => into = given,
            // Given twice: stays among the options, and is unknown there.
            (Some(_), Some(_)) => left.push("-t"),
            (None, _) => {}
        }
    }
    (into, left)
}

/// The last name of a path; `None` if it has none of its own.
fn base_name(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}

/// Compared as file systems without case do.
fn has_twins(names: &[&str]) -> bool {
    let mut seen = std::collections::HashSet::new();
    !names.iter().all(|name| seen.insert(name.to_lowercase()))
}

/// The effect that matters most; `None` of none.
pub(super) fn worst(effects: impl IntoIterator<Item = Effect>) -> Option<Effect> {
    effects.into_iter().max_by_key(|effect| match effect {
        Effect::Reads => 0,
        Effect::Edits => 1,
        Effect::EditsElsewhere => 2,
        Effect::EditsProtected => 3,
        Effect::Acts => 4,
    })
}
