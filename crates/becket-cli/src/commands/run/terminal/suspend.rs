//! Stops this program as Ctrl-Z does elsewhere, until the shell continues it.

#[cfg(unix)]
use std::thread::sleep;
#[cfg(unix)]
use std::time::Duration;

/// The time limit for the signal to arrive: until then, this thread would continue to draw.
#[cfg(unix)]
const ARRIVES: Duration = Duration::from_millis(100);

/// Stops the whole job, and returns once it is continued; returns at once if no shell could continue it.
#[cfg(unix)]
pub(super) fn stop() {
    use rustix::process::{Signal, kill_current_process_group};
    if kill_current_process_group(Signal::TSTP).is_ok() {
        sleep(ARRIVES);
    }
}

/// Does nothing on systems where programs can't be stopped.
#[cfg(not(unix))]
pub(super) fn stop() {}
