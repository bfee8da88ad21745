//! The clients over HTTP, by the ids that only they know.

use super::super::connection::{Client, ConnectionEnd};
use super::super::memory_budget::MemoryBudget;
use super::super::presence::Presence;
use super::super::session_defaults::SessionDefaults;
use super::caller::Caller;
use super::refusal::Refusal;
use crate::out::Out;
use becket_engine::CancellationToken;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

/// The limit on concurrent connections.
const MOST: usize = 1_024;

/// The state that all clients share.
pub(super) struct Callers {
    pub(super) host: Arc<SessionDefaults>,
    pub(super) patience: Duration,
    pub(super) linger: Duration,
    pub(super) room: MemoryBudget,
    pub(super) cancel: CancellationToken,
    pub(super) out: Out,
    pub(super) all: Mutex<All>,
}

#[derive(Default)]
pub(super) struct All {
    by_name: HashMap<String, Arc<Caller>>,
    tasks: JoinSet<()>,
}

impl Callers {
    /// Adds a client.
    ///
    /// # Errors
    /// Errors if there are too many clients.
    pub(super) fn open(self: &Arc<Self>) -> Result<Arc<Caller>, Refusal> {
        let mut all = self.all();
        while all.tasks.try_join_next().is_some() {}
        if all.by_name.len() >= MOST || self.cancel.is_cancelled() {
            return Err(Refusal::Busy);
        }
        let client = Client {
            host: self.host.clone(),
            patience: self.patience,
            presence: Presence::watched(),
            room: None,
        };
        let id = Uuid::new_v4().simple().to_string();
        let (caller, tended) = Caller::new(id.clone(), client, self.linger, self.cancel.child_token());
        all.by_name.insert(id.clone(), caller.clone());
        let callers = self.clone();
        all.tasks.spawn(async move {
            let ended = tended.await;
            callers.all().by_name.remove(&id);
            if let ConnectionEnd::CutOff(why) = ended {
                callers.out.eprint(&format!("{why}\n"));
            }
        });
        Ok(caller)
    }

    /// Returns the client with this id.
    ///
    /// # Errors
    /// Errors if there is no such client.
    pub(super) fn get(&self, id: &[u8]) -> Result<Arc<Caller>, Refusal> {
        let name = std::str::from_utf8(id).unwrap_or_default();
        let known = self.all().by_name.get(name).cloned();
        known.filter(|caller| !caller.is_ending()).ok_or(Refusal::NoConnection)
    }

    /// Ends all clients, and waits until they have ended.
    pub(super) async fn end(&self) {
        self.cancel.cancel();
        let mut tasks = std::mem::take(&mut self.all().tasks);
        while tasks.join_next().await.is_some() {}
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
