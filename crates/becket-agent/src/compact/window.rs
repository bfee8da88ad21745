//! The model's context window, and the size at which a conversation is compacted.

/// Assumed size of a context window if none is given.
const TOKENS: u64 = 200_000;

/// Room kept free for the next answer and for the parts of a request around the messages.
const RESERVE: u64 = 24_000;

/// The context window of a model, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    tokens: u64,
    reserve: u64,
}

impl Default for Window {
    fn default() -> Self {
        Self { tokens: TOKENS, reserve: RESERVE }
    }
}

impl Window {
    /// A window of so many tokens; an eighth of a small one is kept free, 24,000 of a large one.
    #[must_use]
    pub fn of(tokens: u64) -> Self {
        Self { tokens, reserve: RESERVE.min(tokens / 8) }
    }

    /// Its size.
    #[must_use]
    pub fn tokens(self) -> u64 {
        self.tokens
    }

    /// Returns whether a conversation of this size is compacted before the next request.
    #[must_use]
    pub fn is_full(self, tokens: u64) -> bool {
        tokens >= self.full_at()
    }

    /// The size from which on it is.
    #[must_use]
    pub(crate) fn full_at(self) -> u64 {
        self.tokens.saturating_sub(self.reserve)
    }

    /// Returns whether the end of a conversation is small enough to stay beside the summary of the rest.
    pub(super) fn may_keep(self, tokens: u64) -> bool {
        tokens <= self.tokens / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_full_before_it_overflows() {
        for (window, tokens, full) in [
            (Window::default(), 175_999, false),
            (Window::default(), 176_000, true),
            (Window::of(8_000), 6_999, false),
            (Window::of(8_000), 7_000, true),
            (Window::of(0), 0, true),
            (Window::of(u64::MAX), u64::MAX, true),
        ] {
            assert_eq!(window.is_full(tokens), full, "{window:?} {tokens}");
        }
    }
}
