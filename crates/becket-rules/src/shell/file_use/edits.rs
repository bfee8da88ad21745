//! Detection of lines that edit files.

use super::super::arg::Arg;
use super::super::input::is_own_descriptor;
use super::super::limits::MAX_PATHS;
use super::super::line::{Line, RedirectionKind};
use super::super::wrapper;
use super::collector::Collector;
use super::git;
use super::{FileAccess, Unknown};

/// Subcommands of `git` that change files, the index or the commits of a repository, whatever follows.
const CHANGING: &[&str] = &[
    "add",
    "am",
    "apply",
    "bisect",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "fast-import",
    "filter-branch",
    "format-patch",
    "init",
    "merge",
    "mergetool",
    "mv",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stage",
    "stash",
    "switch",
    "update-index",
];

impl Line {
    /// Returns whether the line edits files, as far as its text shows (protocol.md P7): by a redirection, or by a
    /// well-known command, even if the file is known only at run time. A line that can't be read may edit any.
    /// Files that keep nothing, such as `/dev/null`, do not count.
    #[must_use]
    pub fn edits_files(&self) -> bool {
        let is_output = |kind: RedirectionKind| kind == RedirectionKind::Output;
        self.unread_words().is_some()
            || self.redirections.iter().any(|at| is_output(at.kind) && !at.words.iter().all(is_device))
            || self.commands.iter().any(|command| changes_repository(&command.args))
            || self.names_edits()
    }

    /// Returns whether a command edits a file, or more files than are listed.
    fn names_edits(&self) -> bool {
        let mut uses = Collector::new(&self.values, Unknown::AnyWord, MAX_PATHS + 1);
        self.collect_named(&mut uses);
        let is_open = uses.take_unknown().any(|(access, _)| access == FileAccess::Edit);
        let (files, cut) = uses.finish();
        let is_edit = |file: &super::FileUse| file.access == FileAccess::Edit && !keeps_nothing(&file.path);
        is_open || cut || files.len() > MAX_PATHS || files.iter().any(is_edit)
    }
}

/// Returns whether a command is one of `git` that changes its directory.
fn changes_repository(args: &[Arg]) -> bool {
    let (args, _) = wrapper::strip(args);
    args.split_first().is_some_and(|(name, rest)| {
        name.command_name() == Some("git")
            && git::subcommand(rest).is_some_and(|subcommand| CHANGING.contains(&subcommand))
    })
}

fn is_device(word: &Arg) -> bool {
    word.value().is_some_and(keeps_nothing)
}

/// Returns whether a path is that of a device, or of an open file, which is named elsewhere in the line.
fn keeps_nothing(path: &str) -> bool {
    matches!(path, "/dev/full" | "/dev/null" | "/dev/stderr" | "/dev/stdout" | "/dev/tty" | "/dev/zero")
        || is_own_descriptor(path)
}
