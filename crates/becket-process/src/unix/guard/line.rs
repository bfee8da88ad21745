//! Messages from the host to the keeper: one line each, short enough to be written whole or not at all.

use std::fmt;

/// A message of the host. Numbers identify processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// The host's own session, in which nothing is to be ended; 0 if its leader lives outside of this container, as
    /// for all processes in it that share that session. This is the first line.
    Host { session: i32 },
    /// A process is about to be started, with this pipe as its stdout.
    Begins { number: u64, pipe: u64 },
    /// The process has this id, which is also that of its session.
    Started { number: u64, pid: i32 },
    /// The process has ended, or was never started. Processes that it left behind on its own are not tracked.
    Ended { number: u64 },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host { session } => writeln!(f, "host {session}"),
            Self::Begins { number, pipe } => writeln!(f, "begins {number} {pipe}"),
            Self::Started { number, pid } => writeln!(f, "started {number} {pid}"),
            Self::Ended { number } => writeln!(f, "ended {number}"),
        }
    }
}

impl Line {
    /// Parses a line; returns `None` for one that a host does not send.
    pub(super) fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        Some(match words[..] {
            ["host", session] => Self::Host { session: session.parse().ok()? },
            ["begins", number, pipe] => {
                Self::Begins { number: number.parse().ok()?, pipe: pipe.parse().ok()? }
            }
            ["started", number, pid] => {
                let pid = pid.parse().ok().filter(|pid| *pid > 1)?;
                Self::Started { number: number.parse().ok()?, pid }
            }
            ["ended", number] => Self::Ended { number: number.parse().ok()? },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_nothing_else() {
        let number = u64::MAX;
        for line in [
            Line::Host { session: 4_194_304 },
            Line::Begins { number, pipe: u64::MAX },
            Line::Started { number, pid: 4_194_304 },
            Line::Ended { number },
        ] {
            assert_eq!(Line::read(&line.to_string()), Some(line));
            assert!(line.to_string().len() < 64);
        }
        for text in [
            "",
            "begins 1",
            "started 1 0",
            "started 1 1",
            "started 1 -7",
            "ended x",
            "ended 1 2",
            "ended",
            "host",
        ] {
            assert_eq!(Line::read(text), None, "{text}");
        }
    }
}
