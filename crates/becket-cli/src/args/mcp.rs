//! The arguments of `becket mcp`.

use super::{AsksChoice, ModelArgs, ServiceArgs};
use becket_tools::discovery::NamedServers;
use clap::{Args, Subcommand, ValueEnum};

/// `becket mcp`
#[derive(Debug, Args)]
#[command(
    after_long_help = "Servers come from `.mcp.json`, from `mcpServers` in settings and in the user's own file, from \
plugins, and from --mcp-config.

Examples:
  becket mcp list
  becket mcp doctor time
  becket mcp call time get_current_time '{\"timezone\": \"Europe/Berlin\"}'

Exit codes: 0 done, 1 an error, or wrong usage; `call` has more."
)]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) servers: McpServersArgs,
    #[command(subcommand)]
    pub(crate) command: McpCommand,
}

/// The selection of servers.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct McpServersArgs {
    /// More servers, as a file or as JSON like `.mcp.json`; may be repeated
    #[arg(long, value_name = "FILE|JSON", global = true)]
    pub(crate) mcp_config: Vec<String>,
    /// Use only the servers of --mcp-config, subject to policy
    #[arg(long, global = true)]
    pub(crate) strict_mcp_config: bool,
    /// Use the servers of a project without individual approvals, as in a fully trusted workspace
    #[arg(long, global = true)]
    pub(crate) approve_all: bool,
    /// Trust this folder: approvals in its own files count
    #[arg(long, global = true)]
    pub(crate) trust_project: bool,
}

impl McpServersArgs {
    /// Returns the servers that the arguments name.
    pub(crate) fn named_servers(&self) -> NamedServers {
        NamedServers {
            servers: self.mcp_config.clone(),
            alone: self.strict_mcp_config,
            approves_project: self.approve_all,
        }
    }
}

/// The commands of `becket mcp`.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the servers with their source, transport and connection state
    List(McpListArgs),
    /// Show each step of connecting to a server, with its time and errors
    #[command(after_long_help = "Examples:
  becket mcp doctor
  becket mcp doctor time

Exit codes: 0 every server is connected, 1 one is not, or an error, or wrong usage.")]
    Doctor {
        /// Only this server
        server: Option<String>,
    },
    /// Show the tools of a server
    Tools(McpToolsArgs),
    /// Call a tool, through the hooks and rules of the configuration
    Call(McpCallArgs),
    /// Serve the tools of the servers to an agent as one MCP server over stdio, behind hooks and rules
    Gateway(McpGatewayArgs),
    /// List the resources of a server, or read one
    #[command(after_long_help = "Examples:
  becket mcp resources notes
  becket mcp resources notes note://today

Exit codes: 0 done, 1 an error, or wrong usage.")]
    Resources {
        /// The server
        server: String,
        /// Read this resource
        uri: Option<String>,
    },
    /// List the prompts of a server, or fill one in
    Prompts(McpPromptsArgs),
    /// Log in to a server that requires authorization
    Login(McpLoginArgs),
    /// Remove the tokens of a server
    #[command(after_long_help = "Examples:
  becket mcp logout issues

Exit codes: 0 done, 1 an error, or wrong usage.")]
    Logout {
        /// The server
        server: String,
    },
    /// Approve a server of the project, as long as its entry does not change
    #[command(after_long_help = "Examples:
  becket mcp approve time
  becket mcp approve time --revoke
  becket mcp approve docs --agent reviewer

Exit codes: 0 done, 1 an error, or wrong usage.")]
    Approve {
        /// The server
        server: String,
        /// The agent of the project that describes the server in its `mcpServers`
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
        /// Revoke the approval
        #[arg(long)]
        revoke: bool,
    },
    /// Add a server to a file
    Add(McpAddArgs),
    /// Add a server to a file, with its entry as JSON
    AddJson(McpAddJsonArgs),
    /// Remove a server from a file
    #[command(after_long_help = "Examples:
  becket mcp remove time
  becket mcp remove time --scope project

Exit codes: 0 done, 1 an error, or wrong usage.")]
    Remove {
        /// The server
        name: String,
        /// The scope to remove it from; default: the one that has the server
        #[arg(long, value_enum)]
        scope: Option<McpScope>,
    },
}

/// `becket mcp list`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket mcp list
  becket mcp list --no-connect

Exit codes: 0 done, 1 an error, wrong usage, or with --strict a server that is not connected.")]
pub(crate) struct McpListArgs {
    /// Show the configuration without connecting
    #[arg(long)]
    pub(crate) no_connect: bool,
}

/// `becket mcp tools`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket mcp tools time
  becket mcp tools time --schema

Exit codes: 0 done, 1 an error, or wrong usage.")]
pub(crate) struct McpToolsArgs {
    /// The server
    pub(crate) server: String,
    /// Include the schema of each input
    #[arg(long)]
    pub(crate) schema: bool,
}

/// `becket mcp call`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket mcp call time get_current_time '{\"timezone\": \"Europe/Berlin\"}'
  becket mcp call --nobody-to-ask notes add @note.json

