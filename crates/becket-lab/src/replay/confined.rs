//! Work on a thread that has fewer rights, and whose processes have no more.

use becket_exec::{Confinement, NetworkRights, PathRights, Rights, SignalRights, StartError};
use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

/// The reason why nothing was started with fewer rights.
#[derive(Debug, thiserror::Error)]
pub enum ConfinementError {
    /// This system can't take the rights away.
    #[error("hooks can't be confined here: {0}")]
    Unavailable(#[from] StartError),
    /// The thread could not be confined.
    #[error("hooks can't be confined here: {0}")]
    Refused(io::Error),
}

/// Runs `work` on a thread of its own. It, the threads that it starts and all their processes write only below
/// `writable`, open no socket, and send signals to nothing else.
///
/// # Errors
/// Errors if a right can't be taken away; then nothing has run.
pub fn confined<T: Send>(writable: &Path, work: impl FnOnce() -> T + Send) -> Result<T, ConfinementError> {
    let rights = Rights {
        write: PathRights::below([writable]),
        network: NetworkRights::Nothing,
        signals: SignalRights::Own,
        ..Rights::default()
    };
    let confinement = Confinement::new(&rights)?;
    let result = thread::scope(|scope| {
        let thread = scope.spawn(|| confinement.enter().map(|()| work()));
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    result.map_err(ConfinementError::Refused)
}
