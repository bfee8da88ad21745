//! The arguments of `becket fire`.

use super::EventFields;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `becket fire`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket fire PreToolUse --tool Bash --input '{\"command\": \"git push --force\"}'
  becket fire UserPromptSubmit --set prompt='hello there'
  becket fire PreToolUse --tool Bash --set tool_input.command='make deploy' --verbose
  becket fire PreToolUse --tool Bash --model-script answers-of-the-model.json
  becket --profile becket fire --stdin-event          # as a hook of another agent
  becket fire --dialect gemini                        # the same, of an agent with a dialect of its own

Exit codes: 0 allowed, 1 wrong usage or an error of becket's own, 2 blocked, 3 needs confirmation or deferred,
4 allowed but not checked. With --stdin-event: 0 or 2, and 2 for every error on an event that can be held back.")]
pub(crate) struct FireArgs {
    /// The event; with --stdin-event it is read from the input
    #[arg(required_unless_present_any = ["stdin_event", "dialect"])]
    pub(crate) event: Option<String>,
    #[command(flatten)]
    pub(crate) fields: EventFields,
    /// Read a whole hook input from stdin, and answer as a hook does: JSON on stdout, exit code 0 or 2
    #[arg(
        long,
        conflicts_with_all = ["event", "tool", "input", "set", "mode", "session", "json", "nobody_to_ask", "answers", "verbose"]
    )]
    pub(crate) stdin_event: bool,
    /// Read the hook input of another agent from stdin, and answer in that agent's form
    ///
    /// `auto` recognises the agent by the input. Agents: claude, codex, gemini, qwen, copilot, droid, kimi, cline,
    /// hermes, opencode, kilo, pi, cursor, windsurf. docs/guide/agents.md shows what each keeps, weakens and loses.
    /// Every failure on an event that can be blocked is a refusal in the agent's form.
    #[arg(
        long,
        value_name = "AGENT|auto",
        conflicts_with_all = ["event", "tool", "input", "set", "mode", "session", "json", "nobody_to_ask", "answers", "verbose", "no_wait"]
    )]
    pub(crate) dialect: Option<String>,
    /// Deny every ask, or pass it on whenever the agent has a form for it; default: pass it on if the agent asks or
    /// denies
    #[arg(long, value_enum, requires = "dialect", hide_short_help = true)]
    pub(crate) asks: Option<AsksChoice>,
    /// Refuse after SECONDS, since an agent runs the call when its hook takes too long; default: 5 s less than its limit
    #[arg(long, value_name = "SECONDS", requires = "dialect", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub(crate) within: Option<u64>,
    /// Run the hooks of a project only if the user trusts its folder: for a hook in the user's own configuration
    #[arg(long, requires = "dialect", hide_short_help = true)]
    pub(crate) user_scope: bool,
    /// Refuse unless the major version of this program is MAJOR; `install` writes it
    #[arg(long, value_name = "MAJOR", requires = "dialect", hide_short_help = true)]
    pub(crate) installed: Option<String>,
    /// Rewrite shell lines to run under `becket exec`, if the agent takes rewrites: the rules then hold for every program
    /// that a line executes
    ///
    /// A line that is denied or asked about stays as it is, and so does one that would be allowed by the rewrite alone.
    /// In the rewritten line, a `cd` has no effect on later lines, and an ask at exec is a denial. It has the rights
    /// that hooks leave to the call; a call with fewer rights whose line is not rewritten is denied.
    #[arg(long, hide_short_help = true)]
    pub(crate) exec_rewrite: bool,
    /// Run only the async hooks at these positions of the configuration; becket starts itself with this option
    #[arg(long, value_name = "POSITIONS", value_delimiter = ',', hide = true)]
    pub(crate) detached: Vec<u64>,
    /// The marks of the enclosing events, with `--detached`
    #[arg(long, value_name = "MARKS", value_delimiter = ',', requires = "detached", hide = true)]
    pub(crate) enclosing: Vec<String>,
    /// Decide as in a folder that is not trusted: its own files may restrict, but grant nothing
    #[arg(long, hide_short_help = true)]
    pub(crate) untrusted_project: bool,
    /// Decide as in a session without a user: an ask becomes a denial, a question of a hook is answered with null
    #[arg(long)]
    pub(crate) nobody_to_ask: bool,
    #[command(flatten)]
    pub(crate) services: ServiceArgs,
    /// Connect the MCP servers of this file (`mcpServers`) for mcp_tool handlers
    #[arg(long, value_name = "FILE", help_heading = "Services for hooks")]
    pub(crate) mcp_config: Option<PathBuf>,
    /// Wait for background hooks as long as for SessionEnd hooks, and then end them, as the end of a session does
    #[arg(long, conflicts_with = "stdin_event", hide_short_help = true)]
    pub(crate) no_wait: bool,
    /// Store private files of hooks and the state of background hooks in DIR, as a session does; `becket background` reads it
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) session_dir: Option<PathBuf>,
    /// Show running hooks on stderr; `auto`: if stderr is a terminal
    #[arg(long, value_enum, default_value_t = ProgressChoice::Auto, value_name = "WHEN", hide_short_help = true)]
    pub(crate) progress: ProgressChoice,
}

/// The treatment of asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AsksChoice {
    Deny,
    Pass,
}

/// The model of hooks.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Services for hooks")]
pub(crate) struct ModelArgs {
    /// The model of prompt and agent handlers that name none: haiku, claude-…, provider::name
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// URL of the model's server; a NAME without a provider then means the OpenAI protocol
    #[arg(long, value_name = "URL", requires = "model", hide_short_help = true)]
    pub(crate) model_url: Option<String>,
    /// Answer from a script instead of any model; no request leaves this machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "model_url"])]
    pub(crate) model_script: Option<PathBuf>,
}

/// The services for hooks.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Services for hooks")]
pub(crate) struct ServiceArgs {
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    /// Let HTTP handlers of every source reach this private network; may be repeated
    #[arg(long, value_name = "CIDR", conflicts_with = "settings", hide_short_help = true)]
    pub(crate) allow_network: Vec<String>,
    /// Answer the questions of hooks from a JSON file: {"id": "key" or null, …}, or a list in the order of asking
    #[arg(long, value_name = "FILE", conflicts_with = "nobody_to_ask", hide_short_help = true)]
    pub(crate) answers: Option<PathBuf>,
}

/// The choice whether running hooks are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressChoice {
    Auto,
    Never,
}
