//! Static analysis of shell command lines: the commands that a line would run.
//!
//! The hook condition `if: "Bash(…)"` and the permission rules for Bash build on it. [`Line::parse`] walks the whole
//! line as bash would: lists, pipelines, substitutions, compound commands, here-documents, and the programs that look
//! like text (`sh -c '…'`, `eval`, `trap`, `env -S`, …). A [`CommandPattern`] is then compared with each command found.
//!
//! Nothing is guessed. A line that can't be read, that is too long or nested too deeply, and a command whose name is
//! known only at run time are *unknown*: never *no match*, and covered by no allow rule.
//!
//! The parser is hand-written, because the existing crates lose commands silently: `brush-parser` 0.4 reads
//! `echo \$'\' ; git push #'` as one command and panics on `99999999999>x`; `tree-sitter-bash` drops `git >f push`.
//! Anything this parser does not understand is *unknown*.
//!
//! The syntax is always bash's. A program in text for another shell (`sh -c`, `zsh -c`) is *unknown* if it contains
//! anything that the other shell may parse differently.
//!
//! Not analysed: programs in files and in other languages (`sh x.sh`, `make`, `python -c`, `ssh`), and what a command
//! reads from data at run time. A glob is not expanded: `git pus?` is the text `git pus?`.
//!
//! Invariants: pure (no file, no process, no environment); linear in the length of the line; recursion bounded by a
//! constant, so that a small thread stack is enough; nothing is cached, so no secret of a line outlives its [`Line`].

mod allow;
pub(crate) mod ansi;
mod arg;
mod assignment;
mod ast;
mod beyond_sh;
mod brace;
mod callbacks;
mod compound;
mod condition;
mod context;
mod cursor;
mod dialect;
mod evaluation;
mod evaluators;
mod expansion;
mod file_table;
mod file_use;
mod filled;
mod forms;
mod git;
mod git_programs;
mod git_settings;
mod heredoc;
mod input;
mod launchers;
mod limits;
mod line;
mod list;
mod modes;
mod open_options;
mod option_programs;
mod option_table;
mod options;
mod parallel;
mod pattern;
mod permission;
mod positions;
mod program;
mod program_variables;
mod quoted_word;
mod refusal;
mod sed;
mod shell_words;
mod shells;
mod simple;
mod structure;
mod subst;
mod unversioned;
pub(crate) mod value_changes;
mod values;
mod variables;
mod walk;
mod word;
mod words_scan;
mod wrapper;
mod wrapper_table;
mod written_options;

pub use beyond_sh::beyond_sh;
pub use condition::Applies;
pub use file_use::{FileAccess, FileUse};
pub use line::{Argument, Command, Line, Redirection, RedirectionKind, Target};
pub use pattern::CommandPattern;
pub use permission::{Coverage, Hit};
pub use quoted_word::quoted_word;
pub use refusal::UnknownReason;
pub use sed::SedScript;
pub use shell_words::is_shell_word;
pub use structure::{CommandChain, CommandList, CommandPipeline, Stage};

pub(crate) use arg::Arg;
pub(crate) use file_use::{directory_option, paths};
pub(crate) use limits::{MAX_PATHS, MAX_VALUES};
pub(crate) use pattern::normalise as normalise_text;
pub(crate) use words_scan::hit as hit_in_words;
