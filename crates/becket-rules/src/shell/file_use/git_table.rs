//! The subcommands of `git` by what their operands are. Data only.

/// The meaning of a subcommand's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitOperands {
    /// Names of branches, tags or keys; files whose content is not shown.
    Names,
    /// Files that are read, and revisions.
    Read,
    /// As `Read`, if one of the options that show content is given.
    ReadIfShown,
    /// A pattern, unless it is the value of an option; then files that are read.
    ReadAfter,
    /// Another repository that is read, then names.
    From,
    /// Another repository that is written, then names.
    To,
    /// A repository that is read, then a directory that is written.
    Clone,
    /// Files that are read and written.
    Edit,
}

/// The long options of `log` and similar subcommands that show the content of files.
pub(super) const SHOWING: &[&str] = &[
    "--patch",
    "--patch-with-raw",
    "--patch-with-stat",
    "--unified",
    "--binary",
    "--cc",
    "--dd",
    "--diff-merges",
    "--remerge-diff",
];

/// The short options of `log` and similar subcommands that show the content of files.
pub(super) const SHOWING_LETTERS: [char; 7] = ['p', 'u', 'U', 'L', 'W', 'c', 'm'];

/// Options whose value is not a file, with one or two dashes.
pub(super) const TEXTS: &[&str] = &[
    "--abbrev",
    "--after",
    "--author",
    "--before",
    "--branch",
    "--cleanup",
    "--color",
    "--color-words",
    "--committer",
    "--date",
    "--decorate",
    "--depth",
    "--diff-algorithm",
    "--diff-filter",
    "--fixup",
    "--format",
    "--grep",
    "--grep-reflog",
    "--max-count",
    "--message",
    "--onto",
    "--origin",
    "--pretty",
    "--push-option",
    "--reedit-message",
    "--reuse-message",
    "--since",
    "--sort",
    "--squash",
    "--stat",
    "--strategy",
    "--strategy-option",
    "--trailer",
    "--until",
    "--word-diff",
    "--word-diff-regex",
    "-C",
    "-L",
    "-X",
    "-c",
];

/// Options whose value is a file or a directory that is written.
pub(super) const WRITES: &[&str] =
    &["--export-marks", "--index-output", "--output", "--output-directory", "--prefix", "--separate-git-dir"];

/// Returns the meaning of the operands of a subcommand; one that is not known may be an alias for any other.
pub(super) fn operands(subcommand: &str) -> GitOperands {
    match subcommand {
        "bisect" | "branch" | "cherry" | "cherry-pick" | "check-attr" | "check-ignore"
        | "check-ref-format" | "config" | "count-objects" | "credential" | "describe" | "for-each-ref"
        | "fsck" | "gc" | "help" | "ls-files" | "ls-tree" | "maintenance" | "merge" | "merge-base"
        | "mktag" | "mktree" | "name-rev" | "notes" | "pack-refs" | "prune" | "rebase" | "remote"
        | "repack" | "replace" | "rerere" | "reset" | "rev-list" | "rev-parse" | "revert" | "shortlog"
        | "show-branch" | "show-ref" | "status" | "switch" | "symbolic-ref" | "tag" | "update-ref"
        | "update-server-info" | "var" | "verify-commit" | "verify-tag" | "version" | "write-tree" => {
            GitOperands::Names
        }
        "add" | "annotate" | "archive" | "blame" | "cat-file" | "commit" | "diff" | "diff-files"
        | "diff-index" | "diff-tree" | "difftool" | "fast-export" | "format-patch" | "hash-object"
        | "interpret-trailers" | "mergetool" | "range-diff" | "send-email" | "show" | "stage"
        | "update-index" | "verify-pack" => GitOperands::Read,
        "log" | "reflog" | "whatchanged" => GitOperands::ReadIfShown,
        "grep" => GitOperands::ReadAfter,
        "fetch" | "ls-remote" | "pull" => GitOperands::From,
        "push" => GitOperands::To,
        "clone" => GitOperands::Clone,
        _ => GitOperands::Edit,
    }
}

/// Subcommands of `git` that leave the directory as it is.
pub(super) const READS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "grep",
    "ls-files",
    "ls-tree",
    "rev-parse",
    "describe",
    "shortlog",
    "cat-file",
    "branch",
    "tag",
    "remote",
    "config",
    "reflog",
    "help",
    "annotate",
    "archive",
    "check-attr",
    "check-ignore",
    "count-objects",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "ls-remote",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "show-branch",
    "show-ref",
    "var",
    "version",
    "whatchanged",
];
