//! The arguments of `becket run`.

use super::{Autocompact, ModelSettingArgs, RunSdkArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `becket run`
#[derive(Debug, Clone, Default, Args)]
#[command(after_long_help = "Examples:
  becket run -p 'what does the till do?'
  becket run                                          # a session that you type into
  git diff | becket run -p 'review this' --output-format json
  becket run --model script:demo.json -p 'tidy up'    # offline: a script is the model
  becket run --continue -p 'and now the tests'

A key in ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN reaches Anthropic (ANTHROPIC_BASE_URL: another
server of its protocol), and `--model provider::name` others, by keys such as OPENAI_API_KEY.

Exit codes: 0 done, 1 the result is an error, 2 wrong usage, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).")]
pub(crate) struct RunArgs {
    /// The prompt; text that is piped in is appended to it, or is the prompt if there is none
    pub(crate) prompt: Option<String>,
    /// Work on the prompt without asking the user, print the answer, and exit
    #[arg(short, long)]
    pub(crate) print: bool,
    #[command(flatten)]
    pub(crate) format: RunFormatArgs,
    #[command(flatten)]
    pub(crate) session: RunSessionArgs,
    #[command(flatten)]
    pub(crate) model: RunModelArgs,
    #[command(flatten)]
    pub(crate) permissions: RunPermissionArgs,
    #[command(flatten)]
    pub(crate) sources: RunSourceArgs,
    #[command(flatten)]
    pub(crate) sdk: RunSdkArgs,
}

/// The formats of input and output.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Input and output")]
pub(crate) struct RunFormatArgs {
    /// Output format: the last answer, one object with the result, or one line for each event
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) output_format: Option<OutputFormat>,
    /// Input format of stdin: text, or one message a line, any number of them
    #[arg(long, value_enum, value_name = "FORMAT", hide_short_help = true)]
    pub(crate) input_format: Option<InputFormat>,
    /// In stream-json, lines for the start, output and end of each hook
    #[arg(long, hide_short_help = true)]
    pub(crate) include_hook_events: bool,
    /// In stream-json, parts of answers as they arrive
    #[arg(long, hide_short_help = true)]
    pub(crate) include_partial_messages: bool,
    /// In stream-json, messages of subagents, and not only their tool calls
    #[arg(long, hide_short_help = true)]
    pub(crate) forward_subagent_text: bool,
    /// In stream-json, repeat each message that is read from stdin, as an acknowledgement
    #[arg(long, hide_short_help = true)]
    pub(crate) replay_user_messages: bool,
    /// Write all events to FILE as lines of JSON, hooks included
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) debug_file: Option<PathBuf>,
    /// Write all events to stderr, as --debug-file does to a file
    #[arg(long, hide_short_help = true)]
    pub(crate) debug_to_stderr: bool,
}

/// The selection of the session.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The session")]
pub(crate) struct RunSessionArgs {
    /// Resume the session with that id; without a prompt, run the calls that hooks have deferred in it
    #[arg(short, long, value_name = "ID", conflicts_with = "continue_last")]
    pub(crate) resume: Option<String>,
    /// Resume the latest session of this directory
    #[arg(short, long = "continue")]
    pub(crate) continue_last: bool,
    /// With --resume or --continue: continue in a copy with a new id, and leave that session unchanged
    #[arg(long, hide_short_help = true)]
    pub(crate) fork_session: bool,
    /// With --resume or --continue: keep the conversation up to the message with that uuid only
    #[arg(long, value_name = "UUID", hide_short_help = true)]
    pub(crate) resume_session_at: Option<String>,
    /// With --resume-session-at: fail unless only the turn of the prompt with that uuid follows
    #[arg(long, value_name = "UUID", hide_short_help = true)]
    pub(crate) resume_drops_turn: Option<String>,
    /// The id of the new session, a UUID
    #[arg(long, value_name = "UUID", hide_short_help = true)]
    pub(crate) session_id: Option<String>,
    /// Name of the session
    #[arg(short, long, value_name = "NAME", hide_short_help = true)]
    pub(crate) name: Option<String>,
    /// Work in a separate git worktree, .claude/worktrees/NAME: created now, or reused if it exists
    #[arg(short, long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", hide_short_help = true)]
    pub(crate) worktree: Option<String>,
    /// Write the state of the session to FILE after each turn, before its Stop hooks: for a run in the background
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) state_file: Option<PathBuf>,
    /// After each turn, note what later sessions of this directory should know, and include earlier notes in this one; uses the small fast model
    #[arg(long, hide_short_help = true)]
    pub(crate) memory_notes: bool,
    /// Run Setup hooks (`init`) first
    #[arg(long, conflicts_with_all = ["init_only", "maintenance"], hide_short_help = true)]
    pub(crate) init: bool,
    /// Run Setup and SessionStart hooks, and exit
    #[arg(long, conflicts_with = "maintenance", hide_short_help = true)]
    pub(crate) init_only: bool,
    /// Run Setup hooks (`maintenance`) first
    #[arg(long, hide_short_help = true)]
    pub(crate) maintenance: bool,
}

