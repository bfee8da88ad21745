//! A worker thread for keyring operations: a keyring may ask the user for a password, and some hang.
//!
//! The thread runs one job at a time, in the order of submission; it starts with the first one. It does not belong to
//! a runtime, since a runtime waits for all blocking work when it shuts down. A job whose waiter is gone before it
//! starts is skipped.
//!
//! INVARIANT: no caller waits longer than the limit, and a keyring that never answers costs one thread.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::access::Access;
use crate::auth::store::KeyringError;

/// The time limit on an answer: the user may have to type a password.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

type Job = Box<dyn FnOnce(&mut Access) + Send>;

/// Creates an [`Access`] for a new thread.
type Make = dyn Fn() -> Access + Send + Sync;

/// A handle to the thread. Dropping it ends the thread after its current job.
#[derive(Clone)]
pub(super) struct Worker {
    make: Arc<Make>,
    limit: Duration,
    jobs: Arc<Mutex<Option<Sender<Job>>>>,
}

impl Worker {
    pub(super) fn new(limit: Duration, make: impl Fn() -> Access + Send + Sync + 'static) -> Self {
        Self { make: Arc::new(make), limit, jobs: Arc::default() }
    }

    /// Runs a job on the thread, and waits for its result.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        deed: impl FnOnce(&mut Access) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (sender, receiver) = oneshot::channel();
        self.send(Box::new(move |access| {
            if !sender.is_closed() {
                // The caller may be gone.
                let _ = sender.send(deed(access));
            }
        }))?;
        match timeout(self.limit, receiver).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(KeyringError::Refused { why: "the connection to it failed".to_owned() }),
            Err(_) => Err(KeyringError::Silent { limit: self.limit }),
        }
    }

    /// Queues a job for the current thread, or for a new one if that has panicked.
    fn send(&self, job: Job) -> Result<(), KeyringError> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = match &*jobs {
            Some(there) => match there.send(job) {
                Ok(()) => return Ok(()),
                Err(gone) => gone.0,
            },
            None => job,
        };
        let (send, receive) = channel();
        let make = Arc::clone(&self.make);
        let started = std::thread::Builder::new()
            .name("becket-keyring".to_owned())
            .spawn(move || work(&receive, &mut make()));
        started.map_err(|error| KeyringError::Absent { why: error.to_string() })?;
        // The thread waits for exactly this job.
        let _ = send.send(job);
        *jobs = Some(send);
        Ok(())
    }
}

fn work(jobs: &Receiver<Job>, access: &mut Access) {
    while let Ok(job) = jobs.recv() {
        job(access);
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("limit", &self.limit).finish_non_exhaustive()
    }
}
