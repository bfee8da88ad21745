//! The configuration of MCP servers, `{"mcpServers": {"name": {"command": …}}}`.
//!
//! - `layer` reads a file of servers and `settings` a file with other settings too; only malformed JSON makes a whole
//!   file fail.
//! - `entry` reads one server; an error in it leaves the others usable.
//! - `expand` expands `${VAR}` and `${VAR:-default}`; `server` is the result, with every variable expanded.
//! - `policy`, `choices` and `approvals` decide which servers are allowed; `resolve` applies them, and decides between
//!   entries of one name. `fingerprint` identifies contents: for approvals, and for shared connections.
//! - `file_directory` is where the servers of a project's file start.
//! - `edit` writes entries back into a text.
//!
//! It does not read files or the environment, drop a server silently, or show a value that may be secret.
//!
//! ```
//! use becket_mcp::config::{self, Approvals, Gates, Scope};
//!
//! let user = r#"{"deniedMcpServers": [{"serverUrl": "https://*.example.net/*"}]}"#;
//! let project = r#"{"mcpServers": {
//!   "docs": {"type": "http", "url": "https://docs.example.org/mcp"},
//!   "evil": {"type": "http", "url": "https://docs.example.org@mcp.example.net/"},
//!   "odd": {"type": "http", "url": "https://mcp.example.net/"}
//! }}"#;
//! let mut settings = config::read_settings(user, "settings.json".as_ref(), Scope::User)?;
//! settings.layers.push(config::read_file(project, ".mcp.json".as_ref(), Scope::Project)?);
//! let gates = Gates {
//!     policy: &settings.policy,
//!     choices: &settings.choices,
//!     approvals: &Approvals::default(),
//!     project: "/home/u/project",
//!     workspace_trusted: true,
//!     exclusive: false,
//! };
//! let resolved = config::resolve(settings.layers, &[], &gates);
//! let shown: Vec<String> = resolved.servers.iter().map(|server| match &server.status {
//!     config::Status::Allowed => format!("{}: allowed", server.name),
//!     config::Status::Disabled(why) => format!("{}: {why}", server.name),
//! }).collect();
//! assert_eq!(shown[0], "docs: it is not approved yet: read its entry, then approve it");
//! assert!(shown[2].starts_with("odd: settings.json:1:23: `deniedMcpServers` denies it"));
//! assert!(resolved.servers[1].config.is_err());
//! # Ok::<(), config::ConfigError>(())
//! ```

mod approvals;
mod choices;
mod configured_server;
pub mod edit;
mod entry;
mod error;
mod expand;
mod file_directory;
mod fingerprint;
mod grant;
mod layer;
mod members;
mod name;
mod pairs;
mod place;
mod policy;
mod resolve;
mod scope;
mod server;
mod settings;
mod status;
mod warning;

pub use approvals::{Approvals, ApprovalsError};
pub use choices::Choices;
pub use configured_server::{ConfiguredServer, read};
pub use error::{ConfigError, ServerConfigError};
pub use fingerprint::{ConfigKey, Fingerprint};
pub use grant::{Algorithm, Grant, IdentityProvider, PrivateKey};
pub use layer::{Layer, read_file};
pub use name::ServerName;
pub use place::Place;
pub use policy::McpPolicy;
pub use resolve::{Gates, ResolvedServers, resolve};
pub use scope::{PluginValues, Scope};
pub(crate) use server::shown_url;
pub use server::{Ide, OAuth, Proxy, Remote, ServerConfig, Stdio, Tls, Transport};
pub use settings::{Settings, read_settings, read_user_file};
pub use status::{DisabledReason, PolicyReason, Status};
pub use warning::ServerWarning;
