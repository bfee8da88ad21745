//! The hook dialects of AI agents: their payloads read as events of the protocol, and decisions written as their answers.
//!
//! Everything here is pure: no I/O, no clock, no environment. The parts, in the order in which a payload passes them:
//!
//! - [`Dialect`]: the table of one agent; [`ALL`] contains them, one file each in `agents/`
//! - [`detect()`]: the agent that a payload comes from, by its fields
//! - [`read()`]: a payload becomes events, or a [`ReadError`] that names what is wrong
//! - [`answer()`] and [`refuse()`]: decisions, or the failure to make one, become exactly one [`Answer`]
//! - [`passes_ask()`]: checks whether an ask reaches the user
//! - [`acp`]: the protocol between an editor and an agent, for a proxy between the two
//! - [`fates`]: what an agent keeps, weakens and loses of the answers of a hook
//!
//! INVARIANT: no denial and no ask becomes an answer that the table of the agent lists as running the call.

pub mod acp;
mod agents;
mod answer;
mod detect;
mod dialect;
mod effect;
mod fate;
mod mcp_files;
mod quoted;
mod read;
mod resolution;
mod tool;

pub use agents::{ALL, dialect};
pub use answer::{Answer, Asks, CarriedContext, Reply, answer, passes_ask, refuse};
pub use detect::{DetectError, detect};
pub use dialect::{
    AnswerSupport, AskForm, Dialect, EventRow, HostTimeout, OutputForm, Proof, Sign, TimeUnit,
};
pub use effect::{AnswerForm, Effect};
pub use fate::{Ability, Fate, fates};
pub use mcp_files::McpFiles;
pub use read::{Facts, NativeCall, Payload, ReadError, derived_id, is_for_user, read};
pub use resolution::{Action, Resolution};
pub use tool::{CallShape, McpNames, ToolClass, ToolRow};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
