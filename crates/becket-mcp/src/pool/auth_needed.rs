//! Servers that need a login are not contacted for a while (`protocol.md` X3): in this process, and across restarts if
//! the host provides a file for this.
//!
//! The file is not used for a server whose credentials are in its configuration: it has no login, which would remove
//! the entry again when they are corrected.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::time::Instant;

use crate::auth::{AUTH_NEEDED_TTL, AuthNeeded, Key};
use crate::challenge::Challenge;
use crate::config::{ServerConfig, Transport};
use crate::connection::{brings_own, wants_person};

/// The servers of a pool that need a login.
#[derive(Debug)]
pub(super) struct AuthNeededServers {
    file: Option<AuthNeeded>,
    own: Mutex<HashMap<Arc<str>, AuthDemand>>,
    /// The challenges to single calls that need more than was granted. These servers are still contacted: other calls
    /// work.
    more: Mutex<HashMap<Arc<str>, Challenge>>,
}

#[derive(Debug, Clone)]
struct AuthDemand {
    at: Instant,
    challenge: Challenge,
}

impl AuthNeededServers {
    pub(super) fn new(file: Option<AuthNeeded>) -> Self {
        Self { file, own: Mutex::default(), more: Mutex::default() }
    }

    /// Returns the server's challenge, if it must not be contacted; an empty one if only the file has it.
    pub(super) fn is_needed(&self, server: &Arc<str>, config: &ServerConfig) -> Option<Challenge> {
        let own = self.lock().get(server).cloned();
        let own = own.filter(|noted| noted.at.elapsed() < AUTH_NEEDED_TTL).map(|noted| noted.challenge);
        // A login in any process removes it from the file.
        match (&self.file, key(server, config)) {
            (Some(file), Some(key)) => {
                file.is_needed(&key, SystemTime::now()).map(|_| own.unwrap_or_default())
            }
            (Some(_) | None, _) => own,
        }
    }

    /// Returns the challenge for a login: the server's last one, to a call that needs more or to every call.
    pub(super) fn asked_for(&self, server: &Arc<str>, config: &ServerConfig) -> Challenge {
        let more = self.more().get(server).cloned();
        more.or_else(|| self.is_needed(server, config)).unwrap_or_default()
    }

    /// Records, for the next login, that a call needs more than was granted.
    pub(super) fn note_more(&self, server: &Arc<str>, challenge: Challenge) {
        self.more().insert(Arc::clone(server), challenge);
    }

    /// Records that a server needs a login. If it can't be written to the file, the server is contacted again.
    pub(super) async fn note(&self, server: &Arc<str>, config: &ServerConfig, challenge: Challenge) {
        self.lock().insert(Arc::clone(server), AuthDemand { at: Instant::now(), challenge });
        if let (Some(file), Some(key)) = (&self.file, key(server, config)) {
            let _ = file.note(&key, SystemTime::now()).await;
        }
    }

    /// Discards challenges to an older configuration.
    pub(super) fn forget(&self, server: &str) {
        self.lock().remove(server);
        self.more().remove(server);
    }

    /// Clears a server, so that it is tried again.
    pub(super) async fn clear(&self, server: &Arc<str>, config: &ServerConfig) {
        self.forget(server);
        if let (Some(file), Some(key)) = (&self.file, key(server, config)) {
            // An entry that can't be removed expires.
            let _ = file.clear(&key, SystemTime::now()).await;
        }
    }

    fn more(&self) -> MutexGuard<'_, HashMap<Arc<str>, Challenge>> {
        self.more.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, AuthDemand>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the key in the file; `None` if the server has no login.
fn key(server: &str, config: &ServerConfig) -> Option<Key> {
    match &config.transport {
        Transport::Http(remote) | Transport::Sse(remote) | Transport::WebSocket(remote) => {
            let own = brings_own(remote) || remote.headers_helper.is_some() || !wants_person(remote);
            (!own).then(|| Key::new(server, &remote.url))
        }
        Transport::Stdio(_)
        | Transport::SseIde(_)
        | Transport::WsIde(_)
        | Transport::Proxy(_)
        | Transport::InProcess => None,
    }
}
