//! The limits of a turn.

use super::context::RunContext;
use crate::args::{Autocompact, InvalidWindow};
use crate::error::CliError;
use becket_agent::assemble::turn_options;
use becket_agent::compact::Window;
use becket_agent::turn::TurnOptions;
use std::ffi::OsStr;

/// The variable with the window that conversations are compacted for; it takes precedence over `--autocompact`.
const WINDOW: &str = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";

/// Returns the limits from the environment and the arguments.
///
/// # Errors
/// Errors if a variable is not a number.
pub(super) fn of(at: RunContext<'_>) -> Result<TurnOptions, CliError> {
    let options = turn_options(at.session.environment()).map_err(CliError::usage)?;
    Ok(TurnOptions {
        one_shot: at.is_one_shot(),
        shows_batches: at.terminal.is_some(),
        tells_pieces: tells_pieces(at),
        ..options
    })
}

/// Returns whether a stream shows answers piece by piece.
fn tells_pieces(at: RunContext<'_>) -> bool {
    let of = &at.args.format;
    of.include_partial_messages || of.debug_file.is_some() || of.debug_to_stderr
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
