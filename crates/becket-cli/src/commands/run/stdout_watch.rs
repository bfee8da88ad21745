//! Detects that the reader of stdout is gone, even while nothing is written.

use becket_engine::CancellationToken;
use std::time::Duration;

/// The interval at which the end of the run is checked.
const LOOK: Duration = Duration::from_millis(500);

/// Returns once the reader of stdout is gone, or `over` is cancelled. Blocks its thread. If stdout is a file or a
/// terminal, there is no such reader, and it returns at the end of the run.
#[cfg(unix)]
pub(super) fn wait_until_nobody_reads(over: &CancellationToken) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = std::io::stdout();
    let limit = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    while !over.is_cancelled() {
        // No events are requested: the closing of the other end is reported anyway.
        let mut streams = [PollFd::new(&stdout, PollFlags::empty())];
        let is_ready = poll(&mut streams, Some(&limit)).is_ok_and(|ready| ready > 0);
        if is_ready && streams[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
            return;
        }
    }
}

/// Waits for the end of the run. Not supported on this platform: the next write detects a missing reader.
#[cfg(not(unix))]
pub(super) fn wait_until_nobody_reads(over: &CancellationToken) {
    while !over.is_cancelled() {
        std::thread::sleep(LOOK);
    }
}
