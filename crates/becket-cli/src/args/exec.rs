//! The arguments of `becket exec`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// `becket exec`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  becket exec -- make release                         (under the rules of the settings)
  becket exec --deny 'Bash(git push *)' -- bash -c 'make && ./deploy.sh'
  becket exec --ask 'Bash(npm publish *)' -- npm run release

A denied program ends with 126 and one line on stderr; the others go on. Linux only; docs/guide/exec.md.

Exit codes: those of PROGRAM, 128 and the number of a signal that ended it, 126 if a rule denies it,
125 if nothing was run.")]
pub(crate) struct ExecArgs {
    /// Deny programs that match RULE, as in `permissions.deny`: 'Bash(git push *)'; may be repeated
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// Ask before programs that match RULE run, as in `permissions.ask`; without a terminal they are denied
    #[arg(long, value_name = "RULE")]
    pub(crate) ask: Vec<String>,
    /// Take the rules from a settings file; with --deny, --ask or --rules only managed settings count besides
    #[arg(long, value_name = "FILE", conflicts_with = "settings")]
    pub(crate) rules: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_names = ["PROGRAM", "ARG"])]
    pub(crate) command: Vec<OsString>,
}
