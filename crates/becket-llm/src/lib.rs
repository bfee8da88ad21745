//! Clients for language models.
//!
//! The main interface is the trait [`Model`]: it takes a [`Request`] and returns a stream of [`Delta`]s or a complete
//! [`Response`]. [`Anthropic`] implements the Messages API natively, [`Genai`] every other provider, and
//! [`ScriptedModel`] answers from a file, offline. [`Providers`] resolves a name to a model. [`judge`] reads the
//! verdict of a model; it does no I/O.
//!
//! This crate reads no environment variables and no home directory: the host passes keys and URLs. It sets no deadline
//! either, only limits on connecting and on silence: the caller owns the deadline, and dropping a future or a stream
//! closes its connection.
//!
//! ```
//! use becket_llm::{Model, Output, Request, Script, ScriptedModel, Thinking, Turn, judge};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! // A scripted model; a host would ask `Providers` for the one a hook names.
//! let turn = Turn::json(serde_json::json!({"reason": "it only lists files", "ok": true}));
//! let model = ScriptedModel::new(Script::new("offline", vec![turn.expecting("ls -l")]));
//!
//! let request = Request {
//!     output: Output::Json { name: "verdict".into(), schema: judge::verdict_schema(false) },
//!     thinking: Thinking::Off,
//!     ..Request::user("May `ls -l` run?")
//! };
//! let answer = model.respond(&request).await.unwrap();
//! let verdict = judge::read_verdict(&answer.text()).unwrap();
//! assert!(verdict.ok);
//! # });
//! ```
//!
//! INVARIANT: a key never appears in a `Debug`, a `Display` or an error, even if a server echoes it. rule: S3

// A request and its response.
mod delta;
mod error;
mod message;
mod price;
mod rate_limit;
mod request;
mod response;
mod spec;
mod table;

// The trait of all models, and the HTTP client.
mod http;
mod model;

// The models.
mod anthropic;
mod endpoint;
mod genai_model;
mod scripted;

// Name resolution, and the verdict in an answer.
pub mod judge;
mod providers;

pub use becket_base::secret::Secret;

pub use delta::{BrokenCall, Collector, Delta};
pub use error::ModelError;
pub use message::{Block, Message, Object, Role};
pub use price::{LongContext, Price, Rates};
pub use rate_limit::RateLimit;
pub use request::{Effort, Output, PromptCaching, Request, Thinking, ThinkingDisplay, ToolChoice, ToolSpec};
pub use response::{Response, StopReason, Usage};
pub use spec::ModelSpec;
pub use table::{ModelTable, ModelTableError};

pub use http::{HttpClientError, HttpOptions, Roots, http_client, http_client_builder};
pub use model::{Capabilities, Model, Models, SingleModel};

pub use anthropic::{Anthropic, Credential, StructuredOutput};
pub use endpoint::Endpoint;
pub use genai_model::Genai;
pub use scripted::{RecordedRequest, Script, ScriptError, ScriptedModel, Turn};

pub use providers::Providers;

/// The example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
