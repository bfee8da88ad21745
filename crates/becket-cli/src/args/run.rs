//! The arguments of `becket run`.

use super::{Autocompact, RunSdkArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `becket run`
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "Examples:
  becket run -p 'what does the till do?'
  becket run                                            (a session that you type into)
  git diff | becket run -p 'review this' --output-format json
  becket run --model script:demo.json -p 'tidy up'      (offline: a script is the model)
  becket run --continue -p 'and now the tests'

A key in ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN reaches Anthropic (ANTHROPIC_BASE_URL: another
server of its protocol), and `--model provider::name` others, by keys such as OPENAI_API_KEY.

Exit codes: 0 done, 1 the result is an error, 2 wrong arguments, 130 interrupted (143 by SIGTERM,
129 by SIGHUP). docs/guide/run.md and docs/guide/terminal.md tell the rest.")]
pub(crate) struct RunArgs {
    /// What is to be done; text that is piped in is put below it, or is the prompt where there is none
    pub(crate) prompt: Option<String>,
    /// Work on the prompt without asking anybody, print the answer, and end
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

/// What is read and printed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is read and printed")]
pub(crate) struct RunFormatArgs {
    /// How to print: the last answer, one object about the whole, or a line for each thing that happens
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) output_format: Option<OutputFormat>,
    /// How the prompt is read from stdin: as it is, or one message a line, as many as there are
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// In text, tell on stderr what is done, also where that is no terminal
    #[arg(long)]
    pub(crate) verbose: bool,
    /// In stream-json, a line for each hook that starts, prints and ends
    #[arg(long)]
    pub(crate) include_hook_events: bool,
    /// In stream-json, pieces of answers as they come
    #[arg(long)]
    pub(crate) include_partial_messages: bool,
    /// In stream-json, what subagents say, and not only the tools that they call
    #[arg(long)]
    pub(crate) forward_subagent_text: bool,
    /// In stream-json, repeat each message that is read from stdin, as an acknowledgement
    #[arg(long)]
    pub(crate) replay_user_messages: bool,
    /// Write what happens to FILE, one line of JSON each, hooks included
    #[arg(long, value_name = "FILE")]
    pub(crate) debug_file: Option<PathBuf>,
}

/// Which session is worked in.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The session")]
pub(crate) struct RunSessionArgs {
    /// Go on with the session of that id; without a prompt, with the calls that hooks have deferred in it
    #[arg(short, long, value_name = "ID", conflicts_with = "continue_last")]
    pub(crate) resume: Option<String>,
    /// Go on with the latest session of this directory
    #[arg(short, long = "continue")]
    pub(crate) continue_last: bool,
    /// With --resume or --continue: leave that session as it is, and go on in a copy with an id of its own
    #[arg(long)]
    pub(crate) fork_session: bool,
    /// The id of the new session, a UUID
    #[arg(long, value_name = "UUID")]
    pub(crate) session_id: Option<String>,
    /// What the session is called
    #[arg(short, long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Work in a git worktree of its own, .claude/worktrees/NAME: made now, or taken up where it is there already
    #[arg(short, long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub(crate) worktree: Option<String>,
    /// Write how the session stands to FILE after each turn, before its Stop hooks: for a run in the background
    #[arg(long, value_name = "FILE")]
    pub(crate) state_file: Option<PathBuf>,
    /// Note after each turn what later sessions of this directory should know, and tell this one what was noted before; the
    /// small fast model is asked
    #[arg(long)]
    pub(crate) memory_notes: bool,
    /// Run Setup hooks (`init`) first
    #[arg(long, conflicts_with_all = ["init_only", "maintenance"])]
    pub(crate) init: bool,
    /// Run Setup and SessionStart hooks, and end
    #[arg(long, conflicts_with = "maintenance")]
    pub(crate) init_only: bool,
    /// Run Setup hooks (`maintenance`) first
    #[arg(long)]
    pub(crate) maintenance: bool,
}

/// Who answers, as whom, and how long.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The model")]
pub(crate) struct RunModelArgs {
    /// haiku, sonnet, opus, claude-…, provider::name, or script:FILE
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The address of a server that has it; without `provider::` in NAME it is spoken to as to OpenAI's
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) model_url: Option<String>,
    /// Who answers for the rest of a turn whose model is overloaded; the next turn tries that one again
    #[arg(long, value_name = "NAME")]
    pub(crate) fallback_model: Option<String>,
    /// The most answers of the model to one prompt; as many as it takes where this is left out
    #[arg(long, value_name = "N", value_parser = answers)]
    pub(crate) max_turns: Option<u32>,
    /// The window that the conversation is compacted for, in tokens (`500k`), from 100000 on; `auto` is the model's
    #[arg(long, value_name = "auto|TOKENS")]
    pub(crate) autocompact: Option<Autocompact>,
    /// Put this in the place of the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,
    /// Put this at the end of the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Option<String>,
    /// Work as this agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Lead a team of that name: agents that the model starts with a name are teammates, who share a list of tasks and
    /// write to each other; sessions that give the same name share the list
    #[arg(long, value_name = "NAME")]
    pub(crate) team: Option<String>,
    /// More subagents: {"name": {"description": …, "prompt": …, "tools": […], "model": …}}
    #[arg(long, value_name = "JSON")]
    pub(crate) agents: Option<String>,
}

