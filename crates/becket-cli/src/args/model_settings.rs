//! The arguments about requests to models.

use clap::{Args, ValueEnum};

/// Settings of the requests of a session.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The model")]
pub(crate) struct ModelSettingArgs {
    /// The thinking before answers; --max-thinking-tokens takes precedence
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) thinking: Option<ThinkingChoice>,
    /// Tokens of thinking before an answer, 0 for none; MAX_THINKING_TOKENS does the same
    #[arg(long, value_name = "N")]
    pub(crate) max_thinking_tokens: Option<u32>,
    /// The form in which thoughts are returned
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) thinking_display: Option<DisplayChoice>,
    /// The effort that the model puts into its answers
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) effort: Option<EffortChoice>,
    /// Features in trial of Anthropic's models, separated by commas (`anthropic-beta`)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) betas: Vec<String>,
    /// Tokens that the model may plan with in a turn; it is told of them, and nothing is ended (Anthropic alone)
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) task_budget: Option<u64>,
}

/// The thinking before an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThinkingChoice {
    /// As much as the model finds right
    Adaptive,
    /// The same
    Enabled,
    /// None, as far as the model allows that
    Disabled,
}

/// The form of thoughts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DisplayChoice {
    /// A summary
    Summarized,
    /// Nothing
    Omitted,
}

/// The effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortChoice {
    /// Little
    Low,
    /// Less than usual
    Medium,
    /// The usual one
    High,
    /// More than usual
    Xhigh,
    /// All of it
    Max,
}
