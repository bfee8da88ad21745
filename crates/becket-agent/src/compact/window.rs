//! The model's context window, and the size at which a conversation is compacted.

/// The assumed size of a context window if none is given.
const TOKENS: u64 = 200_000;

/// The room reserved for the next answer and for the parts of a request besides the messages.
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
    /// Creates a window of this size; an eighth of a small one is kept free, 24,000 tokens of a large one.
    #[must_use]
    pub fn of(tokens: u64) -> Self {
        Self { tokens, reserve: RESERVE.min(tokens / 8) }
    }

    /// Returns the size of the window.
    #[must_use]
    pub fn tokens(self) -> u64 {
        self.tokens
    }

    /// Returns whether a conversation of this size is compacted before the next request.
    #[must_use]
    pub fn is_full(self, tokens: u64) -> bool {
        tokens >= self.full_at()
    }

    /// Returns the size from which on a conversation is compacted.
    #[must_use]
    pub(crate) fn full_at(self) -> u64 {
        self.tokens.saturating_sub(self.reserve)
    }

    /// Returns whether the end of a conversation is small enough to be kept in addition to the summary of the rest.
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
