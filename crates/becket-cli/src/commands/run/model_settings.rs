//! The settings of model requests, from the arguments and the environment.

use super::context::RunContext;
use crate::args::{DisplayChoice, EffortChoice, ModelSettingArgs, ThinkingChoice};
use crate::error::CliError;
use crate::services::RunModels;
use becket_agent::turn::ModelSettings;
use becket_agent::update::Notice;
use becket_llm::{Effort, Thinking, ThinkingDisplay};
use clap::ValueEnum;

/// The variable for the thinking budget in tokens; an argument takes precedence.
const THINKING_TOKENS: &str = "MAX_THINKING_TOKENS";
/// The variable for the effort; an argument takes precedence.
const EFFORT: &str = "CLAUDE_CODE_EFFORT_LEVEL";

/// Returns the settings.
///
/// # Errors
/// Errors if a variable is invalid.
pub(super) fn of(at: RunContext<'_>) -> Result<ModelSettings, CliError> {
    let args = &at.args.model.settings;
    Ok(ModelSettings {
        thinking: thinking(args, variable(at, THINKING_TOKENS))?,
        thinking_display: args.thinking_display.map(|display| match display {
            DisplayChoice::Summarized => ThinkingDisplay::Summarized,
            DisplayChoice::Omitted => ThinkingDisplay::Omitted,
        }),
        effort: effort(args, variable(at, EFFORT))?,
        task_budget: args.task_budget,
    })
}

/// Returns the warning about beta features that the session's model does not support.
pub(super) fn without_betas(at: RunContext<'_>, models: &RunModels) -> Option<Notice> {
    let is_lost = !at.args.model.settings.betas.is_empty() && !models.is_anthropic();
    let text =
        || format!("`--betas` has no effect on `{}`: they are features of Anthropic's models", models.name());
    is_lost.then(|| Notice::warning(text()))
}

fn variable(at: RunContext<'_>, name: &str) -> Option<String> {
    let value = at.session.environment().var(name)?.to_string_lossy().trim().to_owned();
    Some(value).filter(|value| !value.is_empty())
}

fn thinking(args: &ModelSettingArgs, variable: Option<String>) -> Result<Thinking, CliError> {
    let tokens = |tokens| if tokens == 0 { Thinking::Off } else { Thinking::Budget(tokens) };
    match (args.max_thinking_tokens, args.thinking, variable) {
        (Some(given), ..) => Ok(tokens(given)),
        (None, Some(ThinkingChoice::Adaptive | ThinkingChoice::Enabled), _) => Ok(Thinking::Adaptive),
        (None, Some(ThinkingChoice::Disabled), _) => Ok(Thinking::Off),
        (None, None, Some(given)) => given.parse().map(tokens).map_err(|_| {
            CliError::usage(format!(
                "`{THINKING_TOKENS}={given}` can't be used: write a whole number, the tokens of thinking"
            ))
        }),
        (None, None, None) => Ok(Thinking::Default),
    }
}

fn effort(args: &ModelSettingArgs, variable: Option<String>) -> Result<Option<Effort>, CliError> {
    let of_variable = variable.filter(|given| given != "auto").map(|given| {
        EffortChoice::from_str(&given, true).map_err(|_| {
            CliError::usage(format!(
                "`{EFFORT}={given}` is not an effort: write low, medium, high, xhigh or max"
            ))
        })
    });
    let chosen = match args.effort {
        Some(chosen) => Some(chosen),
        None => of_variable.transpose()?,
    };
    Ok(chosen.map(|chosen| match chosen {
        EffortChoice::Low => Effort::Low,
        EffortChoice::Medium => Effort::Medium,
        EffortChoice::High => Effort::High,
        EffortChoice::Xhigh => Effort::XHigh,
        EffortChoice::Max => Effort::Max,
    }))
}
