//! The arguments of `becket acp`.

use super::ServiceArgs;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// `becket acp`
#[derive(Debug, Args)]
#[command(after_help = "An editor starts it in place of the agent:
  becket acp -- gemini --acp

It speaks the Agent Client Protocol on both sides, and passes on what it does not decide about as it is. stderr says which
denials the agent lets it make. docs/guide/acp.md shows it at work.")]
pub(crate) struct AcpArgs {
    /// Run the hooks of every project, without recorded trust in its folder
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// The model of prompt and agent handlers that name none: haiku, claude-…, provider::name
    #[arg(long, value_name = "NAME", help_heading = "Services for hooks")]
    pub(crate) model: Option<String>,
    /// URL of the model's server; a NAME without a provider then means the OpenAI protocol
    #[arg(long, value_name = "URL", requires = "model", help_heading = "Services for hooks")]
    pub(crate) model_url: Option<String>,
    /// Answer from a script instead of any model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "model_url"], help_heading = "Services for hooks")]
    pub(crate) model_script: Option<PathBuf>,
    /// The agent and its arguments
    #[arg(last = true, required = true, value_name = "AGENT")]
    pub(crate) agent: Vec<OsString>,
}

impl AcpArgs {
    /// Returns the services for hooks.
    pub(crate) fn services(&self) -> ServiceArgs {
        ServiceArgs {
            model: self.model.clone(),
            model_url: self.model_url.clone(),
            model_script: self.model_script.clone(),
            ..ServiceArgs::default()
        }
    }
}
