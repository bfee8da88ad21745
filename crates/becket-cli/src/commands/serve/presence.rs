//! The presence of a reader. A client that has only closed its write side still reads.

use std::io;
use std::time::Duration;

/// The interval at which the presence is checked.
const LOOK: Duration = Duration::from_millis(50);

/// The other end of the output.
#[derive(Debug)]
pub(super) struct Presence {
    /// The monitored end; `None` if the presence is monitored elsewhere.
    #[cfg(unix)]
    end: Option<std::os::fd::OwnedFd>,
}

impl Presence {
    /// Returns a presence that lasts until the connection is cancelled.
    pub(super) fn watched() -> Self {
        Presence {
            #[cfg(unix)]
            end: None,
        }
    }

    /// Resolves once the other end is closed in both directions.
    pub(super) async fn closed(&self) {
        let mut look = tokio::time::interval(LOOK);
        while !self.is_gone() {
            look.tick().await;
        }
    }
}

#[cfg(unix)]
impl Presence {
    /// Returns the presence of the reader of stdout.
    pub(super) fn of_stdout() -> io::Result<Self> {
        Presence::of(&io::stdout())
    }

    /// Returns the presence of the other end of a socket or a pipe.
    pub(super) fn of(end: &impl std::os::fd::AsFd) -> io::Result<Self> {
        Ok(Presence { end: Some(end.as_fd().try_clone_to_owned()?) })
    }

    /// Returns true if the other end is closed in both directions.
    fn is_gone(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(end) = &self.end else { return false };
        // No events are requested: a closed other end is reported anyway.
        let mut ends = [PollFd::new(end, PollFlags::empty())];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let is_ready = poll(&mut ends, Some(&at_once)).is_ok_and(|ready| ready > 0);
        is_ready && ends[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
    }
}

#[cfg(not(unix))]
impl Presence {
    /// Not supported on this platform: the next write finds out.
    pub(super) fn of_stdout() -> io::Result<Self> {
        Ok(Presence::watched())
    }

    /// Assumes that the other end is present.
    fn is_gone(&self) -> bool {
        false
    }
}
