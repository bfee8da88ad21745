//! The arguments about requests to models.

use clap::{Args, ValueEnum};

/// Settings of the requests of a session.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The model")]
pub(crate) struct ModelSettingArgs {
    /// Thinking mode; --max-thinking-tokens takes precedence
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    pub(crate) thinking: Option<ThinkingChoice>,
    /// Token budget for thinking, 0 for none [env: MAX_THINKING_TOKENS]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) max_thinking_tokens: Option<u32>,
    /// Form in which thinking is returned
    #[arg(long, value_enum, value_name = "FORM", hide_short_help = true)]
    pub(crate) thinking_display: Option<DisplayChoice>,
    /// Reasoning effort of the model
    #[arg(long, value_enum, value_name = "LEVEL", hide_short_help = true)]
    pub(crate) effort: Option<EffortChoice>,
    /// Beta features of Anthropic's API, separated by commas (the header `anthropic-beta`)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)]
    pub(crate) betas: Vec<String>,
    /// Token budget of a turn, passed on to the model and not enforced (Anthropic only)
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub(crate) task_budget: Option<u64>,
}

/// The thinking mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThinkingChoice {
    /// The model decides how much it thinks
    Adaptive,
    /// Same as `adaptive`
    Enabled,
    /// No thinking, if the model allows that
    Disabled,
}

/// The form in which thinking is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DisplayChoice {
    /// As a summary
    Summarized,
    /// Not at all
    Omitted,
}

/// The reasoning effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortChoice {
    /// Fastest answers
    Low,
    /// Below the default
    Medium,
    /// The default
    High,
    /// Above the default
    Xhigh,
    /// The most that the model offers
    Max,
}
