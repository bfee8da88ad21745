//! PowerShell command lines (rule P15): the same patterns and the same three results as for Bash, from a simpler parse.
//!
//! A line is split on `|`, `;`, `&&`, `||` and newlines, outside quotes and comments. Names don't depend on case, and
//! an alias counts as its cmdlet. PowerShell's expression language is not followed: a line with brackets, a call
//! through a variable, or a command that takes a program as text is *unknown*: its handler runs, no allow rule covers
//! it, and deny and ask rules are tried on each of its words.

mod alias;
mod line;
mod split;

pub use line::Line;