/// What may be done unasked.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Permissions")]
pub(crate) struct RunPermissionArgs {
    /// Rules for what runs without a question, as in `permissions.allow`: "Bash(git log *)" Edit
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULE", num_args = 1..)]
    pub(crate) allowed_tools: Vec<String>,
    /// Rules for what never runs, as in `permissions.deny`
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULE", num_args = 1..)]
    pub(crate) disallowed_tools: Vec<String>,
    /// default, plan, acceptEdits, auto, dontAsk or bypassPermissions
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<String>,
    /// Run whatever no rule and no hook forbids; refused for root, but in a sandbox (IS_SANDBOX=1)
    #[arg(long)]
    pub(crate) dangerously_skip_permissions: bool,
    /// More working directories
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Let what this folder brings along grant something, too: allow rules, directories, modes, allows of its hooks, hooks
    /// of its agents, variables for hooks, approvals of MCP servers
    #[arg(long, alias = "trust")]
    pub(crate) trust_project: bool,
}

/// What the session is made of.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct RunSourceArgs {
    /// Which settings files are read: user, project, local, apart by commas; all where this is left out
    #[arg(long, value_name = "LIST")]
    pub(crate) setting_sources: Option<String>,
    /// More MCP servers, as files or as JSON like `.mcp.json`
    #[arg(long, value_name = "FILE|JSON", num_args = 1..)]
    pub(crate) mcp_config: Vec<String>,
    /// Only the MCP servers of --mcp-config, and what policy says about them
    #[arg(long)]
    pub(crate) strict_mcp_config: bool,
    /// Start without the hooks of settings and plugins, without skills, agents and MCP servers of files
    #[arg(long)]
    pub(crate) bare: bool,
    /// Start as with --bare, but run the hooks of managed settings, and no others
    #[arg(long, conflicts_with = "bare")]
    pub(crate) safe_mode: bool,
    /// Load no skills and commands, and run none of those that `/help` lists
    #[arg(long)]
    pub(crate) disable_slash_commands: bool,
}

impl RunSourceArgs {
    /// Returns whether skills, agents, instructions and MCP servers of files are left out.
    pub(crate) fn skips_files(&self) -> bool {
        self.bare || self.safe_mode
    }
}

/// How `run` prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The last answer
    #[default]
    Text,
    /// One object about the whole
    Json,
    /// A line of JSON for each thing that happens
    StreamJson,
}

/// How `run` reads stdin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// As it is
    #[default]
    Text,
    /// One message a line
    StreamJson,
}

/// How many answers there may be.
fn answers(given: &str) -> Result<u32, &'static str> {
    given.parse().ok().filter(|answers| *answers > 0).ok_or("write a whole number from 1 on")
}
