//! The judgement of one command: its program, its options, its operands.

use super::options::Arguments;
use super::program::Programs;
use super::table::{self, Operands, ReadOnly};
use super::words::Words;
use super::{find, git, globs, operands, wrapper};
use crate::denied::DeniedFiles;
use crate::places::Places;
use std::path::{Path, PathBuf};

/// Judges the commands of one line.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    places: &'a Places,
    programs: &'a Programs<'a>,
    denied: &'a DeniedFiles,
    /// The possible directories of the line: the cwd, and the target of a `cd` that may or may not succeed.
    bases: Vec<PathBuf>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        places: &'a Places,
        programs: &'a Programs<'a>,
        denied: &'a DeniedFiles,
        cwd: PathBuf,
    ) -> Self {
        Self { places, programs, denied, bases: vec![cwd] }
    }

    /// Handles a `cd`. One with `..` needs a question: the shell resolves it as text, the file system by the links.
    pub(super) fn change(&mut self, target: &str) -> bool {
        let plain =
            !target.is_empty() && !target.starts_with('-') && target.split('/').all(|part| part != "..");
        let fits = plain && self.programs.leave("cd") && self.is_in_working_directory(target);
        if let Some(cwd) = self.bases.first().filter(|_| fits) {
            self.bases.push(cwd.join(target));
        }
        fits
    }

    /// Returns whether the command, which is not a `cd`, only reads, and only inside of the working directories.
    pub(super) fn is_read_only(&self, words: &Words<'_>) -> bool {
        let Some((name, args)) = words.texts.split_first() else { return false };
        match *name {
            "timeout" => self.programs.has(name) && self.runs_read_only(words, args),
            "xargs" => self.programs.has(name) && self.prints_what_it_reads(words, args),
            "find" | "git" if !words.are_literal() => false,
            "find" => self.programs.has(name) && find::paths(args).is_some_and(|paths| self.hold(&paths)),
            "git" => {
                let alone = self.programs.has(name) && self.programs.leave_git_alone();
                alone
                    && git::read(args).is_some_and(|(operands, shows_files)| {
                        (!shows_files || self.denied.is_empty())
                            && self.hold(&operands)
                            && self.bases.iter().all(|base| super::repository::is_plain(base, self.places))
                    })
            }
            _ => table::find(name).is_some_and(|entry| self.suits(name, entry, words)),
        }
    }

    /// Returns whether the command of a `timeout` only reads. It has to be a program, since only a shell runs
    /// builtins.
    fn runs_read_only(&self, words: &Words<'_>, args: &[&str]) -> bool {
        wrapper::timeout(args).is_some_and(|command| {
            let started = command.first().is_some_and(|name| self.programs.has(name));
            started && words.behind(command).is_some_and(|words| self.is_read_only(&words))
        })
    }

    /// Returns whether the command of an `xargs` only prints its arguments, which are arbitrary.
    fn prints_what_it_reads(&self, words: &Words<'_>, args: &[&str]) -> bool {
        let prints = |command: &[&str]| match command {
            ["echo", ..] => true,
            ["printf", format, ..] => !format.starts_with('-'),
            _ => false,
        };
        words.are_literal()
            && wrapper::xargs(args).is_some_and(|command| {
                prints(command) && command.first().is_some_and(|name| self.programs.has(name))
            })
    }

    fn suits(&self, name: &str, entry: &ReadOnly, words: &Words<'_>) -> bool {
        let args = words.texts.get(1..).unwrap_or_default();
        let known = if entry.builtin { self.programs.leave(name) } else { self.programs.has(name) };
        if !known || (name == "rg" && self.programs.is_set("RIPGREP_CONFIG_PATH")) {
            return false;
        }
        if !self.fits(entry, words) || !words.globs.iter().all(|glob| self.hold_matches(glob)) {
            return false;
        }
        if let Some(suits) = self.suits_without_options(entry, words, args) {
            return suits;
        }
        let Some(args) = entry.options.read(args) else { return false };
        // The expansion of a glob must not be a value of an option, a pattern or a script.
        let first = usize::from(starts_with_text(entry, &args));
        let fixed = args.values.iter().chain(args.operands.iter().take(first));
        if !fixed.into_iter().all(|word| words.is_literal(word)) {
            return false;
        }
        // The files that a search of a whole tree would read are not examined.
        (self.denied.is_empty() || !searches_tree(entry, &args)) && self.takes(&entry.operands, &args)
    }

    /// Judges a command that parses its options in an unusual way; `None` for all others.
    fn suits_without_options(&self, entry: &ReadOnly, words: &Words<'_>, args: &[&str]) -> Option<bool> {
        match entry.operands {
            Operands::Text if entry.builtin => Some(true),
            // An unset variable expands to no word: the next one would become the format.
            Operands::Format => {
                let fits = |format: &&str| !format.starts_with('-') && words.is_literal(format);
                Some(args.first().is_some_and(fits))
            }
            Operands::Test => Some(operands::test(args).is_some_and(|paths| self.hold(&paths))),
            Operands::Version => Some(operands::version(args)),
            Operands::Paths
            | Operands::PathsOrLists
            | Operands::File
            | Operands::AfterPattern(_)
            | Operands::TwoFiles
            | Operands::Names
            | Operands::Words
            | Operands::Text
            | Operands::None
            | Operands::Date
            | Operands::Ps
            | Operands::Sed
            | Operands::Jq => None,
        }
    }

    /// Returns whether the command may have words that are only known at run time: a glob as any number of files, a
    /// variable as text.
    fn fits(&self, entry: &ReadOnly, words: &Words<'_>) -> bool {
        let prints =
            (entry.builtin && entry.operands == Operands::Text) || entry.operands == Operands::Format;
        let files = matches!(
            entry.operands,
            Operands::Paths
                | Operands::PathsOrLists
                | Operands::AfterPattern(_)
                | Operands::Sed
                | Operands::Jq
        );
        let takes_globs = files || (prints && entry.operands == Operands::Text);
        (words.variables.is_empty() || prints) && (words.globs.is_empty() || takes_globs)
    }

    /// Returns whether each expansion of a glob is in the working directories, and none looks like an option or a list.
    fn hold_matches(&self, glob: &str) -> bool {
        self.bases.iter().all(|base| {
            globs::expand(base, glob).is_some_and(|matches| {
                matches
                    .listed
                    .iter()
                    .chain(&matches.words)
                    .all(|path| !path.starts_with(['-', '@']) && self.is_in_working_directory(path))
            })
        })
    }

    fn takes(&self, kind: &Operands, args: &Arguments<'_>) -> bool {
        let operands = args.operands.as_slice();
        let is_name = |name: &&str| !name.contains('/');
        // An option's value may be text even if operands are paths.
        let holds_text = matches!(kind, Operands::Text | Operands::Date | Operands::Sed);
        (holds_text || self.hold(&args.values))
            && match kind {
                Operands::Paths => self.hold(operands),
                Operands::PathsOrLists => {
                    !operands.iter().any(|operand| operand.starts_with('@')) && self.hold(operands)
                }
                Operands::File => operands.len() < 2 && self.hold(operands),
                Operands::AfterPattern(given_by) => {
                    let skipped = usize::from(!args.gave(given_by));
                    self.hold(operands.get(skipped..).unwrap_or_default())
                }
                Operands::Text => true,
                Operands::Words => operands.iter().all(is_name),
                Operands::Date => operands::date(operands),
                Operands::Ps => operands::ps(operands),
                Operands::Sed if args.gave(&["e", "expression"]) => {
                    operands::sed_scripts(&args.values) && args.attached.is_empty() && self.hold(operands)
                }
                Operands::Sed => operands
                    .split_first()
                    .is_some_and(|(script, files)| operands::sed_scripts(&[*script]) && self.hold(files)),
                Operands::Jq => operands
                    .split_first()
                    .is_some_and(|(filter, files)| operands::jq(filter) && self.hold(files)),
                Operands::Format | Operands::Test | Operands::Version => false,
                Operands::TwoFiles => {
                    let is_directory =
                        |operand: &&str| self.bases.iter().any(|base| base.join(operand).is_dir());
                    operands.len() == 2 && self.hold(operands) && !operands.iter().any(is_directory)
                }
                Operands::Names => !operands.is_empty() && operands.iter().all(is_name),
                Operands::None => operands.is_empty(),
            }
    }

    /// Returns whether each path leads into a working directory, or is `/dev/null`.
    pub(super) fn hold(&self, paths: &[&str]) -> bool {
        paths.iter().all(|path| *path == "/dev/null" || self.is_in_working_directory(path))
    }

    /// Returns the possible directories of the line.
    pub(super) fn bases(&self) -> &[PathBuf] {
        &self.bases
    }

    /// Returns whether no rule denies any read.
    pub(super) fn may_read_all(&self) -> bool {
        self.denied.is_empty()
    }

    /// Returns whether an absolute path is below a working directory without being one.
    pub(super) fn holds_parent(&self, path: &Path) -> bool {
        crate::places::real(path).and_then(|real| Some(self.places.hold(real.parent()?))).unwrap_or(false)
    }

    /// Returns whether the command, from a list of plain ones, only reads, and is a program that nothing in the
    /// working directories can shadow.
    pub(super) fn is_plain_read(&self, words: &Words<'_>) -> bool {
        let Some(name) = words.texts.first() else { return false };
        let Some(entry) = table::find(name).filter(|_| words.globs.is_empty()) else { return false };
        (entry.builtin || self.programs.has_out_of_reach(name)) && self.suits(name, entry, words)
    }

    /// Returns whether the command reads no file by its name: it prints, or reads its input. What other commands
    /// change in the working directories makes no difference to it.
    pub(super) fn reads_no_file(&self, words: &Words<'_>) -> bool {
        let Some((name, args)) = words.texts.split_first() else { return false };
        table::find(name).is_some_and(|entry| names_no_file(entry, args)) && self.is_plain_read(words)
    }

    /// Returns whether the shell finds no function of this name in its environment.
    pub(super) fn leaves(&self, name: &str) -> bool {
        self.programs.leave(name)
    }

    /// Returns whether a program that edits is known: `alone`, or in a line of several commands, which could shadow
    /// it.
    pub(super) fn is_known_editor(&self, name: &str, alone: bool) -> bool {
        if alone { self.programs.has(name) } else { self.programs.has_out_of_reach(name) }
    }

    /// Returns whether the path leads to a working directory from every possible directory of the line.
    pub(super) fn is_in_working_directory(&self, path: &str) -> bool {
        let fits = |path: PathBuf| self.places.contain(&path) && !self.denied.has(&path);
        !path.is_empty() && self.bases.iter().all(|base| fits(base.join(path)))
    }
}

