//! A session's shell: command lines, one after the other, in a directory that they may change.
//!
//! [`Bash`] is the tool. A line runs in a process group of its own that ends with it (`leader`); the session continues
//! in the final directory of the line (`script`, [`Whereabouts`]); its output is one text, in the order in which it
//! was printed (`foreground`). A background line is a task of [`crate::tasks`] (`background`).
//!
//! If rules for programs are in force, the leader is a supervisor that decides about each program when it is executed
//! (`supervised`, [`ProgramGuard`]).
//!
//! It keeps nothing else between lines: no variable, no function, no option of the shell. It checks no rule and asks
//! no user; the effect of a line is judged from its text, in `auto_approve`.
//!
//! Invariants: nothing that a line has started outlives it, its task or its session, except exempted programs. Stdin is
//! closed. A session's directory is always one that exists and is in its working directories.

mod background;
mod bash;
mod excluded_commands;
mod foreground;
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only Linux supervises the programs of a line")
)]
mod leader;
mod line_output;
mod line_rules;
mod mark;
mod report;
mod script;
mod shown_commands;
mod stateless_bash;
mod suggest;
#[cfg(target_os = "linux")]
mod supervised;
mod supervised_program;
mod whereabouts;
mod whole;

pub use crate::programs::{LineCall, ProgramGuard, ProgramSupervision};
pub use bash::{Bash, LIMIT_VARIABLES};
pub use excluded_commands::{ProgramPlaces, exclude};
pub use line_rules::{exec_rules, line_rights, line_rules};
pub use shown_commands::shown_commands;
pub use supervised_program::{ExecError, ProgramOutput, SupervisedProgram};
pub use whereabouts::Whereabouts;

pub(crate) use stateless_bash::StatelessBash;
