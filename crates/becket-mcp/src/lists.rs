//! Cached lists of servers: tools, resources, prompts, each kind in a separate cache (`protocol.md` X5, X8).
//!
//! It does not send requests and does not wait: a caller that refreshes a list takes a [`Ticket`] and comes back with
//! the list.
//!
//! INVARIANT: a list that was requested before its server announced a change is never stored after it; nor is one that
//! was requested before the stored one, or one of a server that was removed or replaced meanwhile.
//! INVARIANT: at most `CAPACITY` lists are kept, the most recently used ones.
//! INVARIANT: a list that may be old is never returned as fresh.

mod debounce;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use debounce::Debounce;

/// The limit on the servers that have a list at once.
const CAPACITY: usize = 20;

/// The lists of one kind, by server. Clones share the same cache.
///
/// ```
/// use becket_mcp::Lists;
///
/// let lists = Lists::default();
/// let ticket = lists.begin("time");
/// // … the server is asked; meanwhile it announces that its list has changed …
/// lists.changed("time");
/// assert!(!ticket.store(vec!["now"]));
/// assert!(lists.get("time").is_none());
/// assert!(lists.begin("time").store(vec!["now", "then"]));
/// assert_eq!(*lists.get("time").unwrap(), ["now", "then"]);
/// ```
#[derive(Debug)]
pub struct Lists<T>(Arc<Mutex<Inner<T>>>);

#[derive(Debug)]
struct Inner<T> {
    servers: HashMap<Arc<str>, Server<T>>,
    capacity: usize,
    /// A logical clock.
    clock: u64,
}

#[derive(Debug)]
struct Server<T> {
    /// The time of the server's last announced change, or of its first use. It is unique, even among successive
    /// entries of one server.
    changed: u64,
    held: Option<StoredList<T>>,
    /// The error of the last refresh, until something changes.
    trouble: Option<Arc<str>>,
}

#[derive(Debug)]
struct StoredList<T> {
    list: Arc<T>,
    /// The time at which the list was requested.
    begun: u64,
    /// The time at which the list was last used.
    used: u64,
}

/// The state of a server's list.
#[derive(Debug, PartialEq)]
pub enum ListState<T> {
    /// The list, as new as the server's announcements.
    Fresh(Arc<T>),
    /// The server has announced a change since. Request it again; until then this is the last known list.
    Changed(Arc<T>),
    /// A refresh failed, so the old list is kept.
    Kept {
        /// The old list.
        list: Arc<T>,
        /// The error.
        why: Arc<str>,
    },
    /// There is no list: it was never requested, was evicted, or the request failed.
    Nothing {
        /// The error, if it was requested.
        why: Option<Arc<str>>,
    },
}

impl<T> Lists<T> {
    /// Creates a cache for that many servers, at least one.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        let (servers, capacity) = (HashMap::new(), capacity.max(1));
        Self(Arc::new(Mutex::new(Inner { servers, capacity, clock: 0 })))
    }

    /// Returns the list of a server: the fresh one, or the old one if refreshing it has failed. `None` if it has to be
    /// requested from the server.
    #[must_use]
    pub fn get(&self, server: &str) -> Option<Arc<T>> {
        match self.look(server) {
            ListState::Fresh(list) | ListState::Kept { list, .. } => Some(list),
            ListState::Changed(_) | ListState::Nothing { .. } => None,
        }
    }

    /// Returns the state of a server's list; this counts as a use.
    #[must_use]
    pub fn look(&self, server: &str) -> ListState<T> {
        let mut inner = self.lock();
        let now = inner.tick();
        let Some(Server { changed, held, trouble }) = inner.servers.get_mut(server) else {
            return ListState::Nothing { why: None };
        };
        let Some(held) = held else { return ListState::Nothing { why: trouble.clone() } };
        held.used = now;
        let list = Arc::clone(&held.list);
        match trouble {
            Some(why) => ListState::Kept { list, why: Arc::clone(why) },
            None if held.begun < *changed => ListState::Changed(list),
            None => ListState::Fresh(list),
        }
    }

    /// Begins a refresh of a server's list.
    pub fn begin(&self, server: &str) -> Ticket<T> {
        let mut inner = self.lock();
        let generation = inner.server(server).changed;
        let begun = inner.tick();
        Ticket { lists: Self(Arc::clone(&self.0)), server: server.into(), generation, begun }
    }

    /// Records that the server has announced a change (`notifications/…/list_changed`), or is a new process.
    pub fn changed(&self, server: &str) {
        let mut inner = self.lock();
        let now = inner.tick();
        let server = inner.server(server);
        server.changed = now;
        server.trouble = None;
    }

    /// Raises the capacity to this many servers.
    pub(crate) fn make_room(&self, servers: usize) {
        let mut inner = self.lock();
        inner.capacity = inner.capacity.max(servers);
    }

    /// Removes a server that is no longer configured. Lists that are being fetched are not stored.
    pub fn forget(&self, server: &str) {
        self.lock().servers.remove(server);
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a cache for the lists of 20 servers.
impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl<T> Clone for Lists<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Inner<T> {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn server(&mut self, name: &str) -> &mut Server<T> {
        let changed = self.tick();
        self.servers.entry(name.into()).or_insert_with(|| Server { changed, held: None, trouble: None })
    }

    /// Evicts the least recently used lists above the capacity.
    fn evict(&mut self) {
        while self.servers.values().filter(|server| server.held.is_some()).count() > self.capacity {
            let used = |server: &Server<T>| server.held.as_ref().map_or(u64::MAX, |held| held.used);
            let Some(oldest) = self.servers.values_mut().min_by_key(|server| used(server)) else { return };
            oldest.held = None;
        }
    }
}

/// The right to store a list that is being fetched. Dropping it changes nothing.
#[derive(Debug)]
#[must_use = "a list is stored with it"]
pub struct Ticket<T> {
    lists: Lists<T>,
    server: Arc<str>,
    generation: u64,
    begun: u64,
}

impl<T> Ticket<T> {
    /// Stores the list and returns true, unless it is already out of date: then the server has to be asked again if
    /// the list is still needed.
    #[must_use = "if it is false, the list is out of date"]
    pub fn store(self, list: T) -> bool {
        let mut inner = self.lists.lock();
        let used = inner.tick();
        let Some(server) = self.current(&mut inner) else { return false };
        if server.held.as_ref().is_some_and(|held| held.begun > self.begun) {
            return false;
        }
        server.held = Some(StoredList { list: Arc::new(list), begun: self.begun, used });
        server.trouble = None;
        inner.evict();
        true
    }

    /// Records that the refresh failed: an old list is kept, with the error. A change that was announced meanwhile
    /// takes precedence: the server has to be asked again.
    pub fn failed(self, why: &str) {
        let mut inner = self.lists.lock();
        let Some(server) = self.current(&mut inner) else { return };
        if server.held.as_ref().is_none_or(|held| held.begun < self.begun) {
            server.trouble = Some(why.into());
        }
    }

    fn current<'a>(&self, inner: &'a mut Inner<T>) -> Option<&'a mut Server<T>> {
        inner.servers.get_mut(&self.server).filter(|server| server.changed == self.generation)
    }
}
