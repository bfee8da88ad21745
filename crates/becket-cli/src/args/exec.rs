//! The arguments of `becket exec`.

use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// The network of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetworkChoice {
    Local,
    None,
}

/// `becket exec`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket exec -- make release                         # under the rules of the settings
  becket exec --deny 'Bash(git push *)' -- bash -c 'make && ./deploy.sh'
  becket exec --ask 'Bash(npm publish *)' -- npm run release
  becket exec --write . --write /tmp --network none -- make test
  becket exec --allow-domain '*.crates.io' --allow-domain github.com -- cargo fetch

A denied program ends with 126 and one line on stderr; the others go on. Linux only.

Exit codes: those of PROGRAM, 128 and the number of a signal that ended it, 126 if a rule denies it,
125 if nothing was run.")]
pub(crate) struct ExecArgs {
    /// Deny programs that match RULE, as in `permissions.deny`: 'Bash(git push *)'; may be repeated
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// Ask before programs that match RULE run, as in `permissions.ask`; without a terminal they are denied
    #[arg(long, value_name = "RULE")]
    pub(crate) ask: Vec<String>,
    /// Take the rules from a settings file; with --deny, --ask or --rules, only managed settings apply as well
    #[arg(long, value_name = "FILE", conflicts_with = "settings")]
    pub(crate) rules: Option<PathBuf>,
    /// Take the rules from JSON; `fire --exec-rewrite` writes it
    #[arg(long, value_name = "JSON", hide = true, conflicts_with_all = ["deny", "ask", "rules", "settings"])]
    pub(crate) line_rules: Option<String>,
    /// Let the programs write only below DIR; may be repeated
    #[arg(long, value_name = "DIR", help_heading = "Rights")]
    pub(crate) write: Vec<PathBuf>,
    /// Let the programs read and execute only below DIR; may be repeated
    #[arg(long, value_name = "DIR", help_heading = "Rights")]
    pub(crate) read: Vec<PathBuf>,
    /// Keep the programs from writing to PATH and everything below it, wherever it is; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Rights")]
    pub(crate) deny_write: Vec<PathBuf>,
    /// Keep the programs from reading or writing PATH and everything below it; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Rights")]
    pub(crate) deny_read: Vec<PathBuf>,
    /// Let the programs reach only this machine's sockets (`local`), or open no socket at all
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Rights")]
    pub(crate) network: Option<NetworkChoice>,
    /// Let the programs reach only HOST, through a proxy: example.com, '*.example.com', example.com:443; may be
    /// repeated
    #[arg(long, value_name = "HOST", help_heading = "Rights", conflicts_with = "network")]
    pub(crate) allow_domain: Vec<String>,
    /// Keep the programs from reaching HOST, even if it is allowed; may be repeated
    #[arg(long, value_name = "HOST", help_heading = "Rights", conflicts_with = "network")]
    pub(crate) deny_domain: Vec<String>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_names = ["PROGRAM", "ARG"])]
    pub(crate) command: Vec<OsString>,
}
