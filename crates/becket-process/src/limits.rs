//! Deadlines, graces and caps.

use std::time::Duration;

/// The maximum number of bytes of one stream that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteCap(usize);

impl ByteCap {
    /// 1 MiB, the default of `protocol.md` H3.
    pub const MIB: Self = Self(1 << 20);

    /// Creates a cap of that many bytes; with zero, bytes are only counted.
    #[must_use]
    pub const fn bytes(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

/// The part of each stream that the sink of a run receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SinkLimit {
    /// The captured bytes: nothing past the cap (`protocol.md` H3).
    #[default]
    Capped,
    /// Every byte, even past the cap: for interactive runs of any length.
    Unlimited,
}

/// The limits of one run.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The time for the whole run, counted from the call: spawning, feeding, draining, waiting. `None` means no limit.
    /// A [`crate::Control`] can pause and replace it.
    pub deadline: Option<Duration>,
    /// Time between SIGTERM and SIGKILL. It passes in the background: the host is released before it ends.
    pub term_grace: Duration,
    /// Time the pipes get to close once the process has ended.
    pub drain_grace: Duration,
    /// The maximum number of bytes of stdout that are kept.
    pub stdout_cap: ByteCap,
    /// The maximum number of bytes of stderr that are kept.
    pub stderr_cap: ByteCap,
    /// The part of the output that the sink receives.
    pub sink: SinkLimit,
}

/// Returns the values of `protocol.md` H3 and H4, without a deadline.
impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: None,
            term_grace: Duration::from_millis(1500),
            drain_grace: Duration::from_millis(500),
            stdout_cap: ByteCap::MIB,
            stderr_cap: ByteCap::MIB,
            sink: SinkLimit::Capped,
        }
    }
}
