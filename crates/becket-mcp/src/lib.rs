//! The MCP servers of a host: connected on demand, shared by all callers, called under a deadline, and ended without
//! leaving anything behind.
//!
//! [`config`] reads the configuration, [`Pool::configure`] applies it, [`Pool::start`] connects the servers ahead of
//! time, [`Pool::call`] calls a tool, [`Pool::close`] ends all of them. Requests of servers to their host go to a
//! [`Host`].
//!
//! - There is one connection to a server, for all callers. If it broke, the next operation reconnects it.
//! - A server that is a process is the leader of a session of its own. It gets the environment that it is given and
//!   one variable by which its leftover processes are found, `BECKET_MCP_SERVER`. Its stderr is always drained; the
//!   end of it is part of every error that it may explain.
//! - Each call has a deadline, whatever the server and the network do. It is repeated only if the server can't have
//!   executed it the first time. An abandoned call is cancelled at the server.
//! - An error of one server does not affect the others.
//! - After the end nothing remains: no process of the server or its children (as far as Linux shows them), no socket,
//!   no task.
//!
//! It does not read the environment (except to reach a keyring, see below), trust a server's claims about itself, or
//! request anything from a host that it does not offer.
//!
//! # Files
//!
//! It reads and writes only these, and searches no home directory. Configurations are passed in as text.
//!
//! | What | When | How |
//! |---|---|---|
//! | [`Options::extra_ca`], [`auth::LoginOptions::extra_ca`], a server's `tls` files | it is connected with TLS | read |
//! | the root certificates of the platform | as above | read, by `rustls-platform-verifier` |
//! | a server's `privateKey`, `assertionFile`, `idTokenFile` ([`config::Grant`]) | a token is requested without a person | read |
//! | the file of [`auth::FileStore`], its directory, and `.lock` files beside it | a person's tokens are used, renewed, stored | read, written |
//! | with the feature `keyring`, files ending in `.keyring` beside the file of `auth::KeyringStore` | as above | read, written |
//! | the file of [`auth::AuthNeeded`], its directory, and a `.lock` file beside it | a server needs a login | read, written |
//! | the directory passed to [`CallResult::limited`] | an answer is too long to be shown | files in it written |
//! | `/proc` (Linux) | leftover processes of a server are ended | read |
//!
//! With the feature `keyring`, `auth::KeyringStore` uses the keyring of the system. On Linux it is reached over the
//! session bus, whose address the keyring's library reads from the environment (`DBUS_SESSION_BUS_ADDRESS`, else
//! `XDG_RUNTIME_DIR`).
//!
//! Files that a server process, or a `headersHelper`, reads and writes are not covered; nor are those that the
//! system's resolver reads for host names.
//!
//! ```
//! use becket_mcp::{CancellationToken, Connect, Options, Pool, ServerState, ToolCall, config};
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let text = r#"{"mcpServers": {"time": {"command": "no-such-program"}}}"#;
//! let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
//! let configured = config::read(text, ".mcp.json".as_ref(), &environment)?;
//!
//! let (pool, cancel) = (Pool::new(Options::new(environment, "/"), Arc::new(())), CancellationToken::new());
//! pool.configure(configured);
//! pool.start(&cancel).await;
//! for server in pool.servers() {
//!     let ServerState::Failed { why } = server.state else { panic!("it is connected") };
//!     assert!(why.to_string().starts_with("program `no-such-program` was not found"));
//! }
//! let (input, limit) = (Default::default(), Duration::from_secs(5));
//! let call = ToolCall { server: "tmie", tool: "now", input, limit, connect: Connect::IfNeeded };
//! let error = pool.call(call, &cancel).await.unwrap_err();
//! assert_eq!(error.to_string(), "there is no MCP server `tmie` (did you mean `time`?): configured: `time`");
//! pool.close().await;
//! # Ok::<(), config::ConfigError>(())
//! # }).unwrap();
//! ```

// Types of MCP, and the host's side of it.
mod challenge;
mod content;
mod host;
mod in_process_server;
mod lists;
mod names;
mod operation;
mod output;
mod prompt;
mod resource;
mod tool;

// Parts used by everything below.
mod owned_task;
mod tls;

// The configuration of servers, and the prerequisites of a connection.
pub mod auth;
pub mod config;
pub mod elicitation;
mod options;

// One connection, and its possible failures.
mod call_error;
mod connect_error;
mod connection;
mod fault;
mod login_error;

// The public interface: all connections of a host.
mod catalog;
mod pool;

pub use becket_base::secret::Secret;
pub use becket_process::{ByteCap, CancellationToken, End, SpawnError};

pub use challenge::Challenge;
pub use content::Content;
pub use host::{
    BoxFuture, Elicitation, ElicitationAnswer, Host, LogMessage, Offers, Progress, ProgressListener, Root,
};
pub use in_process_server::{ClientGone, InProcessServer, ServerEnd, ServerSender};
pub use lists::{Debounce, ListState, Lists, Ticket};
pub use names::{Name, NameWarning, Names, has_mark};
pub use operation::Operation;
pub use output::{CallResult, LimitedResult, OutputCaps, ReplaceError, ShownPart, SpillError};
pub use prompt::{Prompt, PromptArgument, PromptError, PromptMessage, PromptResult, PromptRole};
pub use resource::{
    Mention, Resource, ResourceBody, ResourceContents, ResourceTemplate, Resources, mentions,
};
pub use tool::{Hints, InputError, Tool, ToolList};

pub use options::{InvalidTimeout, Options};

pub use call_error::CallError;
pub use connect_error::ConnectError;
pub use connection::ServerInfo;
pub use fault::{Fault, ServerOutput};
pub use login_error::LoginError;

pub use pool::{Changes, Connect, Pool, PromptCall, ServerState, ServerView, ToolCall};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
