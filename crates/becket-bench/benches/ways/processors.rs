//! The processor on which this thread and its children run.

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread to one processor until it is dropped; what is started meanwhile stays there.
#[cfg(target_os = "linux")]
pub(crate) struct Here {
    before: CpuSet,
}

#[cfg(target_os = "linux")]
impl Here {
    /// Nothing where the system has no such processor for it.
    pub(crate) fn keep(processor: usize) -> Option<Self> {
        let before = sched_getaffinity(None).ok()?;
        let mut one = CpuSet::new();
        one.set(processor);
        sched_setaffinity(None, &one).ok()?;
        Some(Here { before })
    }
}

#[cfg(target_os = "linux")]
impl Drop for Here {
    fn drop(&mut self) {
        // If this fails, it stays where it is.
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// A fallback for systems on which threads can't be pinned to a processor.
#[cfg(not(target_os = "linux"))]
pub(crate) struct Here;

#[cfg(not(target_os = "linux"))]
impl Here {
    pub(crate) fn keep(_: usize) -> Option<Self> {
        None
    }
}
