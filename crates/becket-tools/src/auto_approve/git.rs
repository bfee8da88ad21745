//! Judges whether a `git` command only reads, from its command line.
//!
//! Values of long options count only if they are attached: git accepts some names with and without a value. Left out
//! on purpose: `-c`, `-C`, `--git-dir` and similar options, `--output`, `--ext-diff`, `--textconv`, `--no-index`,
//! `--paginate`, `--show-signature`, every option that reads a file by name, and abbreviations of options. A format or
//! a sort key that verifies a signature needs a question, too: git looks up the verifier on `PATH`, which may lead
//! into the tree.

use super::options::{NONE, Options};

/// A subcommand that reads.
struct Subcommand {
    name: &'static str,
    options: Options,
    /// True if it takes revisions and paths; otherwise an operand would make it write.
    operands: bool,
    /// True if it shows contents of files, current or old.
    shows_files: bool,
}

const DIFF_LONG: &[&str] = &[
    "abbrev",
    "cached",
    "check",
    "color",
    "compact-summary",
    "dirstat",
    "exit-code",
    "find-renames",
    "full-index",
    "function-context",
    "histogram",
    "ignore-all-space",
    "ignore-blank-lines",
    "ignore-space-at-eol",
    "ignore-space-change",
    "merge-base",
    "minimal",
    "name-only",
    "name-status",
    "no-color",
    "no-ext-diff",
    "no-patch",
    "no-prefix",
    "no-renames",
    "no-textconv",
    "numstat",
    "patch",
    "patch-with-stat",
    "patience",
    "quiet",
    "raw",
    "shortstat",
    "staged",
    "stat",
    "summary",
    "text",
    "unified",
    "word-diff",
];

const LOG_LONG: &[&str] = &[
    "abbrev",
    "abbrev-commit",
    "all",
    "branches",
    "cc",
    "color",
    "compact-summary",
    "date-order",
    "decorate",
    "find-renames",
    "first-parent",
    "follow",
    "full-history",
    "graph",
    "histogram",
    "ignore-all-space",
    "ignore-space-change",
    "left-right",
    "merges",
    "name-only",
    "name-status",
    "no-abbrev-commit",
    "no-color",
    "no-decorate",
    "no-ext-diff",
    "no-merges",
    "no-patch",
    "no-renames",
    "no-textconv",
    "numstat",
    "oneline",
    "patch",
    "patch-with-stat",
    "patience",
    "pretty",
    "raw",
    "relative-date",
    "remotes",
    "reverse",
    "shortstat",
    "simplify-by-decoration",
    "stat",
    "summary",
    "tags",
    "topo-order",
    "unified",
    "word-diff",
];

const LOG_VALUED: &[&str] = &[
    "abbrev",
    "after",
    "author",
    "before",
    "color",
    "committer",
    "date",
    "decorate",
    "diff-filter",
    "find-renames",
    "format",
    "grep",
    "max-count",
    "pretty",
    "since",
    "skip",
    "stat",
    "unified",
    "until",
    "word-diff",
];

const LOG: Options = Options {
    flags: "abCcEFiMmpqRrsuWwz",
    valued: "nSGU",
    long: LOG_LONG,
    long_valued: LOG_VALUED,
    number: true,
};

