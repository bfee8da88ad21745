//! The requests of a client that are not answered yet, and what cancels each.

use super::fault::Fault;
use becket_engine::CancellationToken;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limit on concurrent requests of a connection.
const MOST: usize = 1_024;

/// Requests under way, by their ids. Clones are the same table.
#[derive(Clone, Default)]
pub(super) struct Requests(Arc<Mutex<HashMap<Value, CancellationToken>>>);

impl Requests {
    /// A request is under way until [`Requests::done`]; it ends with `with`, or when it is taken back.
    ///
    /// # Errors
    /// Its id is taken, or too many are under way.
    pub(super) fn add(&self, id: &Value, with: &CancellationToken) -> Result<CancellationToken, Fault> {
        let mut all = self.all();
        if all.len() >= MOST {
            return Err(Fault::Busy { why: format!("{MOST} requests are under way: wait for one") });
        }
        match all.entry(id.clone()) {
            Entry::Occupied(_) => Err(Fault::IdInUse { id: id.clone() }),
            Entry::Vacant(place) => Ok(place.insert(with.child_token()).clone()),
        }
    }

    /// Takes a request back; one that is answered already stays so.
    pub(super) fn cancel(&self, id: &Value) {
        if let Some(cancel) = self.all().get(id) {
            cancel.cancel();
        }
    }

    /// It is answered.
    pub(super) fn done(&self, id: &Value) {
        self.all().remove(id);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Value, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
