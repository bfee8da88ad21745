//! Detects that the reader of stdout is gone, also while nothing is written there.

use becket_engine::CancellationToken;
use std::time::Duration;

/// The interval at which the end of the run is checked.
const LOOK: Duration = Duration::from_millis(500);

/// Returns once the reader of stdout is gone, or `over` is cancelled. Blocks its thread. If stdout is a file or a
/// terminal there is no such reader, and this ends with the run.
#[cfg(unix)]
pub(super) fn wait_until_nobody_reads(over: &CancellationToken) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = std::io::stdout();
    let limit = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    while !over.is_cancelled() {
        // No events are requested: the end of the other side is reported anyway.
        let mut streams = [PollFd::new(&stdout, PollFlags::empty())];
        let is_told = poll(&mut streams, Some(&limit)).is_ok_and(|told| told > 0);
        if is_told && streams[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
            return;
        }
    }
}

/// Not supported on this platform: the next write finds out.
#[cfg(not(unix))]
pub(super) fn wait_until_nobody_reads(over: &CancellationToken) {
    while !over.is_cancelled() {
        std::thread::sleep(LOOK);
    }
}
