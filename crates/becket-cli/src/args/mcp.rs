//! The arguments of `becket mcp`.

use clap::{Args, Subcommand, ValueEnum};

/// `becket mcp`
#[derive(Debug, Args)]
#[command(
    after_help = "Servers come from `.mcp.json`, from `mcpServers` in settings and in the user's own file, from \
plugins, and from --mcp-config."
)]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) servers: McpServersArgs,
    #[command(subcommand)]
    pub(crate) command: McpCommand,
}

/// Which servers there are.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct McpServersArgs {
    /// More servers, as a file or as JSON like `.mcp.json`; may be repeated
    #[arg(long, value_name = "FILE|JSON", global = true)]
    pub(crate) mcp_config: Vec<String>,
    /// Only the servers of --mcp-config, and what policy says about them
    #[arg(long, global = true)]
    pub(crate) strict_mcp_config: bool,
    /// Use the servers of a project without an approval of each, as for a workspace that is trusted whole
    #[arg(long, global = true)]
    pub(crate) approve_all: bool,
}

/// The commands of `becket mcp`.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the servers: where each comes from, how it is reached, whether it is connected, and if not, why
    List(McpListArgs),
    /// Show each step of connecting a server, with its time and what went wrong
    Doctor {
        /// Only this server
        server: Option<String>,
    },
    /// Show the tools of a server
    Tools(McpToolsArgs),
    /// Let a server of the project be used, as long as its entry stays as it is
    Approve {
        /// The server
        server: String,
        /// Take the approval back
        #[arg(long)]
        revoke: bool,
    },
    /// Add a server to a file
    Add(McpAddArgs),
    /// Add a server to a file, its entry as JSON
    AddJson(McpAddJsonArgs),
    /// Remove a server from a file
    Remove {
        /// The server
        name: String,
        /// Whose file; without it the one that has the server
        #[arg(long, value_enum)]
        scope: Option<McpScope>,
    },
}

/// `becket mcp list`
#[derive(Debug, Args)]
pub(crate) struct McpListArgs {
    /// Say what is configured, and connect nothing
    #[arg(long)]
    pub(crate) no_connect: bool,
}

/// `becket mcp tools`
#[derive(Debug, Args)]
pub(crate) struct McpToolsArgs {
    /// The server
    pub(crate) server: String,
    /// With the schema of each input
    #[arg(long)]
    pub(crate) schema: bool,
}

/// `becket mcp add`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  becket mcp add time -- uvx mcp-server-time
  becket mcp add --transport http --header 'Authorization: Bearer ${TOKEN}' issues https://example.com/mcp")]
pub(crate) struct McpAddArgs {
    /// The name of the server
    pub(crate) name: String,
    /// Its address, or its command with arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "URL|COMMAND")]
    pub(crate) target: Vec<String>,
    /// Whose file
    #[arg(long, value_enum, default_value_t = McpScope::Local)]
    pub(crate) scope: McpScope,
    /// How it is reached; without it an address means http, and anything else stdio
    #[arg(long, value_enum)]
    pub(crate) transport: Option<McpTransport>,
    /// A header of each request; may be repeated
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// A variable of its environment; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Replace an entry of the same name
    #[arg(long)]
    pub(crate) replace: bool,
}

/// `becket mcp add-json`
#[derive(Debug, Args)]
pub(crate) struct McpAddJsonArgs {
    /// The name of the server
    pub(crate) name: String,
    /// Its entry
    #[arg(value_name = "JSON|@FILE|-")]
    pub(crate) entry: String,
    /// Whose file
    #[arg(long, value_enum, default_value_t = McpScope::Local)]
    pub(crate) scope: McpScope,
    /// Replace an entry of the same name
    #[arg(long)]
    pub(crate) replace: bool,
}

/// Whose file a server is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpScope {
    /// The user's own, for this project
    Local,
    /// `.mcp.json` of the project
    Project,
    /// The user's own, for every project
    User,
}

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpTransport {
    Stdio,
    Http,
    Sse,
    Ws,
}