Exit codes: 0 done, 1 an error or a tool that says it failed, 2 denied, 3 needs confirmation, or deferred by a hook.")]
pub(crate) struct McpCallArgs {
    /// The server
    pub(crate) server: String,
    /// The tool, by its name on the server or its full name
    pub(crate) tool: String,
    /// Its input as JSON, from a file, or from stdin
    #[arg(value_name = "JSON|@FILE|-", default_value = "{}", allow_hyphen_values = true)]
    pub(crate) input: String,
    /// Bypass all hooks and rules, with a warning
    #[arg(long, conflicts_with_all = ["nobody_to_ask", "mode", "model", "model_script", "allow_network", "answers"])]
    pub(crate) no_hooks: bool,
    /// Decide as in a session without a user: an ask becomes a denial
    #[arg(long)]
    pub(crate) nobody_to_ask: bool,
    /// The permission mode; default: the one that sessions start in
    #[arg(long, value_parser = ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"])]
    pub(crate) mode: Option<String>,
    /// Time limit in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) services: ServiceArgs,
}

/// `becket mcp gateway`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket mcp gateway
  becket mcp gateway --server notes --asks pass

An agent starts it as an MCP server, in its project:
  {\"mcpServers\": {\"becket\": {\"command\": \"becket\", \"args\": [\"mcp\", \"gateway\"]}}}

The tool `add` of the server `notes` is offered as `notes__add`; hooks and rules see `mcp__notes__add`. A call that is not
allowed is answered with an error and the reason.

Exit codes: 0 the agent has ended it, 1 an error, or wrong usage.")]
pub(crate) struct McpGatewayArgs {
    /// Offer the tools of this server only; may be repeated
    #[arg(long = "server", value_name = "NAME")]
    pub(crate) servers: Vec<String>,
    /// Deny every ask, or ask the user through the agent, if it can show a form (MCP elicitation)
    #[arg(long, value_enum, default_value_t = AsksChoice::Deny)]
    pub(crate) asks: AsksChoice,
    /// Time limit of a call in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// Refuse a call if the hooks before it take longer than SECONDS; by default each hook has its own limit
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) within: Option<u64>,
    /// List the tools after SECONDS at the latest; those of slower servers are announced when they are connected
    #[arg(long, value_name = "SECONDS", default_value_t = 8)]
    pub(crate) list_within: u64,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
}

/// `becket mcp prompts`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket mcp prompts notes
  becket mcp prompts notes summary day=today

Exit codes: 0 done, 1 an error, or wrong usage.")]
pub(crate) struct McpPromptsArgs {
    /// The server
    pub(crate) server: String,
    /// Fill this prompt in
    pub(crate) prompt: Option<String>,
    /// Arguments of the prompt
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,
}

/// `becket mcp login`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket mcp login issues
  becket mcp login issues --paste

No browser is opened: the URL for the login is printed.

Exit codes: 0 done, 1 an error, or wrong usage.")]
pub(crate) struct McpLoginArgs {
    /// The server
    pub(crate) server: String,
    /// Read the final URL of the browser from stdin, for a browser on another machine
    #[arg(long)]
    pub(crate) paste: bool,
    /// Keep the tokens in a file, even if this program was built to keep them in the system's keyring
    #[arg(long)]
    pub(crate) in_file: bool,
}

/// `becket mcp add`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket mcp add time -- uvx mcp-server-time
  becket mcp add --transport http --header 'Authorization: Bearer ${TOKEN}' issues https://example.com/mcp

Exit codes: 0 done, 1 an error, or wrong usage.")]
pub(crate) struct McpAddArgs {
    /// The name of the server
    pub(crate) name: String,
    /// Its URL, or its command with arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "URL|COMMAND")]
    pub(crate) target: Vec<String>,
    /// The scope to write to
    #[arg(long, value_enum, default_value_t = McpScope::Local)]
    pub(crate) scope: McpScope,
    /// Transport; without it a URL means http, and anything else stdio
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
#[command(after_long_help = "Examples:
  becket mcp add-json time '{\"command\": \"uvx\", \"args\": [\"mcp-server-time\"]}'

Exit codes: 0 done, 1 an error, or wrong usage.")]
pub(crate) struct McpAddJsonArgs {
    /// The name of the server
    pub(crate) name: String,
    /// Its entry
    #[arg(value_name = "JSON|@FILE|-")]
    pub(crate) entry: String,
    /// The scope to write to
    #[arg(long, value_enum, default_value_t = McpScope::Local)]
    pub(crate) scope: McpScope,
    /// Replace an entry of the same name
    #[arg(long)]
    pub(crate) replace: bool,
}

/// The scope of a server, which selects the file it is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpScope {
    /// The user's own, for this project
    Local,
    /// `.mcp.json` of the project
    Project,
    /// The user's own, for every project
    User,
}

/// The transport of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpTransport {
    Stdio,
    Http,
    Sse,
    Ws,
}
