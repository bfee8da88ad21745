//! The limits of a turn.

use super::context::RunContext;
use crate::args::{Autocompact, InvalidWindow};
use crate::error::CliError;
use becket_agent::compact::Window;
use becket_agent::turn::TurnOptions;
use std::ffi::OsStr;
use std::str::FromStr;
use std::time::Duration;

/// The variable with the number of times in a row that hooks may make the model continue (L4).
const STOP_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// The variable with the number of retries of a request without an answer.
const MAX_RETRIES: &str = "CLAUDE_CODE_MAX_RETRIES";

/// The variable with the milliseconds for which a run with one prompt waits for its background tasks (A4).
const BACKGROUND_WAIT: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";

/// The variable with the window that conversations are compacted for; it takes precedence over `--autocompact`.
const WINDOW: &str = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";

/// Returns the limits from the environment and the arguments.
///
/// # Errors
/// Errors if a variable is not a number.
pub(super) fn of(at: RunContext<'_>) -> Result<TurnOptions, CliError> {
    let usual = TurnOptions {
        one_shot: at.is_one_shot(),
        shows_batches: at.terminal.is_some(),
        ..TurnOptions::default()
    };
    let stop_cap = number(at, STOP_CAP, "the limit on continuations by hooks in a row; 0 means no limit")?;
    let max_retries = number(at, MAX_RETRIES, "the number of retries of a request without an answer")?;
    let wait = "the milliseconds for which a run waits for its background tasks; 0 means not at all";
    let wait = number(at, BACKGROUND_WAIT, wait)?;
    Ok(TurnOptions {
        stop_cap: stop_cap.unwrap_or(usual.stop_cap),
        max_retries: max_retries.unwrap_or(usual.max_retries),
        background_wait: wait.map_or(usual.background_wait, Duration::from_millis),
        ..usual
    })
}

/// Returns the window that conversations are compacted for.
///
/// # Errors
/// Errors if the variable is not a valid window.
pub(super) fn window(at: RunContext<'_>) -> Result<Window, CliError> {
    let given = at.around.var(WINDOW).filter(|value| !value.is_empty()).map(OsStr::to_string_lossy);
    let of_variable = given.map(|given| {
        let wrong =
            |why: InvalidWindow| CliError::usage(format!("`{WINDOW}={given}` is not a valid window: {why}"));
        given.parse::<Autocompact>().map_err(wrong)
    });
    Ok(match of_variable.transpose()?.or(at.args.model.autocompact) {
        Some(Autocompact::Tokens(tokens)) => Window::of(tokens),
        Some(Autocompact::Auto) | None => Window::default(),
    })
}

/// Reads a number from a variable that is set.
fn number<N: FromStr>(at: RunContext<'_>, name: &str, meaning: &str) -> Result<Option<N>, CliError> {
    let Some(given) = at.around.var(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let given = given.to_string_lossy();
    let number = given.trim().parse();
    number
        .map(Some)
        .map_err(|_| CliError::usage(format!("`{name}={given}` is not a whole number: it is {meaning}")))
}
