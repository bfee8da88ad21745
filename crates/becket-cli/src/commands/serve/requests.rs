//! The unanswered requests of a client, and their cancellation tokens.

use super::fault::Fault;
use becket_engine::CancellationToken;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limit on concurrent requests of a connection.
const MOST: usize = 1_024;

/// Pending requests, by their ids. Clones share the table.
#[derive(Clone, Default)]
pub(super) struct Requests(Arc<Mutex<HashMap<Value, CancellationToken>>>);

impl Requests {
    /// Adds a request, which is pending until [`Requests::remove`]; its token is cancelled together with `with`, or when
    /// the client cancels the request.
    ///
    /// # Errors
    /// Errors if its id is taken, or too many are pending.
    pub(super) fn add(&self, id: &Value, with: &CancellationToken) -> Result<CancellationToken, Fault> {
        let mut all = self.all();
        if all.len() >= MOST {
            return Err(Fault::Busy { why: format!("{MOST} requests are pending: wait for one") });
        }
        match all.entry(id.clone()) {
            Entry::Occupied(_) => Err(Fault::IdInUse { id: id.clone() }),
            Entry::Vacant(place) => Ok(place.insert(with.child_token()).clone()),
        }
    }

    /// Cancels a request; has no effect if it is already answered.
    pub(super) fn cancel(&self, id: &Value) {
        if let Some(cancel) = self.all().get(id) {
            cancel.cancel();
        }
    }

    /// Removes a request once it is answered.
    pub(super) fn remove(&self, id: &Value) {
        self.all().remove(id);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Value, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
