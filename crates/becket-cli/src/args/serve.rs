//! The arguments of `becket serve`.

use super::ModelArgs;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

/// `becket serve`
#[derive(Debug, Args)]
#[command(after_long_help = "Without --socket and --http, one client is served over stdin and stdout.
`becket schema rpc` describes the protocol. --plugin-dir, --settings and --strict apply to every session.

Examples:
  becket serve
  becket serve --socket ~/.cache/becket/becket.sock
  becket serve --http 127.0.0.1:0 --token-file token

Exit codes: 0 the client has ended it, 1 an error, 2 wrong usage.")]
pub(crate) struct ServeArgs {
    /// Use stdin and stdout, which is the default
    #[arg(long, conflicts_with = "socket")]
    pub(crate) stdio: bool,
    /// Listen on a Unix socket, in a directory that only its owner can enter (created if it is missing)
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Listen on a loopback address for HTTP, with a token in a file; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["stdio", "socket"])]
    pub(crate) http: Option<SocketAddr>,
    /// File with the token of HTTP: an existing one, or one to create [default: a new one, which is reported]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// End the sessions of an HTTP client without open requests for this many seconds
    #[arg(long, value_name = "SECONDS", requires = "http", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) linger: u64,
    /// Disconnect a client that reads nothing for this many seconds while messages wait for it
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) patience: u64,
    /// The MCP servers that mcp_tool handlers of each session may call, as a file like .mcp.json
    #[arg(long, value_name = "FILE", help_heading = "Services for hooks")]
    pub(crate) mcp_config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
}
