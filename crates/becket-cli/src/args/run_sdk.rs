//! Arguments that agent SDKs pass to the program that they start, except those that `run` has anyway.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of the program that starts this one.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "For programs that drive a session (agent SDKs)")]
pub(crate) struct RunSdkArgs {
    /// Tool that decides permissions: `stdio` is the program that reads stdout, mcp__SERVER__TOOL a tool of an MCP server
    #[arg(long, value_name = "TOOL", hide_short_help = true)]
    pub(crate) permission_prompt_tool: Option<String>,
    /// Built-in tools to keep, separated by commas; `default` is all, an empty value is none
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub(crate) tools: Option<String>,
    /// Allow switching to the mode bypassPermissions later; the session starts in another one
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_dangerously_skip_permissions: bool,
    /// As --system-prompt, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "system_prompt", hide_short_help = true)]
    pub(crate) system_prompt_file: Option<PathBuf>,
    /// JSON Schema of an object: the model has to answer with one, which is `structured_output` of the result
    #[arg(long, value_name = "JSON", hide_short_help = true)]
    pub(crate) json_schema: Option<String>,
    /// In stream-json, repeat each line of transcripts as it is stored
    #[arg(long, hide_short_help = true)]
    pub(crate) session_mirror: bool,
    /// Do not store the session
    #[arg(long, hide_short_help = true)]
    pub(crate) no_session_persistence: bool,
    /// The answerer of permission prompts: `host`, or `none`, which denies what would be asked
    #[arg(long, value_name = "WHO", hide_short_help = true)]
    pub(crate) permission_prompts: Option<PromptAnswerer>,
    /// Fields that the first line delivers instead of arguments, separated by commas: settings, disallowedTools
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)]
    pub(crate) initialize_fields: Vec<String>,
    #[command(flatten)]
    pub(crate) mute: RunIgnoredArgs,
    #[command(flatten)]
    pub(crate) refused: RunUnsupportedArgs,
}

/// The answerer of permission prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptAnswerer {
    /// The program that drives the session, or the user
    Host,
    /// Nobody
    None,
}

/// Options without effect here, on which no caller relies.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunIgnoredArgs {
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
    channels: Vec<String>,
    #[arg(long, hide = true)]
    project_config_root: Option<PathBuf>,
    #[arg(long, hide = true)]
    plugin_dir_no_mcp: Vec<PathBuf>,
    #[arg(long, hide = true)]
    managed_settings: Option<String>,
    #[arg(long, hide = true)]
    managed_settings_in_initialize: bool,
}

impl RunIgnoredArgs {
    /// Returns the options that were given.
    pub(crate) fn present(&self) -> impl Iterator<Item = &'static str> {
        self.debug.iter().map(|_| "--debug")
    }
}

/// An argument, its presence, and the reason why it is not supported.
type UnsupportedArg = (&'static str, bool, &'static str);

impl RunUnsupportedArgs {
    /// Returns the first option that was given, and the reason why it is not supported.
    pub(crate) fn first_present(&self) -> Option<(&'static str, &'static str)> {
        let mut all = self.sessions().into_iter().chain(self.settings());
        all.find(|(_, is_given, _)| *is_given).map(|(name, _, why)| (name, why))
    }

    fn sessions(&self) -> [UnsupportedArg; 1] {
        [("--channels", !self.channels.is_empty(), "there are no channels here")]
    }

    fn settings(&self) -> [UnsupportedArg; 4] {
        [
            ("--project-config-root", self.project_config_root.is_some(), OF_THE_START),
            ("--plugin-dir-no-mcp", !self.plugin_dir_no_mcp.is_empty(), WHOLE),
            ("--managed-settings", self.managed_settings.is_some(), ADMINISTRATORS),
            ("--managed-settings-in-initialize", self.managed_settings_in_initialize, ADMINISTRATORS),
        ]
    }
}

const ADMINISTRATORS: &str = "managed settings are an administrator's files";
const OF_THE_START: &str = "settings are those of the directory in which the session starts";
const WHOLE: &str =
    "a plugin is loaded whole: use `--plugin-dir`, and `--strict-mcp-config` against its servers";
