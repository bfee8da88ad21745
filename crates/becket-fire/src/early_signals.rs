//! Signals before anything listens to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signals before anything listens to them: one that ends the process ends it with an exit code, since an agent takes a guard
/// that a signal has ended for one that has nothing to say.
#[derive(Debug)]
pub struct EarlySignals(Arc<AtomicBool>);

impl EarlySignals {
    /// Lets them end the process with `exit`.
    #[must_use]
    pub fn exit_with(exit: u8) -> Self {
        let armed = Arc::new(AtomicBool::new(true));
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP]
        {
            // If no handler can be set, the signal has its default effect.
            drop(signal_hook::flag::register_conditional_shutdown(signal, exit.into(), armed.clone()));
        }
        EarlySignals(armed)
    }

    /// From now on they end the hooks first.
    pub fn are_handled(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
