//! The configured servers, in their order.
//!
//! INVARIANT: a name means one server. Of several entries with one name, the one that is not shadowed counts.

use std::collections::HashMap;
use std::sync::Arc;

use super::slot::Slot;
use crate::config::{ConfiguredServer, DisabledReason, Status};

/// All servers.
#[derive(Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    by_name: HashMap<Arc<str>, usize>,
}

/// A configured entry.
pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) configured: Arc<ConfiguredServer>,
    /// The slot; `None` for a shadowed entry.
    pub(super) slot: Option<Arc<Slot>>,
}

impl Table {
    /// Creates the table. `slot` is called once for each name.
    pub(super) fn new(
        configured: Vec<ConfiguredServer>,
        mut slot: impl FnMut(&ConfiguredServer) -> Arc<Slot>,
    ) -> Self {
        let (mut entries, mut by_name) = (Vec::with_capacity(configured.len()), HashMap::new());
        for configured in configured {
            let name: Arc<str> = configured.name.to_string().into();
            let counts = !is_shadowed(&configured) && !by_name.contains_key(&name);
            let slot = counts.then(|| slot(&configured));
            if counts {
                by_name.insert(Arc::clone(&name), entries.len());
            }
            entries.push(Entry { name, configured: Arc::new(configured), slot });
        }
        Self { entries, by_name }
    }

    pub(super) fn get(&self, server: &str) -> Option<&Arc<Slot>> {
        self.by_name.get(server).and_then(|index| self.entries.get(*index)?.slot.as_ref())
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        self.entries.iter().filter_map(|entry| entry.slot.as_ref())
    }
}

fn is_shadowed(configured: &ConfiguredServer) -> bool {
    match &configured.status {
        Status::Disabled(why) => matches!(why, DisabledReason::Shadowed { .. }),
        Status::Allowed => false,
    }
}
