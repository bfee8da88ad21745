//! Instructions that people write into files for the model: `CLAUDE.md`, `AGENTS.md`, rules, and what they include
//! (`protocol.md` L0, InstructionsLoaded).
//!
//! Which files there are is the host's to say, by an [`Instructions`]; when they are told is the session's:
//!
//! - all that hold for the whole session before its first prompt, anew after `/clear` and after a compaction;
//! - those of a directory below the start, and rules with `paths`, once a tool has read or changed a file that they are
//!   about: beside the result of that call;
//! - a subagent is told what the session was told at its start, and finds the others by itself.
//!
//! It refuses: what lies outside of the project, where a file of the project asks for it, links followed; what a deny
//! rule for `Read` keeps out (P7); a repository inside of the project, which is somebody else's word (G3); anything
//! that is no text, or larger than the limits in `read` and `load`. What is left out is a notice, and takes nothing else
//! down with it.
//!
//! INVARIANT: hooks see that a file was loaded, and change nothing about it. One line of work is told a file once.

mod comments;
mod fences;
mod globs;
mod included;
mod includes;
mod known;
mod level;
mod load;
mod loaded;
mod places;
mod read;
mod rule;
mod sources;

pub(crate) use known::Known;
pub(crate) use load::{Beginning, Found};
pub(crate) use loaded::Loaded;
pub use loaded::Memory;
pub use sources::Instructions;
