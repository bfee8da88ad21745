//! The error of a matcher that can't be used. The engine reports it as a configuration error, and the group matches
//! nothing (M4).

use super::syntax::ParseFailure;

/// A matcher whose text can't be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatcherError {
    /// The text is not valid as an ECMAScript expression without flags.
    #[error("`{text}` is not a valid ECMAScript expression: {why}")]
    Invalid {
        /// The matcher, cut if it is very long.
        text: String,
        /// The message of the regex compiler, lowercase, without a final dot.
        why: String,
    },
    /// The expression is nested too deeply or too long to be compiled.
    #[error("`{text}` is too large: write a shorter expression, or split the group in two")]
    TooLarge {
        /// The matcher, cut if it is very long.
        text: String,
    },
    /// The expression is valid, but uses a construct that Becket does not run.
    #[error("`{text}` uses {construct}, which matchers can't use: {instead}")]
    Unsupported {
        /// The matcher, cut if it is very long.
        text: String,
        /// The description of the construct.
        construct: &'static str,
        /// The text to write instead.
        instead: &'static str,
    },
}

impl MatcherError {
    pub(super) fn unread(text: &str, unread: &ParseFailure) -> Self {
        match unread {
            ParseFailure::TooDeep | ParseFailure::TooLong => Self::TooLarge { text: shown(text) },
            ParseFailure::Modifiers => Self::Unsupported {
                text: shown(text),
                construct: "flags inside a group, as in `(?i:…)`",
                instead: "write both letters, as in `[Bb]ash`",
            },
            ParseFailure::Malformed(why) => Self::Invalid { text: shown(text), why: (*why).to_owned() },
        }
    }

    pub(super) fn invalid(text: &str, why: &str) -> Self {
        let mut letters = why.trim_end_matches('.').chars();
        let why =
            letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default();
        Self::Invalid { text: shown(text), why }
    }
}

/// Returns the text for a message: at most 120 characters of it.
pub(super) fn shown(text: &str) -> String {
    becket_base::text::cut(text, 120)
}
