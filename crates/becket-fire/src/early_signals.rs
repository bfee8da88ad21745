//! Signals before their handlers are installed, and signals that nobody sends to end a process.

use crate::answer_stream::readable;
use becket_dialects::Answer;

/// The reason of a refusal after a signal.
pub const ENDED: &str = "a signal has ended becket";

/// Signals before their handlers are installed: a signal ends the process with an answer, since an agent treats a guard
/// that was ended by a signal as one without an objection.
#[derive(Debug)]
pub struct EarlySignals(());

impl EarlySignals {
    /// Makes signals end the process with an answer.
    #[must_use]
    pub fn answer_with(answer: &Answer) -> Self {
        let answer = readable(answer);
        #[cfg(unix)]
        becket_process::LastAnswer {
            stdout: answer.stdout.into_bytes(),
            stderr: answer.stderr.into_bytes(),
            exit: answer.exit,
        }
        .give_on_signals();
        #[cfg(not(unix))]
        drop(answer);
        EarlySignals(())
    }

    /// Lets the later handlers end the hooks first from now on.
    pub fn are_handled(&self) {
        #[cfg(unix)]
        becket_process::end_is_handled();
    }
}
