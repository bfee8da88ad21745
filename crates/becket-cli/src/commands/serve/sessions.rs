//! The sessions of one connection. Each connection has its own table, so the ids of others are unknown here.

use super::fault::Fault;
use super::method::Method;
use super::session::Session;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limit on open sessions of a connection.
const MOST: usize = 1_024;

/// Open sessions by their ids. Clones share the table.
#[derive(Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<HashMap<Arc<str>, Arc<Session>>>>);

impl Sessions {
    /// Adds a session.
    ///
    /// # Errors
    /// Errors if its id is taken, or there are too many.
    pub(super) fn add(&self, session: Session) -> Result<Arc<Session>, Fault> {
        let mut all = self.all();
        if all.len() >= MOST {
            return Err(Fault::Busy { why: format!("{MOST} sessions are open: close one first") });
        }
        match all.entry(session.open.id().clone()) {
            Entry::Occupied(_) => Err(Fault::Params {
                method: Method::SessionOpen.name(),
                why: format!("the session `{}` is open already", session.open.id()),
            }),
            Entry::Vacant(place) => Ok(place.insert(Arc::new(session)).clone()),
        }
    }

    /// Finds a session.
    ///
    /// # Errors
    /// Errors if there is no session with that id.
    pub(super) fn get(&self, id: &str) -> Result<Arc<Session>, Fault> {
        self.all().get(id).cloned().ok_or_else(|| Fault::NoSession { id: id.to_owned() })
    }

    /// Removes a session, so that it can be closed.
    ///
    /// # Errors
    /// Errors if there is no session with that id.
    pub(super) fn take(&self, id: &str) -> Result<Arc<Session>, Fault> {
        self.all().remove(id).ok_or_else(|| Fault::NoSession { id: id.to_owned() })
    }

    /// Removes all sessions.
    pub(super) fn take_all(&self) -> Vec<Arc<Session>> {
        self.all().drain().map(|(_, session)| session).collect()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
