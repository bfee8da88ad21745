//! The MCP servers of a host, over stdio: connected ahead of time, called under a deadline, ended without a trace.
//!
//! [`config::read`] reads what a user wrote, [`Servers::connect`] starts what it names, [`Servers::call`] calls a tool,
//! [`Servers::close`] ends all of it.
//!
//! - Each server is the leader of a session of its own. It gets the environment it is given and one variable by which
//!   those whom it leaves behind are found, `BECKET_MCP_SERVER`. Its stderr is always drained; the end of it is part of
//!   every error that it may explain.
//! - Each call has a deadline, whatever the server and the pipes do, and happens once. A call that is given up is
//!   cancelled at the server.
//! - What is wrong with one server is that server's error and leaves the others as they are.
//! - In the end no process is left: not the server, nor what it started, as far as that can be seen on Linux.
//!
//! It refuses to read files or the environment; to connect anything but stdio servers, which is an error that says so;
//! to connect at a call, to connect again, or to repeat a call; to trust what a server says about itself; and to offer
//! a server anything of its host (no sampling, no roots, no elicitation).
//!
//! ```
//! use becket_mcp::{CancellationToken, Options, Outcome, Servers, ToolCall, config};
//! use std::time::Duration;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let text = r#"{"mcpServers": {"time": {"command": "no-such-program"}}}"#;
//! let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
//! let configured = config::read(text, ".mcp.json".as_ref(), &environment)?;
//!
//! let cancel = CancellationToken::new();
//! let servers = Servers::connect(configured, &Options::new(environment, "/"), &cancel).await;
//! for (name, outcome) in servers.outcomes() {
//!     if let Outcome::Failed { why } = outcome {
//!         assert!(format!("{name}: {why}").starts_with("time: program `no-such-program` was not found"));
//!     }
//! }
//! let call = ToolCall { server: "tmie", tool: "now", input: Default::default(), limit: Duration::from_secs(5) };
//! let error = servers.call(call, &cancel).await.unwrap_err();
//! assert_eq!(error.to_string(), "there is no MCP server `tmie` (did you mean `time`?): configured: `time`");
//! servers.close().await;
//! # Ok::<(), config::ConfigError>(())
//! # }).unwrap();
//! ```

pub mod auth;
mod call_error;
pub mod config;
mod connect_error;
mod connection;
mod content;
pub mod elicitation;
mod fault;
mod host;
mod lists;
mod names;
mod options;
mod output;
mod prompt;
mod resource;
mod secret;
mod servers;
mod suggest;
#[allow(dead_code, reason = "the transports that use it come with the next changes")]
mod tls;
mod tool;

pub use becket_process::{ByteCap, CancellationToken, End, SpawnError};
pub use call_error::CallError;
pub use connect_error::ConnectError;
pub use connection::{ClientGone, InProcessServer, ServerEnd, ServerSender};
pub use content::{CallResult, Content};
pub use fault::{Challenge, Fault, Said};
pub use host::{Elicitation, ElicitationAnswer, Host, Lent, Logged, Offers, Progress, Root};
pub use lists::{Debounce, Listed, Lists, Ticket};
pub use names::{Name, NameWarning, Names};
pub use options::Options;
pub use output::{Limited, OutputCaps, ReplaceError, Shown, SpillError};
pub use prompt::{Prompt, PromptArgument, PromptError, PromptMessage, PromptResult, PromptRole};
pub use resource::{
    Mention, Resource, ResourceBody, ResourceContents, ResourceTemplate, Resources, mentions,
};
pub use secret::Secret;
pub use servers::{Outcome, Servers, ToolCall};
pub use tool::{Hints, InputError, Tool};
