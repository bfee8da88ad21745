//! The arguments with which agent SDKs start their program, except those that `run` has anyway.

use clap::Args;
use std::path::PathBuf;

/// Options of the program that starts this one.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "For programs that drive a session (agent SDKs)")]
pub(crate) struct RunSdkArgs {
    /// Tool that decides permissions: `stdio` is the program that reads stdout, mcp__SERVER__TOOL a tool of an MCP server
    #[arg(long, value_name = "TOOL")]
    pub(crate) permission_prompt_tool: Option<String>,
    /// Built-in tools to keep, separated by commas; `default` is all, an empty value is none
    #[arg(long, value_name = "NAMES")]
    pub(crate) tools: Option<String>,
    /// Allow switching to the mode bypassPermissions later; the session starts in another one
    #[arg(long)]
    pub(crate) allow_dangerously_skip_permissions: bool,
    /// As --system-prompt, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "system_prompt")]
    pub(crate) system_prompt_file: Option<PathBuf>,
    /// JSON Schema of an object: the model has to answer with one, which is `structured_output` of the result
    #[arg(long, value_name = "JSON")]
    pub(crate) json_schema: Option<String>,
    /// Do not store the session
    #[arg(long)]
    pub(crate) no_session_persistence: bool,
    #[command(flatten)]
    pub(crate) mute: RunIgnoredArgs,
    #[command(flatten)]
    pub(crate) refused: RunUnsupportedArgs,
}

/// Options without effect here, on which no caller relies: each is reported once.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunIgnoredArgs {
    #[arg(long, hide = true)]
    betas: Option<String>,
    #[arg(long, hide = true)]
    effort: Option<String>,
    #[arg(long, hide = true)]
    thinking: Option<String>,
    #[arg(long, hide = true)]
    thinking_display: Option<String>,
    #[arg(long, hide = true)]
    max_thinking_tokens: Option<String>,
    /// Without effect: it is awaited in any case
    #[arg(long, hide = true)]
    await_initialize: bool,
    #[arg(long, hide = true, value_name = "FILTER", num_args = 0..=1, default_missing_value = "")]
    debug: Option<String>,
}

/// Options that are not supported, and on whose effect callers rely: a limit, a location, a format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunUnsupportedArgs {
    #[arg(long, hide = true)]
    max_budget_usd: Option<String>,
    #[arg(long, hide = true)]
    task_budget: Option<String>,
    #[arg(long, hide = true)]
    resume_session_at: Option<String>,
    #[arg(long, hide = true)]
    resume_drops_turn: Option<String>,
    #[arg(long, hide = true)]
    session_mirror: bool,
    #[arg(long, hide = true)]
    channels: Vec<String>,
    #[arg(long, hide = true)]
    project_config_root: Option<PathBuf>,
    #[arg(long, hide = true)]
    plugin_dir_no_mcp: Vec<PathBuf>,
    #[arg(long, hide = true)]
    permission_prompts: Option<String>,
    #[arg(long, hide = true)]
    initialize_fields: Option<String>,
    #[arg(long, hide = true)]
    managed_settings: Option<String>,
    #[arg(long, hide = true)]
    managed_settings_in_initialize: bool,
}

impl RunIgnoredArgs {
    /// Returns the given options.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("--betas", self.betas.is_some()),
            ("--effort", self.effort.is_some()),
            ("--thinking", self.thinking.is_some()),
            ("--thinking-display", self.thinking_display.is_some()),
            ("--debug", self.debug.is_some()),
            ("--max-thinking-tokens", self.max_thinking_tokens.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
}

/// An argument, its presence, and the reason why it is not supported.
type UnsupportedArg = (&'static str, bool, &'static str);

impl RunUnsupportedArgs {
    /// Returns the first given option, and the reason why it is not supported.
    pub(crate) fn given(&self) -> Option<(&'static str, &'static str)> {
        let mut all = self.limits().into_iter().chain(self.sessions()).chain(self.settings());
        all.find(|(_, is_given, _)| *is_given).map(|(name, _, why)| (name, why))
    }

    fn limits(&self) -> [UnsupportedArg; 2] {
        [
            (
                "--max-budget-usd",
                self.max_budget_usd.is_some(),
                "costs are reported, but not limited: use `--max-turns`",
            ),
            (
                "--task-budget",
                self.task_budget.is_some(),
                "tokens are reported, but not limited: use `--max-turns`",
            ),
        ]
    }

    fn sessions(&self) -> [UnsupportedArg; 4] {
        [
            ("--resume-session-at", self.resume_session_at.is_some(), FROM_ITS_END),
            ("--resume-drops-turn", self.resume_drops_turn.is_some(), FROM_ITS_END),
            ("--session-mirror", self.session_mirror, "sessions are stored only in files"),
            ("--channels", !self.channels.is_empty(), "there are no channels here"),
        ]
    }

    fn settings(&self) -> [UnsupportedArg; 6] {
        [
            ("--project-config-root", self.project_config_root.is_some(), OF_THE_START),
            ("--plugin-dir-no-mcp", !self.plugin_dir_no_mcp.is_empty(), WHOLE),
            ("--permission-prompts", self.permission_prompts.is_some(), NOBODY),
            ("--initialize-fields", self.initialize_fields.is_some(), "give them as arguments"),
            ("--managed-settings", self.managed_settings.is_some(), ADMINISTRATORS),
            ("--managed-settings-in-initialize", self.managed_settings_in_initialize, ADMINISTRATORS),
        ]
    }
}

const FROM_ITS_END: &str = "a session is resumed at its end, or in a copy (`--fork-session`)";
const ADMINISTRATORS: &str = "managed settings are an administrator's files";
const OF_THE_START: &str = "settings are those of the directory in which the session starts";
const WHOLE: &str =
    "a plugin is loaded whole: use `--plugin-dir`, and `--strict-mcp-config` against its servers";
const NOBODY: &str = "leave `--permission-prompt-tool` out to disable prompts";
