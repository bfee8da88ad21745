//! Work on a thread that has fewer rights, as have its processes.

use becket_exec::{Confinement, NetworkRights, PathRights, Rights, SignalRights, StartError};
use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

/// The reason why nothing was started with fewer rights.
#[derive(Debug, thiserror::Error)]
pub enum ConfinementError {
    /// This system can't restrict the rights.
    #[error("hooks can't be confined here: {0}")]
    Unavailable(#[from] StartError),
    /// The thread could not be confined.
    #[error("hooks can't be confined here: {0}")]
    Refused(io::Error),
}

/// Runs `work` on a separate thread. It, the threads that it starts and all their processes write only below
/// `writable`, change attributes of files only there, open no socket, and send signals only to each other.
///
/// # Errors
/// Errors if a right can't be restricted; then nothing has run.
pub fn confined<T: Send>(writable: &Path, work: impl FnOnce() -> T + Send) -> Result<T, ConfinementError> {
    let rights = Rights {
        write: PathRights::below([writable]),
        network: NetworkRights::Nothing,
        signals: SignalRights::Own,
        ..Rights::default()
    };
    let confinement = Confinement::with_attributes(&rights)?;
    let result = thread::scope(|scope| {
        let thread = scope.spawn(|| confinement.enter().map(|()| work()));
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    result.map_err(ConfinementError::Refused)
}
