//! The limits on turns that environment variables set.

use crate::turn::TurnOptions;
use becket_engine::Environment;
use std::str::FromStr;
use std::time::Duration;

/// The variable for the maximum number of times in a row that hooks may make the model continue (L4).
const STOP_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// The variable for the maximum number of retries of a request without an answer.
const MAX_RETRIES: &str = "CLAUDE_CODE_MAX_RETRIES";

/// The variable for the milliseconds that a run with one prompt waits for its background tasks (A4).
const BACKGROUND_WAIT: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";

/// The variable for the maximum number of attempts at an answer that matches the host's schema.
const OUTPUT_ATTEMPTS: &str = "MAX_STRUCTURED_OUTPUT_RETRIES";

/// A variable that is not a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}={given}` is not a whole number: it is {meaning}")]
pub struct InvalidNumber {
    /// The variable.
    pub name: &'static str,
    /// The value of the variable.
    pub given: String,
    meaning: &'static str,
}

/// Returns the options of turns, as these variables set them.
///
/// # Errors
/// Errors if a variable is not a number.
pub fn turn_options(environment: &Environment) -> Result<TurnOptions, InvalidNumber> {
    let usual = TurnOptions::default();
    let stop_cap =
        number(environment, STOP_CAP, "the limit on continuations by hooks in a row; 0 means no limit")?;
    let max_retries =
        number(environment, MAX_RETRIES, "the number of retries of a request without an answer")?;
    let wait = "the milliseconds for which a run waits for its background tasks; 0 means not at all";
    let wait: Option<u64> = number(environment, BACKGROUND_WAIT, wait)?;
    let output_attempts =
        number(environment, OUTPUT_ATTEMPTS, "the number of attempts at an answer of a schema")?;
    Ok(TurnOptions {
        output_attempts: output_attempts.unwrap_or(usual.output_attempts),
        stop_cap: stop_cap.unwrap_or(usual.stop_cap),
        max_retries: max_retries.unwrap_or(usual.max_retries),
        background_wait: wait.map_or(usual.background_wait, Duration::from_millis),
        ..usual
    })
}

/// Reads a number from a variable that is set.
fn number<N: FromStr>(
    environment: &Environment,
    name: &'static str,
    meaning: &'static str,
) -> Result<Option<N>, InvalidNumber> {
    let Some(given) = environment.var(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let given = given.to_string_lossy();
    let number = given.trim().parse();
    number.map(Some).map_err(|_| InvalidNumber { name, given: given.into_owned(), meaning })
}
