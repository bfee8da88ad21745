//! The processor that this thread and its children run on.

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Pins this thread to one processor until dropped; processes that it starts meanwhile stay there.
#[cfg(target_os = "linux")]
pub(crate) struct PinnedProcessor {
    before: CpuSet,
}

#[cfg(target_os = "linux")]
impl PinnedProcessor {
    /// Returns `None` if the system has no such processor, or can't pin to it.
    pub(crate) fn pin(processor: usize) -> Option<Self> {
        let before = sched_getaffinity(None).ok()?;
        let mut one = CpuSet::new();
        one.set(processor);
        sched_setaffinity(None, &one).ok()?;
        Some(PinnedProcessor { before })
    }
}

#[cfg(target_os = "linux")]
impl Drop for PinnedProcessor {
    fn drop(&mut self) {
        // If this fails, the thread stays where it is.
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// A fallback for systems on which threads can't be pinned to a processor.
#[cfg(not(target_os = "linux"))]
pub(crate) struct PinnedProcessor;

#[cfg(not(target_os = "linux"))]
impl PinnedProcessor {
    pub(crate) fn pin(_: usize) -> Option<Self> {
        None
    }
}
