//! The arguments of `becket install`, `uninstall` and `doctor`.

use clap::Args;
use std::path::PathBuf;

/// `becket install`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket install gemini --dry-run
  becket install all
  becket install codex --user
  becket install gemini --repair

Without --user and --project the hooks are registered in the project if it has a `.claude/settings.json` or one was found above,
and in the user's own configuration otherwise. `becket doctor` shows what is registered, `becket uninstall` removes it.

Exit codes: 0 everything is registered, 1 an agent was left as it was, 2 wrong usage.")]
pub(crate) struct InstallArgs {
    /// The agents: claude, codex, gemini, qwen, copilot, droid, kimi, cline, hermes, opencode, kilo, pi, cursor, windsurf;
    /// `all` stands for those found on this machine
    #[arg(value_name = "AGENT|all", required_unless_present = "list")]
    pub(crate) agents: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Rewrite files that becket wrote, even if they were edited since
    #[arg(long)]
    pub(crate) repair: bool,
    /// Rewrite shell lines to run under `becket exec` if the agent takes rewrites, as `fire --exec-rewrite` does
    ///
    /// The rules then hold for every program that a line executes. It stays until the agent is uninstalled.
    #[arg(long, hide_short_help = true)]
    pub(crate) exec_rewrite: bool,
    /// Only list what is registered
    #[arg(long, conflicts_with_all = ["agents", "dry_run", "repair", "only_hook", "program", "exec_rewrite"])]
    pub(crate) list: bool,
    /// Register with Claude Code too, which runs these hooks itself: for a Claude Code whose only hook is becket
    #[arg(long)]
    pub(crate) only_hook: bool,
    /// The program that the hooks of the user start; default: the `becket` of PATH, or this one
    #[arg(long, value_name = "PATH", conflicts_with = "project")]
    pub(crate) program: Option<PathBuf>,
}

/// The scope of a registration.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ScopeArgs {
    /// In the user's own configuration: hooks of a project run only if the user trusts its folder
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,
    /// In the configuration of the project, for everyone who works on it; `becket` is found on PATH
    #[arg(long)]
    pub(crate) project: bool,
}

/// `becket uninstall`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket uninstall gemini --dry-run
  becket uninstall all

Without --user and --project both are undone; `uninstall all` also undoes what was registered in other projects.

Exit codes: 0 nothing of becket is left, 1 something was left as it was, 2 wrong usage.")]
pub(crate) struct UninstallArgs {
    /// The agents, or `all`
    #[arg(value_name = "AGENT|all", required = true)]
    pub(crate) agents: Vec<String>,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Show the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `becket doctor`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket doctor
  becket doctor --prove gemini

--prove starts the agents themselves, as they are installed, in a scratch home and project, against a scripted model on this
machine: without keys, and without any request that leaves it. Guards in the project deny six things; nothing is left behind.

Exit codes: 0 everything that is registered works, 1 something does not, 2 wrong usage. With --prove: 0 every denial held, 1 one
did not, 2 an agent could not be tried.")]
pub(crate) struct DoctorArgs {
    /// Only these agents
    #[arg(value_name = "AGENT", required_if_eq("prove", "true"))]
    pub(crate) agents: Vec<String>,
    /// Start each agent and show whether denials of hooks take effect there
    #[arg(long)]
    pub(crate) prove: bool,
    /// The limit of each of the two runs of an agent
    #[arg(long, value_name = "SECONDS", requires = "prove", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
}

/// `becket trust`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket trust
  becket trust ~/work/shop
  becket trust --revoke
  becket trust --list

Trust covers a repository, or a directory with everything below it, but not the repositories inside. It is recorded in the user's
own `~/.claude.json`, where Claude Code records it as well. Only a person at a terminal can give it.

Exit codes: 0 done, 1 nothing was recorded, or hooks still run by another record, 2 wrong usage.")]
pub(crate) struct TrustArgs {
    /// The folder; default: the working directory
    pub(crate) path: Option<PathBuf>,
    /// Withdraw the trust
    #[arg(long)]
    pub(crate) revoke: bool,
    /// List the folders that are trusted
    #[arg(long, conflicts_with_all = ["path", "revoke"])]
    pub(crate) list: bool,
}
