//! The limits on turns that environment variables set.

use crate::turn::TurnOptions;
use becket_engine::Environment;
use becket_tools::shell::LIMIT_VARIABLES;
use std::num::{NonZeroU32, NonZeroU64};
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

/// The variable for the maximum number of tokens of an answer.
const OUTPUT_TOKENS: &str = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";

/// A variable that is not a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}={given}` can't be used: write a whole number, {meaning}")]
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
    let max_tokens: Option<NonZeroU32> =
        number(environment, OUTPUT_TOKENS, "the maximum number of tokens of an answer, at least 1")?;
    let mut call_limit = usual.call_limit;
    for name in LIMIT_VARIABLES {
        let limit: Option<NonZeroU64> =
            number(environment, name, "the milliseconds for which a command line may run, at least 1")?;
        call_limit = call_limit.max(limit.map_or(Duration::ZERO, |limit| Duration::from_millis(limit.get())));
    }
    Ok(TurnOptions {
        call_limit,
        max_tokens: max_tokens.map_or(usual.max_tokens, NonZeroU32::get),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Result<TurnOptions, InvalidNumber> {
        let start = Environment::empty();
        turn_options(&variables.iter().fold(start, |all, (name, value)| all.with_var(*name, *value)))
    }

    #[test]
    fn limits_of_answers_and_lines_come_from_variables() {
        let usual = with(&[]).expect("there are no variables");
        let limited = with(&[
            (OUTPUT_TOKENS, "64"),
            ("BASH_DEFAULT_TIMEOUT_MS", "700000"),
            ("BASH_MAX_TIMEOUT_MS", "900000"),
        ])
        .expect("all are numbers");
        assert_eq!((limited.max_tokens, limited.call_limit), (64, Duration::from_secs(900)));
        // A shorter limit of lines is not one of other tools.
        let shorter = with(&[("BASH_MAX_TIMEOUT_MS", "5")]).expect("it is a number");
        assert_eq!((shorter.max_tokens, shorter.call_limit), (usual.max_tokens, usual.call_limit));
        for name in [OUTPUT_TOKENS, "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS"] {
            for given in ["0", "-1", "many", "1.5"] {
                let error = with(&[(name, given)]).expect_err("it is not a positive number").to_string();
                assert!(error.starts_with(&format!("`{name}={given}` can't be used: ")), "{error}");
            }
        }
    }
}
