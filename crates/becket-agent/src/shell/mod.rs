//! A session's shell: command lines, one after the other, in a directory that they move.
//!
//! [`Bash`] is the tool. A line runs in a process group of its own that ends with it (`leader`); where it leaves its
//! shell the session goes on (`script`, [`Whereabouts`]); what it prints is one text, in the order in which it was
//! printed (`foreground`). One that is to go on by itself is a task of [`crate::tasks`] (`background`).
//!
//! It refuses to keep anything else from line to line: no variable, no function, no option of the shell. It asks no rule
//! and prompts nobody; what a line would do is judged from its text, in `auto_approve`.
//!
//! Invariants: nothing that a line has started outlives it, its task or its session, but programs that are exempted. Stdin is closed. A session's directory is always one that exists and lies in its working directories.

mod background;
mod bash;
mod foreground;
mod heard;
mod leader;
mod report;
mod script;
mod suggest;
mod whereabouts;
mod whole;

pub use bash::Bash;
pub use whereabouts::Whereabouts;

pub(crate) use heard::{Ended, Heard, Keep, is_silent, joined};
pub(crate) use leader::{Led, Streams};
