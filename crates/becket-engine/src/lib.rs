//! The embeddable hook engine.
//!
//! An event is matched to a [`Plan`]; the plan runs handlers; their replies and failures are folded into one
//! verdict; everything that happened is one ordered stream of [`RunEvent`]s. Planning and folding do no I/O;
//! loading a configuration and running handlers are the only effects. The library reads no environment and no home
//! directory: it knows only the [`Environment`] that the caller passes in.
//!
//! [`Engine`] is the entry point: [`Engine::builder`], [`Engine::plan`], [`Engine::fire`].
//!
//! # The folders, in the order of the flow
//!
//! | folder | content |
//! |---|---|
//! | `host` | the traits and values that a host passes in: environment, tools, MCP servers, callbacks, questions |
//! | [`config`] | settings, plugins and frontmatter: loaded, compiled and checked |
//! | `plan` | the handlers that an event runs, and the reason for each that does not run |
//! | `permission` | permission rules and modes beside a verdict: the settlement of a call |
//! | `report` | the outcome of an event, and the stream of what happened |
//! | `background` | hooks that outlive their event |
//! | `handlers` | a folder for each kind of handler, and the context that they share |
//! | `dispatch` | runs a plan: all handlers at the same time |
//! | `engine` | the public API, which ties all of it together |
//!
//! A folder uses only those above it; a test ensures that. Ids such as `H9` in comments name rules of the protocol,
//! which is `docs/protocol.md` in the repository.
//!
//! # Features
//!
//! Both are on by default. Without one, each of its handlers fails with an error that names the feature, and a handler
//! whose failures block still blocks.
//!
//! | feature | what it adds |
//! |---|---|
//! | `http` | HTTP handlers, with TLS and an HTTP client |
//! | `models` | prompt and agent handlers, with `becket-llm` |

#![cfg_attr(
    not(all(feature = "http", feature = "models")),
    expect(dead_code, reason = "parts that only the handlers of a missing feature use")
)]

// What a host passes in.
mod host;

// From settings to a plan.
pub mod config;
mod plan;

// From replies to a settled call, and what is reported of it.
mod permission;
mod report;

// The effects.
mod background;
mod dispatch;
mod handlers;

// The public API.
mod engine;

#[cfg(test)]
mod testing;

/// The models that [`Builder::models`] takes, with the types of their conversations.
#[cfg(feature = "models")]
pub use becket_llm as llm;
/// Events, replies and verdicts.
pub use becket_model as model;
pub use becket_process::CancellationToken;

pub use host::callback::{Callback, CallbackAnswer, Hook, InProcess, IntoAnswer};
pub use host::confinement::HookConfinement;
#[cfg(feature = "models")]
pub use host::conversation::Conversations;
pub use host::environment::Environment;
pub use host::mcp_tools::{McpAnswer, McpCall, McpTools};
pub use host::panic::catch_panic;
pub use host::profile::Profile;
pub use host::questions::{Answer, AnsweredQuestion, AskUser, Choice, Question};
pub use host::standby::{HookStandby, HookStandbyEnd, HookStandbyState, HookStandbys};
#[cfg(feature = "models")]
pub use host::tool::{Effect, Hints, RunningCall, Tool, ToolCall, ToolFailure, ToolOutput, ToolServer};
pub use host::tool_set::ToolSet;

pub use config::nesting::{EventMark, NotAMark};
pub use config::{handler, hookset};
pub use plan::gates::{Gates, Start};
pub use plan::registrations::RegistrationId;
pub use plan::skip::{SkipReason, SkippedHandler, Stage};
pub use plan::tool_input::absolute;
pub use plan::{Plan, PlannedRun};

pub use permission::decide::Settlement;
pub use permission::start_mode::StartMode;
pub use report::audit::{AuditLog, AuditedVerdict, NotAudited, NotRecorded};
pub use report::background_id::BackgroundId;
pub use report::decision::Decision;
pub use report::model_use::ModelUse;
pub use report::outcome::{EffectiveInput, Outcome, OutputSizes, Run, Status};
pub use report::run_event::{Observer, OutputStream, RunEvent, RunEventKind};
pub use report::stream::{RunEvents, StreamItem};
pub use report::withheld_answer::WithheldAnswer;

pub use background::{
    BackgroundDelivery, BackgroundFile, BackgroundHook, Owner, PendingState, RecordedHook, UnreadableRecord,
    Wake, Wakes, background_in,
};
pub use handlers::callback::InvalidCallback;
#[cfg(feature = "http")]
pub use handlers::http::{Resolve, SystemResolver};
pub use handlers::interceptor::{InterceptedRun, RunEnd, RunInterceptor};
#[cfg(feature = "models")]
pub use handlers::prompt::Transcripts;

pub use engine::builder::{Builder, LoadedConfig, StartError};
pub use engine::program_rules::{ProgramRule, ProgramRules};
pub use engine::ready::ReadyEvent;
pub use engine::updates::{AppliedChange, AppliedUpdates};
pub use engine::{ConfigChanged, Engine, HostOperations, PendingConfigChange, ReloadError};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
