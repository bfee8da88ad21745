//! How long and how much: deadlines, graces and caps.

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

/// What the sink of a run is shown of each stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// What is kept: nothing past the cap (`protocol.md` H3).
    #[default]
    Kept,
    /// Every byte, whatever is kept: for a run that is talked to, however long it lives.
    All,
}

/// The limits of one run.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Time for the whole run, from the call on: spawning, feeding, draining, waiting. `None`: no limit. A
    /// [`crate::Control`] can have it stand still and set another.
    pub deadline: Option<Duration>,
    /// Time between SIGTERM and SIGKILL. It passes in the background: the host is released before it.
    pub term_grace: Duration,
    /// Time the pipes get to close once the process has ended.
    pub drain_grace: Duration,
    /// The most of stdout that is kept.
    pub stdout_cap: ByteCap,
    /// The most of stderr that is kept.
    pub stderr_cap: ByteCap,
    /// What the sink is shown.
    pub shown: Shown,
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
            shown: Shown::Kept,
        }
    }
}
