//! The limits of a turn.

use super::context::RunContext;
use super::model_settings;
use super::options::Output;
use crate::args::{Autocompact, InvalidWindow};
use crate::error::CliError;
use crate::services::{RunModels, TABLE};
use becket_agent::assemble::turn_options;
use becket_agent::compact::Window;
use becket_agent::turn::TurnOptions;
use becket_agent::update::{Level, Notice};
use becket_llm::Models;
use std::ffi::OsStr;

/// The variable with the window that conversations are compacted for; it takes precedence over `--autocompact`.
const WINDOW: &str = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";

/// Returns the limits from the environment and the arguments.
///
/// # Errors
/// Errors if a variable is not a number.
pub(super) fn of(at: RunContext<'_>) -> Result<TurnOptions, CliError> {
    let options = turn_options(at.session.environment()).map_err(CliError::usage)?;
    let model = model_settings::of(at)?;
    Ok(TurnOptions {
        model,
        one_shot: at.is_one_shot(),
        shows_batches: at.terminal.is_some(),
        tells_pieces: tells_pieces(at),
        ..options
    })
}

/// Returns true if a stream shows answers piece by piece.
fn tells_pieces(at: RunContext<'_>) -> bool {
    let of = &at.args.format;
    of.include_partial_messages || of.debug_file.is_some() || of.debug_to_stderr
}

/// Returns the limit on the cost, if it can be enforced.
///
/// # Errors
/// Errors if the price of the session's model is unknown.
pub(super) fn budget(limit: f64, models: &RunModels) -> Result<f64, CliError> {
    let model = models.model(Some(models.name())).map_err(CliError::usage)?;
    match model.price() {
        Some(_) => Ok(limit),
        None => Err(CliError::usage(format!(
            "`--max-budget-usd` can't be kept, as the price of `{}` is not known: add it to `~/.becket/{TABLE}`",
            model.name()
        ))),
    }
}

/// Returns the notice that costs will be unknown, if the output shows them.
pub(super) fn unpriced(at: RunContext<'_>, models: &RunModels) -> Option<Notice> {
    let is_read = matches!(at.output, Output::Json | Output::Stream(_)) && !models.is_scripted();
    let model = models.model(Some(models.name())).ok().filter(|model| is_read && model.price().is_none())?;
    let text = format!(
        "the price of `{}` is not known, so costs are null: add it to `~/.becket/{TABLE}`",
        model.name()
    );
    Some(Notice { level: Level::Notice, ..Notice::warning(text) })
}

/// Returns the window that conversations are compacted for, if it differs from the model's.
///
/// # Errors
/// Errors if the variable is not a valid window.
pub(super) fn window(at: RunContext<'_>) -> Result<Option<Window>, CliError> {
    let given = at.around.var(WINDOW).filter(|value| !value.is_empty()).map(OsStr::to_string_lossy);
    let of_variable = given.map(|given| {
        let wrong =
            |why: InvalidWindow| CliError::usage(format!("`{WINDOW}={given}` is not a valid window: {why}"));
        given.parse::<Autocompact>().map_err(wrong)
    });
    Ok(match of_variable.transpose()?.or(at.args.model.autocompact) {
        Some(Autocompact::Tokens(tokens)) => Some(Window::of(tokens)),
        Some(Autocompact::Auto) | None => None,
    })
}
