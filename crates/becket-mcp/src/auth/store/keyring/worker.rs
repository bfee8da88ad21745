//! A thread for what may take long: a keyring may ask a person for a password, and some hang.
//!
//! One thread does one thing at a time, in the order in which it was asked for; it starts with the first. It belongs to no
//! runtime, for a runtime waits at its end for all that blocks. What nobody waits for any longer, and has not begun, is
//! not done.
//!
//! INVARIANT: nobody waits longer than the limit, and a keyring that never answers costs one thread.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::access::Access;
use crate::auth::store::KeyringError;

/// How long an answer is waited for: a person may have to type a password.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

type Job = Box<dyn FnOnce(&mut Access) + Send>;

/// Makes an [`Access`] for a new thread.
type Make = dyn Fn() -> Access + Send + Sync;

/// The thread, seen from those who ask. Dropped, it ends when it is done.
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

    /// Has it done, and waits for what comes of it.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        deed: impl FnOnce(&mut Access) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (tell, told) = oneshot::channel();
        self.send(Box::new(move |access| {
            if !tell.is_closed() {
                // Whoever asked may have gone meanwhile.
                let _ = tell.send(deed(access));
            }
        }))?;
        match timeout(self.limit, told).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(KeyringError::Refused { why: "the way to it broke down".to_owned() }),
            Err(_) => Err(KeyringError::Silent { limit: self.limit }),
        }
    }

    /// Puts a job into the queue of the thread that is there, or of a new one where it broke down.
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
        // It waits for this very job.
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
