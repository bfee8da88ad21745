//! The arguments of `becket acp`.

use super::ModelArgs;
use clap::Args;
use std::ffi::OsString;

/// `becket acp`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket acp -- gemini --acp                          # an editor starts it instead of the agent

It speaks the Agent Client Protocol on both sides, and passes on what it does not decide about as it is. stderr says which
denials the agent lets it make.

Exit codes: 0 the editor has ended it, 1 an error, 2 wrong usage.")]
pub(crate) struct AcpArgs {
    /// Run the hooks of every project, without recorded trust in its folder
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// The agent and its arguments
    #[arg(last = true, required = true, value_name = "AGENT")]
    pub(crate) agent: Vec<OsString>,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
}