/// Returns whether the command reads files that it is not given.
fn searches_tree(entry: &ReadOnly, args: &Arguments<'_>) -> bool {
    entry.whole_tree.contains(&"always") || args.gave(&entry.whole_tree)
}

/// Returns whether no argument is the name of a file, and no file is read unasked.
fn names_no_file(entry: &ReadOnly, args: &[&str]) -> bool {
    match entry.operands {
        Operands::Text
        | Operands::Format
        | Operands::Words
        | Operands::Names
        | Operands::None
        | Operands::Date
        | Operands::Ps
        | Operands::Version => true,
        Operands::Test | Operands::TwoFiles => false,
        Operands::Paths
        | Operands::PathsOrLists
        | Operands::File
        | Operands::AfterPattern(_)
        | Operands::Sed
        | Operands::Jq => entry.options.read(args).is_some_and(|args| {
            args.operands.len() <= usize::from(starts_with_text(entry, &args)) && !searches_tree(entry, &args)
        }),
    }
}

/// Returns whether the first operand is a pattern or a script.
fn starts_with_text(entry: &ReadOnly, args: &Arguments<'_>) -> bool {
    match &entry.operands {
        Operands::AfterPattern(given_by) => !args.gave(given_by),
        Operands::Sed => !args.gave(&["e", "expression"]),
        Operands::Jq => true,
        Operands::Paths
        | Operands::PathsOrLists
        | Operands::File
        | Operands::TwoFiles
        | Operands::Names
        | Operands::Words
        | Operands::Text
        | Operands::Format
        | Operands::None
        | Operands::Date
        | Operands::Ps
        | Operands::Test
        | Operands::Version => false,
    }
}
