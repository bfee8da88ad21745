//! What the host tells the keeper: a line each, short enough to be written whole or not at all.

use std::fmt;

/// One thing that happens to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// Tells one process from the others.
    pub(super) number: u64,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// It is about to be started, with this pipe as its stdout.
    Begins { pipe: u64 },
    /// It has this id, which is that of its session, too.
    Started { pid: i32 },
    /// It has ended, or was never started. What it leaves behind by itself is nobody's business.
    Ended,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        match self.what {
            What::Begins { pipe } => writeln!(f, "begins {number} {pipe}"),
            What::Started { pid } => writeln!(f, "started {number} {pid}"),
            What::Ended => writeln!(f, "ended {number}"),
        }
    }
}

impl Line {
    /// `None` for anything that a host does not say.
    pub(super) fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let what = match words[..] {
            ["begins", _, pipe] => What::Begins { pipe: pipe.parse().ok()? },
            ["started", _, pid] => What::Started { pid: pid.parse().ok().filter(|pid| *pid > 1)? },
            ["ended", _] => What::Ended,
            _ => return None,
        };
        Some(Self { number: words[1].parse().ok()?, what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_nothing_else() {
        for what in [What::Begins { pipe: u64::MAX }, What::Started { pid: 4_194_304 }, What::Ended] {
            let line = Line { number: u64::MAX, what };
            assert_eq!(Line::read(&line.to_string()), Some(line));
            assert!(line.to_string().len() < 64);
        }
        for text in
            ["", "begins 1", "started 1 0", "started 1 1", "started 1 -7", "ended x", "ended 1 2", "ended"]
        {
            assert_eq!(Line::read(text), None, "{text}");
        }
    }
}
