//! The MCP servers of a host: connected when they are needed, shared by all who ask, called under a deadline, ended without a
//! trace.
//!
//! [`config`] reads what a user wrote, [`Pool::configure`] takes it over, [`Pool::start`] connects it ahead of time,
//! [`Pool::call`] calls a tool, [`Pool::close`] ends all of it. What servers may ask of their host goes to a [`Host`].
//!
//! - There is one connection to a server, whoever asks for it. One that broke is made anew by whoever needs it next.
//! - A server that is a process is the leader of a session of its own. It gets the environment it is given and one
//!   variable by which those whom it leaves behind are found, `BECKET_MCP_SERVER`. Its stderr is always drained; the end of
//!   it is part of every error that it may explain.
//! - Each call has a deadline, whatever the server and the way to it do. It happens a second time only where the server
//!   can't have done it the first time. A call that is given up is cancelled at the server.
//! - What is wrong with one server is that server's error and leaves the others as they are.
//! - In the end nothing is left: no process, not what it started, as far as that can be seen on Linux, no socket, no task.
//!
//! It refuses to read the environment (but for the way to a keyring, below); to trust what a server says about itself; and to
//! ask a host for anything that it does not offer.
//!
//! # Files
//!
//! It reads and writes none but these, and looks for none in a home directory. Configurations are texts that it is handed.
//!
//! | What | When | How |
//! |---|---|---|
//! | [`Options::extra_ca`], [`auth::LoginOptions::extra_ca`], a server's `tls` files | it is connected with TLS | read |
//! | the root certificates of the platform | the same | read, by `rustls-platform-verifier` |
//! | a server's `privateKey`, `assertionFile`, `idTokenFile` ([`config::Grant`]) | a token is got without a person | read |
//! | the file of [`auth::FileStore`], its directory, and `.lock` files beside it | a person's tokens are used, renewed, kept | read, written |
//! | with the feature `keyring`, files ending in `.keyring` beside the file of `auth::KeyringStore` | the same | read, written |
//! | the file of [`auth::AuthNeeded`], its directory, and a `.lock` file beside it | a server wants a login | read, written |
//! | the directory that [`CallResult::limited`] is given | an answer is too long to be shown | files in it written |
//! | `/proc` (Linux) | what a server that was a process has left behind is ended | read |
//!
//! With the feature `keyring`, `auth::KeyringStore` goes to the keyring of the system. On Linux that is by the session's bus, whose
//! address the keyring's library reads from the environment (`DBUS_SESSION_BUS_ADDRESS`, else `XDG_RUNTIME_DIR`).
//!
//! What a server that is a process, or a `headersHelper`, reads and writes is its own affair; so is what the system's resolver
//! reads for names of hosts.
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

mod asked;
pub mod auth;
mod call_error;
mod catalog;
pub mod config;
mod connect_error;
mod connection;
mod content;
pub mod elicitation;
mod fault;
mod host;
mod lists;
mod login_error;
mod names;
mod options;
mod output;
mod owned_task;
mod pool;
mod prompt;
mod resource;
mod secret;
mod suggest;
mod tls;
mod tool;

pub use asked::Asked;
pub use becket_process::{ByteCap, CancellationToken, End, SpawnError};
pub use call_error::CallError;
pub use connect_error::ConnectError;
pub use connection::{ClientGone, InProcessServer, ServerEnd, ServerInfo, ServerSender};
pub use content::{CallResult, Content};
pub use fault::{Challenge, Fault, Said};
pub use host::{Elicitation, ElicitationAnswer, Host, Lent, Logged, Offers, Progress, Root};
pub use lists::{Debounce, Listed, Lists, Ticket};
pub use login_error::LoginError;
pub use names::{Name, NameWarning, Names};
pub use options::Options;
pub use output::{Limited, OutputCaps, ReplaceError, Shown, SpillError};
pub use pool::{Changes, Connect, Pool, PromptCall, ServerState, ServerView, ToolCall};
pub use prompt::{Prompt, PromptArgument, PromptError, PromptMessage, PromptResult, PromptRole};
pub use resource::{
    Mention, Resource, ResourceBody, ResourceContents, ResourceTemplate, Resources, mentions,
};
pub use secret::Secret;
pub use tool::{Hints, InputError, Tool, ToolList};
