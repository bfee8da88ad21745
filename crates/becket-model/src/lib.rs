//! The data of agent hooks: the events, their possible effects, the answers of handlers and the verdicts that these
//! answers lead to.
//!
//! Everything here is pure: no I/O, no clock, no environment, no async runtime. The parts, in the order in which
//! an event meets them:
//!
//! - [`event`]: the 33 events, one struct each, and the facts of a session
//! - [`table`]: THE event table, which says what each event may do
//! - [`wire`]: the JSON that handlers read and write
//! - [`interpret`]: a handler's raw output becomes a [`Reply`] or a [`Failure`]
//! - [`fold`]: replies and failures become one [`Verdict`]
//! - [`schema`]: JSON Schemas of all of it
//!
//! [`Rights`] restrict a program that an event allows, and [`PROTECTED_FILES`] are those that nothing edits unasked.

pub mod event;
pub mod fold;
pub mod interpret;
pub mod schema;
pub mod table;
pub mod wire;

mod failure;
mod ids;
mod protected_files;
mod reply;
mod rights;
mod sandbox_answer;
mod source;
mod tool_name;
mod verdict;

pub use event::{Event, EventBody, EventKind, Session};
pub use failure::Failure;
pub use ids::{AgentId, PromptId, SessionId};
pub use protected_files::PROTECTED_FILES;
pub use reply::{
    ContextText, DecidedBy, Decision, ElicitationAction, Fields, Notice, PermissionDecision, Reply,
    ReplyFields, RequestDecision, Stop,
};
pub use rights::{DomainRights, NetworkRights, PathRights, Rights, SignalRights};
pub use sandbox_answer::{CallFiles, CallNetwork, CallSandbox, SandboxAnswer};
pub use source::{Enforcement, HandlerOrigin, OnFailure, PluginSource, Privileges, Source};
pub use tool_name::{as_tool_name, is_tool_name_char};
pub use verdict::{
    Attributed, ObservedAnswer, ObservedEffect, Reason, Ruling, Verdict, VerdictFields, continued,
};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
