//! Command lines that mode `default` runs without asking: those that only read, and only in the working directories
//! (`protocol.md` P14); and those that mode `acceptEdits` runs as well, see `edits`.
//!
//! Everything here is a list of known harmless forms; a form that is on no list needs a question, and so does one that
//! is not determined by the text. If the rule's list and safety differ, safety wins:
//! - a line is a flat list of plain commands: no substitution, `~`, here-document, function, loop, subshell or
//!   assignment, and no redirection but from a file of the working directories, to `/dev/null` and between output and
//!   errors;
//! - a variable is a word of `echo` or `printf` only, and one of a few; a glob is an operand, every match of which is
//!   judged; `timeout` runs a command that is judged itself, `xargs` a command that only prints;
//! - options are matched by their full names; one that writes, runs something, follows links or reads names from a
//!   file is on no list (`diff` of directories follows links, so only files are allowed; `tail -f` does not end);
//! - `cd` comes first, once, and the rest must be harmless in the old directory, too;
//! - a program is found on `PATH` outside the working directories, and no variable of the environment makes the shell
//!   or the loader load code from them;
//! - beside commands that only an allow rule lets run, a command is harmless if they can't change what it does, see
//!   `beside`;
//! - `git` only in a plain repository whose own configuration can't make it run anything, since `git status` in a tree
//!   from elsewhere can (`core.fsmonitor`, hooks, filters, submodules); see `repository`.
//!
//! The tree is judged in its current state: a process that may write to it at the same time can still replace a file
//! with a link. The user's own configuration of git, and variables that hooks set by hand, are the user's
//! responsibility.

mod beside;
mod command;
mod edits;
mod find;
mod flat;
mod git;
mod git_config;
mod git_index;
mod globs;
mod line;
mod operands;
mod options;
mod program;
mod repository;
mod table;
mod tree;
mod words;
mod wrapper;

pub(crate) use beside::harmless_commands;
pub(crate) use line::{effect, is_read_only};
