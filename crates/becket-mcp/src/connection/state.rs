//! The state of a connection that all its parts share: the fault that broke it first, and the server's output.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use becket_process::CancellationToken;
use tokio::time::timeout;

use super::lost_answers::LostAnswers;
use super::tail::Tail;
use crate::fault::{Fault, ServerOutput};

/// The limit on the quoted part of an invalid line.
const SHOWN: usize = 200;
/// The time between the moment a process closes its pipes and the moment its end is known.
const SETTLE: Duration = Duration::from_millis(500);

/// The state shared by the process, the wire and the callers of one connection.
#[derive(Debug, Default)]
pub(in crate::connection) struct State {
    fault: OnceLock<Fault>,
    broken: CancellationToken,
    stderr: Mutex<Tail>,
    no_message: OnceLock<String>,
    pub(in crate::connection) lost: LostAnswers,
}

impl State {
    /// Records the fault of the connection; only the first one counts.
    pub(in crate::connection) fn broke(&self, fault: Fault) {
        // A second cause is a consequence of the first.
        let _ = self.fault.set(fault);
        self.broken.cancel();
    }

    /// Returns a token that fires when the connection is broken.
    pub(in crate::connection) fn broken(&self) -> &CancellationToken {
        &self.broken
    }

    /// Waits for the fault of a connection that can no longer send.
    pub(in crate::connection) async fn settled_fault(&self) -> Fault {
        // Without another fault after a while, the process still runs and has only closed its stdin.
        let _ = timeout(SETTLE, self.broken.cancelled()).await;
        self.fault.get().cloned().unwrap_or(Fault::StdinClosed)
    }

    pub(in crate::connection) fn stderr(&self, bytes: &[u8]) {
        self.lock().push(bytes);
    }

    /// Records an invalid line; the first one is shown.
    pub(in crate::connection) fn no_message(&self, line: &[u8]) {
        self.no_message.get_or_init(|| {
            let shown = &line[..line.len().min(SHOWN)];
            let mut text = String::from_utf8_lossy(shown).into_owned();
            if line.len() > SHOWN {
                text.push('…');
            }
            text
        });
    }

    pub(in crate::connection) fn output(&self) -> ServerOutput {
        ServerOutput { stderr: self.lock().text(), no_message: self.no_message.get().cloned() }
    }

    fn lock(&self) -> MutexGuard<'_, Tail> {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
