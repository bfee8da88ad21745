//! `--autocompact`: the size at which a conversation is compacted.

use std::str::FromStr;

/// The smallest allowed window: in a smaller one, little but the summary would fit.
const LEAST: u64 = 100_000;

/// The window that conversations are compacted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Autocompact {
    /// The window of the model.
    Auto,
    /// A window of this many tokens.
    Tokens(u64),
}

/// A value that is not a valid window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("write `auto`, or at least 100000 tokens, as in `500k`")]
pub(crate) struct InvalidWindow;

impl FromStr for Autocompact {
    type Err = InvalidWindow;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let given = given.trim().to_ascii_lowercase();
        if given == "auto" {
            return Ok(Autocompact::Auto);
        }
        let (digits, unit) = match given.strip_suffix('k') {
            Some(digits) => (digits, 1_000),
            None => given.strip_suffix('m').map_or((given.as_str(), 1), |digits| (digits, 1_000_000)),
        };
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<u64>().ok().filter(|_| is_number);
        let tokens = number.and_then(|number| number.checked_mul(unit)).filter(|tokens| *tokens >= LEAST);
        tokens.map(Autocompact::Tokens).ok_or(InvalidWindow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_auto_or_a_number_of_tokens() {
        use Autocompact::{Auto, Tokens};
        for (given, expected) in [
            ("auto", Some(Auto)),
            ("100000", Some(Tokens(100_000))),
            ("500k", Some(Tokens(500_000))),
            (" 1M ", Some(Tokens(1_000_000))),
            ("99999", None),
            ("0", None),
            ("50%", None),
            ("+200000", None),
            ("18446744073709551615k", None),
            ("k", None),
            ("", None),
        ] {
            assert_eq!(given.parse().ok(), expected, "{given}");
        }
    }
}
