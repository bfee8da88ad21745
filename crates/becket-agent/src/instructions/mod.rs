//! Instructions that people write into files for the model: `CLAUDE.md`, `AGENTS.md`, rules, and what they include
//! (`protocol.md` L0, InstructionsLoaded).
//!
//! The host defines the files by an [`Instructions`]; the session decides when to load them:
//!
//! - all that apply to the whole session before its first prompt, and again after `/clear` and after a compaction;
//! - those of a directory below the start, and rules with `paths`, once a tool has read or changed a file that they
//!   apply to; they are added to the result of that call;
//! - a subagent starts with the initial instructions of the session, and finds the others on its own.
//!
//! It rejects: files outside the project that a file of the project includes, after resolving links; files that a deny
//! rule for `Read` covers (P7); a repository inside the project, which has another author (G3); anything that is not
//! text, or larger than the limits in `read` and `load`. A rejected file is reported, and does not affect the others.
//!
//! INVARIANT: hooks see that a file was loaded, and can't change that. An agent loop sees a file once.

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

pub(crate) use known::KnownInstructions;
pub(crate) use load::{LoadResult, LoadTrigger};
pub(crate) use loaded::LoadedFile;
pub use loaded::Memory;
pub use sources::Instructions;
