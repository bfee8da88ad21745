//! THE list of read-only commands but `cd`, `find` and `git`, with the options under which they are that.
//!
//! GNU's and BSD's programs of these names are meant. Left out on purpose: `-L` and `-R` where they follow links,
//! everything that reads options or names from a file, and what does not end.

use super::options::{NONE, Options};

/// One read-only command.
#[derive(Debug)]
pub(super) struct ReadOnly {
    pub(super) name: &'static str,
    pub(super) options: Options,
    pub(super) operands: Operands,
    /// Run by the shell itself.
    pub(super) builtin: bool,
}

/// What a command's operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Files and directories.
    Paths,
    /// An expression, unless one of these options gave it; then files and directories.
    AfterPattern(&'static [&'static str]),
    /// Two files, neither of which is a directory.
    TwoFiles,
    /// Names of programs, without a slash.
    Names,
    /// There are none.
    None,
}

const LS: Options = Options {
    flags: "AaBbCcdFfGghiklmnNopQqrRSstUuvXx1",
    valued: "Iw",
    long: &[
        "all",
        "almost-all",
        "author",
        "classify",
        "color",
        "directory",
        "file-type",
        "full-time",
        "group-directories-first",
        "human-readable",
        "inode",
        "no-group",
        "numeric-uid-gid",
        "recursive",
        "reverse",
        "size",
    ],
    long_valued: &["color", "format", "hide", "ignore", "sort", "time", "time-style"],
    number: false,
};

const CAT: Options = Options {
    flags: "AbEensTtuv",
    long: &[
        "number",
        "number-nonblank",
        "show-all",
        "show-ends",
        "show-nonprinting",
        "show-tabs",
        "squeeze-blank",
    ],
    ..NONE
};

const HEAD: Options = Options {
    flags: "qvz",
    valued: "nc",
    long: &["quiet", "silent", "verbose", "zero-terminated"],
    long_valued: &["lines", "bytes"],
    number: true,
};

const GREP: Options = Options {
    flags: "EFGPivwxcLlqsbHhnoarzyIT0123456789",
    valued: "eABCm",
    long: &[
        "extended-regexp",
        "fixed-strings",
        "basic-regexp",
        "perl-regexp",
        "ignore-case",
        "no-ignore-case",
        "invert-match",
        "word-regexp",
        "line-regexp",
        "count",
        "color",
        "colour",
        "files-without-match",
        "files-with-matches",
        "only-matching",
        "quiet",
        "silent",
        "no-messages",
        "byte-offset",
        "with-filename",
        "no-filename",
        "line-number",
        "text",
        "recursive",
        "null-data",
        "initial-tab",
    ],
    long_valued: &[
        "regexp",
        "max-count",
        "after-context",
        "before-context",
        "context",
        "color",
        "colour",
        "include",
        "exclude",
        "exclude-dir",
    ],
    number: true,
};

const DIFF: Options = Options {
    flags: "abBcdeEinpqstTuwyZ",
    valued: "CUW",
    long: &[
        "brief",
        "color",
        "context",
        "ignore-all-space",
        "ignore-blank-lines",
        "ignore-case",
        "ignore-space-change",
        "ignore-trailing-space",
        "minimal",
        "report-identical-files",
        "side-by-side",
        "suppress-common-lines",
        "text",
        "unified",
    ],
    long_valued: &["color", "context", "unified", "width"],
    number: false,
};

const DU: Options = Options {
    flags: "0abchkmsSx",
    valued: "d",
    long: &[
        "all",
        "apparent-size",
        "bytes",
        "human-readable",
        "null",
        "one-file-system",
        "separate-dirs",
        "si",
        "summarize",
        "total",
    ],
    long_valued: &["max-depth", "exclude", "block-size", "threshold"],
    number: false,
};

const fn program(name: &'static str, options: Options, operands: Operands) -> ReadOnly {
    ReadOnly { name, options, operands, builtin: false }
}

const TABLE: &[ReadOnly] = &[
    program("ls", LS, Operands::Paths),
    program("cat", CAT, Operands::Paths),
    ReadOnly {
        name: "pwd",
        options: Options { flags: "LP", ..NONE },
        operands: Operands::None,
        builtin: true,
    },
    program("head", HEAD, Operands::Paths),
    program("tail", HEAD, Operands::Paths),
    program("grep", GREP, Operands::AfterPattern(&["e", "regexp"])),
    program(
        "wc",
        Options { flags: "cmlLw", long: &["bytes", "chars", "lines", "max-line-length", "words"], ..NONE },
        Operands::Paths,
    ),
    program("which", Options { flags: "a", ..NONE }, Operands::Names),
    program("diff", DIFF, Operands::TwoFiles),
    program(
        "stat",
        Options {
            flags: "ft",
            valued: "c",
            long: &["file-system", "terse"],
            long_valued: &["format", "printf"],
            number: false,
        },
        Operands::Paths,
    ),
    program("du", DU, Operands::Paths),
];

/// The entry of that name.
pub(super) fn find(name: &str) -> Option<&'static ReadOnly> {
    TABLE.iter().find(|entry| entry.name == name)
}