/// The model, its prompt and its limits.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The model")]
pub(crate) struct RunModelArgs {
    /// haiku, sonnet, opus, claude-…, provider::name, or script:FILE
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// URL of a server for it; without `provider::` in NAME the OpenAI protocol is used
    #[arg(long, value_name = "URL", requires = "model", hide_short_help = true)]
    pub(crate) model_url: Option<String>,
    /// Model for the rest of a turn whose model is overloaded; the next turn tries the first one again
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) fallback_model: Option<String>,
    /// Limit on answers of the model to one prompt; default: unlimited
    #[arg(long, value_name = "N", value_parser = answers)]
    pub(crate) max_turns: Option<u32>,
    /// Limit on the cost of the session, in US dollars
    ///
    /// Once it is reached, no more requests are sent. Subagents count.
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_budget_usd: Option<f64>,
    /// Context window that the conversation is compacted for, in tokens (`500k`), at least 100000; `auto` is the model's
    #[arg(long, value_name = "auto|TOKENS", hide_short_help = true)]
    pub(crate) autocompact: Option<Autocompact>,
    #[command(flatten)]
    pub(crate) settings: ModelSettingArgs,
    /// Replace the system prompt
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub(crate) system_prompt: Option<String>,
    /// Append to the system prompt
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub(crate) append_system_prompt: Option<String>,
    /// Run as this agent
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) agent: Option<String>,
    /// Lead a team of that name: agents that the model starts with a name are teammates, who share a list of tasks and
    /// write to each other; sessions with the same name share the list
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) team: Option<String>,
    /// More subagents: {"name": {"description": …, "prompt": …, "tools": […], "model": …}}
    #[arg(long, value_name = "JSON", hide_short_help = true)]
    pub(crate) agents: Option<String>,
}

/// Permissions without a prompt.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Permissions")]
pub(crate) struct RunPermissionArgs {
    /// Rules for calls that run without a prompt, as in `permissions.allow`: "Bash(git log *)" Edit
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULE", num_args = 1..)]
    pub(crate) allowed_tools: Vec<String>,
    /// Rules for calls that never run, as in `permissions.deny`
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULE", num_args = 1..)]
    pub(crate) disallowed_tools: Vec<String>,
    /// default, plan, acceptEdits, auto, dontAsk or bypassPermissions
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<String>,
    /// Run everything that no rule or hook forbids; not allowed for root outside of a sandbox (IS_SANDBOX=1)
    #[arg(long)]
    pub(crate) dangerously_skip_permissions: bool,
    /// More working directories
    #[arg(long, value_name = "DIR", num_args = 1.., hide_short_help = true)]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Let this folder's own files grant permissions, too
    ///
    /// These are allow rules, directories, modes, allows of its hooks, hooks of its agents, variables for hooks, and approvals
    /// of MCP servers.
    #[arg(long, alias = "trust")]
    pub(crate) trust_project: bool,
}

/// The sources of the configuration.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct RunSourceArgs {
    /// Settings files to read: user, project, local, separated by commas; default: all
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    pub(crate) setting_sources: Option<String>,
    /// More MCP servers, as files or as JSON like `.mcp.json`
    #[arg(long, value_name = "FILE|JSON", num_args = 1..)]
    pub(crate) mcp_config: Vec<String>,
    /// Use only the MCP servers of --mcp-config, subject to policy
    #[arg(long, hide_short_help = true)]
    pub(crate) strict_mcp_config: bool,
    /// Start without the hooks of settings and plugins, without skills, agents and MCP servers of files
    #[arg(long, hide_short_help = true)]
    pub(crate) bare: bool,
    /// Start as with --bare, but run the hooks of managed settings, and no others
    #[arg(long, conflicts_with = "bare", hide_short_help = true)]
    pub(crate) safe_mode: bool,
    /// Load no skills or commands, and run none of those that `/help` lists
    #[arg(long, hide_short_help = true)]
    pub(crate) disable_slash_commands: bool,
}

impl RunSourceArgs {
    /// Returns whether skills, agents, instructions and MCP servers of files are left out.
    pub(crate) fn skips_files(&self) -> bool {
        self.bare || self.safe_mode
    }
}

/// The output format of `run`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The last answer
    #[default]
    Text,
    /// One object with the result
    Json,
    /// One line of JSON for each event
    StreamJson,
}

/// The input format of `run`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// Plain text
    #[default]
    Text,
    /// One message a line
    StreamJson,
}

/// Parses the limit on answers.
fn answers(given: &str) -> Result<u32, &'static str> {
    given.parse().ok().filter(|answers| *answers > 0).ok_or("write a whole number, at least 1")
}

/// Parses the limit on the cost.
fn dollars(given: &str) -> Result<f64, &'static str> {
    let amount = given.parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    amount.ok_or("write US dollars, 0 or more, as in `0.25`")
}
