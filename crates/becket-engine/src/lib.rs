//! The embeddable hook engine.
//!
//! An event is matched to a [`Plan`]; the plan runs handlers; their replies and failures are folded into one
//! verdict; everything that happened is one ordered stream of [`RunEvent`]s. Planning and folding do no I/O;
//! loading a configuration and running handlers are the only effects. The library reads no environment and no home
//! directory: it knows what the caller hands in as an [`Environment`].
//!
//! [`Engine`] is the face: [`Engine::builder`], [`Engine::plan`], [`Engine::fire`].

pub mod config;
pub mod handler;
pub mod hookset;

mod agent;
mod background;
mod builder;
mod callback;
mod calls;
mod candidates;
mod decision;
mod dedupe;
mod dispatch;
mod engine;
mod environment;
mod facts;
mod fire;
mod gates;
#[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "only Windows looks for Git Bash"))]
mod git_bash;
mod host;
mod http;
mod long_text;
mod mcp_tool;
mod names;
mod nesting;
mod outcome;
mod panic;
mod placeholders;
mod plan;
mod plugin_data;
mod private_files;
mod profile;
mod prompt;
mod questions;
mod ran;
mod ready;
mod real_path;
mod registered;
mod run_command;
mod run_event;
mod running;
mod session_end;
mod settle;
mod settlement;
mod skip;
mod snapshot;
mod stream;
#[cfg(test)]
mod testing;
mod text_shell;
mod tool_input;
mod tools;
mod updates;
mod variables;

pub use agent::{AgentTools, ToolAnswer};
pub use background::{
    BackgroundId, Delivered, Listed, ListedHook, NotListed, Owner, Pending, PendingState, Wake, Wakes,
    background_in,
};
pub use becket_process::CancellationToken;
pub use builder::{Builder, StartError};
pub use callback::{Callback, CallbackAnswer, Hook, InProcess, IntoAnswer, InvalidCallback};
pub use decision::Decision;
pub use engine::{ConfigChanged, Engine, KeptOld};
pub use environment::Environment;
pub use gates::{Gates, Start};
pub use http::{Resolve, SystemResolver};
pub use mcp_tool::{McpAnswer, McpCall, McpTools};
pub use nesting::{EventMark, NotAMark};
pub use outcome::{Judged, Outcome, Printed, Run, Status};
pub use plan::{Plan, PlannedRun};
pub use profile::Profile;
pub use prompt::{Conversations, ModelUse, Transcripts};
pub use questions::{Answer, Answered, AskUser, Choice, Question};
pub use ready::ReadyEvent;
pub use registered::RegistrationId;
pub use run_event::{Observer, OutputStream, RunEvent, What};
pub use settle::Settlement;
pub use skip::{Skipped, Stage, Why};
pub use stream::{Heard, RunEvents};
pub use tool_input::absolute;
pub use tools::{Tools, UnknownTools};
pub use updates::{Applied, AppliedChange, StartMode};
