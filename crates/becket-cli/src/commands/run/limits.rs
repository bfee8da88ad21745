//! What bounds a turn.

use super::assembled::At;
use crate::error::CliError;
use becket_agent::turn::TurnOptions;

/// The variable that says how often in a row hooks may send the model back to work (L4).
const STOP_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// What the environment and the arguments say.
///
/// # Errors
/// The variable is no number.
pub(super) fn of(at: At<'_>) -> Result<TurnOptions, CliError> {
    let usual = TurnOptions {
        one_shot: at.is_one_shot(),
        shows_batches: at.terminal.is_some(),
        ..TurnOptions::default()
    };
    let Some(given) = at.around.var(STOP_CAP).filter(|value| !value.is_empty()) else { return Ok(usual) };
    let given = given.to_string_lossy();
    let stop_cap = given.trim().parse().map_err(|_| {
        CliError::usage(format!(
            "`{STOP_CAP}={given}` is no number: it says how often in a row hooks may send the model back to work; 0 stands \
             for as often as they like"
        ))
    })?;
    Ok(TurnOptions { stop_cap, ..usual })
}
