//! Deadlines, graces and caps.

use std::time::Duration;

/// The most bytes of one stream that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteCap(usize);

impl ByteCap {
    /// 1 MiB, the default of `protocol.md` H3.
    pub const MIB: Self = Self(1 << 20);

    /// A cap of that many bytes; zero keeps nothing and still counts.
    #[must_use]
    pub const fn bytes(bytes: usize) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
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
    /// The time for the whole run, from the call on: spawning, feeding, draining, waiting. `None`: no limit. A
    /// [`crate::Control`] can pause and replace it.
    pub deadline: Option<Duration>,
    /// Time between SIGTERM and SIGKILL. It passes in the background: the host is released before it.
    pub term_grace: Duration,
    /// Time the pipes get to close once the process has ended.
    pub drain_grace: Duration,
    /// The most of stdout that is kept.
    pub stdout_cap: ByteCap,
    /// The most of stderr that is kept.
    pub stderr_cap: ByteCap,
    /// The part of the output that the sink receives.
    pub sink: SinkLimit,
}

/// The values of `protocol.md` H3 and H4, without a deadline.
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
