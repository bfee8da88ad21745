//! Handlers that are registered while a session runs: from frontmatter of skills and agents, and by the host (C10).
//!
//! Each registration is a separate set. Adding one appends a pointer; registered handlers are not copied or compiled
//! again, and no registration can be lost to another task's.

use crate::plan::candidates::Part;
use crate::plan::gates::Gates;
use becket_model::EventKind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The id of a set of registered handlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegistrationId(u64);

/// The registered sets of an engine.
#[derive(Debug)]
pub(crate) struct Registrations {
    sets: RwLock<Vec<(RegistrationId, Part)>>,
    next: AtomicU64,
    by_event: Vec<AtomicUsize>,
}

impl Registrations {
    pub(crate) fn new() -> Self {
        let by_event = EventKind::ALL.iter().map(|_| AtomicUsize::new(0)).collect();
        Registrations { sets: RwLock::default(), next: AtomicU64::new(1), by_event }
    }

    /// Adds a set.
    pub(crate) fn add(&self, part: Part) -> RegistrationId {
        let id = RegistrationId(self.next.fetch_add(1, Ordering::Relaxed));
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        self.count(&part, |count, more| {
            count.fetch_add(more, Ordering::Release);
        });
        sets.push((id, part));
        id
    }

    /// Removes a set; returns false if it is gone already. Firings in progress keep their plan.
    pub(crate) fn remove(&self, id: RegistrationId) -> bool {
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = sets.iter().position(|(known, _)| *known == id) else { return false };
        let (_, part) = sets.remove(at);
        self.count(&part, |count, fewer| {
            count.fetch_sub(fewer, Ordering::Release);
        });
        true
    }

    /// Puts all sets behind other gates.
    pub(crate) fn regate(&self, gates: &Gates) {
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        for (_, part) in sets.iter_mut() {
            *part = part.behind(gates.clone());
        }
    }

    /// Returns whether any set has a handler for the event, or something to explain about it (G4).
    pub(crate) fn has_any(&self, event: EventKind) -> bool {
        self.by_event[event as usize].load(Ordering::Acquire) > 0
    }

    /// Returns the sets, in the order of their registration; none can be added while they are read.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Vec<(RegistrationId, Part)>> {
        self.sets.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, part: &Part, change: impl Fn(&AtomicUsize, usize)) {
        for event in EventKind::ALL {
            change(&self.by_event[event as usize], part.hooks().of(event).len());
        }
    }
}

/// The bits of a position that distinguish handlers of one source and `order`.
const SEQUENCE: u64 = 0xff_ffff;

/// Returns the position of a handler that is registered as the `number`th: after all that were loaded from its source
/// with its `order`, and after those registered before it (C6).
pub(crate) fn position(loaded: u64, number: u64) -> u64 {
    const REGISTERED: u64 = 0x80_0000;
    (loaded & !SEQUENCE) | REGISTERED | (number & (SEQUENCE ^ REGISTERED))
}