const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "status",
        // Not `-v`: it shows the contents of staged files.
        options: Options {
            flags: "sbuz",
            long: &[
                "ahead-behind",
                "branch",
                "ignored",
                "long",
                "no-ahead-behind",
                "no-renames",
                "porcelain",
                "short",
                "show-stash",
                "untracked-files",
            ],
            long_valued: &["ignored", "porcelain", "untracked-files"],
            ..NONE
        },
        operands: true,
        shows_files: false,
    },
    Subcommand {
        name: "diff",
        options: Options {
            flags: "abCMpqRrsuWwz",
            valued: "SGU",
            long: DIFF_LONG,
            long_valued: &["abbrev", "color", "diff-filter", "find-renames", "stat", "unified", "word-diff"],
            number: false,
        },
        operands: true,
        shows_files: true,
    },
    Subcommand { name: "log", options: LOG, operands: true, shows_files: true },
    Subcommand { name: "show", options: LOG, operands: true, shows_files: true },
    Subcommand {
        name: "blame",
        options: Options {
            flags: "bCcefhlMnpstw",
            valued: "L",
            long: &["line-porcelain", "porcelain", "root", "show-email", "show-name", "show-number"],
            long_valued: &["abbrev", "date"],
            number: false,
        },
        operands: true,
        shows_files: true,
    },
    Subcommand {
        name: "rev-parse",
        options: Options {
            flags: "q",
            long: &[
                "abbrev-ref",
                "absolute-git-dir",
                "git-dir",
                "is-bare-repository",
                "is-inside-work-tree",
                "quiet",
                "short",
                "show-cdup",
                "show-prefix",
                "show-toplevel",
                "symbolic-full-name",
                "verify",
            ],
            long_valued: &["abbrev-ref", "short"],
            ..NONE
        },
        operands: true,
        shows_files: false,
    },
    Subcommand {
        name: "ls-files",
        options: Options {
            flags: "cdkmostuvz",
            long: &[
                "cached",
                "deleted",
                "error-unmatch",
                "exclude-standard",
                "full-name",
                "modified",
                "others",
                "stage",
                "unmerged",
            ],
            ..NONE
        },
        operands: true,
        shows_files: false,
    },
    Subcommand {
        name: "branch",
        options: Options {
            flags: "arv",
            long: &["all", "list", "no-color", "remotes", "show-current", "verbose"],
            long_valued: &["sort"],
            ..NONE
        },
        operands: false,
        shows_files: false,
    },
    Subcommand {
        name: "tag",
        options: Options { flags: "l", long: &["list"], long_valued: &["sort"], ..NONE },
        operands: false,
        shows_files: false,
    },
    Subcommand {
        name: "remote",
        options: Options { flags: "v", long: &["verbose"], ..NONE },
        operands: false,
        shows_files: false,
    },
];

/// Returns the revisions and paths that the command names, all to be judged as paths: a revision leads nowhere else,
/// and two paths outside of the repository would be compared. The flag is true if the command shows contents of files.
/// Returns `None` if it may do more than read.
pub(super) fn read<'a>(args: &[&'a str]) -> Option<(Vec<&'a str>, bool)> {
    let args = args.strip_prefix(&["--no-pager"]).unwrap_or(args);
    let (name, args) = args.split_first()?;
    // Only names of stashes: their texts are messages of commits.
    if *name == "stash" {
        return (args == ["list"]).then(|| (Vec::new(), false));
    }
    let subcommand = SUBCOMMANDS.iter().find(|subcommand| subcommand.name == *name)?;
    // `--pretty x` is a format and a path: only attached values are certain.
    let options = &subcommand.options;
    let bare = |arg: &&str| {
        arg.strip_prefix("--")
            .is_some_and(|long| options.long_valued.contains(&long) && !options.long.contains(&long))
    };
    if args.iter().any(bare) || args.iter().any(|arg| verifies(arg)) {
        return None;
    }
    let read = options.read(args)?;
    let fits = subcommand.operands || read.operands.is_empty();
    fits.then(|| ([read.operands, read.values].concat(), subcommand.shows_files))
}

/// Returns whether the option verifies signatures: `%G?` and similar in a format, `signature` among the sort keys.
fn verifies(arg: &str) -> bool {
    let Some((name, value)) = arg.split_once('=') else { return false };
    let placeholder = |text: &str| text.strip_prefix(['+', '-', ' ']).unwrap_or(text).starts_with('G');
    match name {
        "--format" | "--pretty" => value.split('%').skip(1).any(placeholder),
        "--sort" => value.contains("signature"),
        _ => false,
    }
}
