//! A client that writes and reads lines, over a Unix socket or over stdio.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

/// A connection.
pub(crate) struct Line {
    to: Box<dyn Write>,
    from: BufReader<Box<dyn Read>>,
    answer: String,
}

impl Line {
    /// Connects once the socket accepts connections.
    pub(crate) fn connected(socket: &Path) -> Self {
        let mut tries = 0..1_000;
        let to = tries.find_map(|_| {
            std::thread::sleep(Duration::from_millis(10));
            UnixStream::connect(socket).ok()
        });
        let to = to.expect("becket listens");
        let from = to.try_clone().expect("it can be cloned");
        Line::new(Box::new(to), Box::new(from))
    }

    /// Communicates with a child over its stdin and stdout.
    pub(crate) fn of(child: &mut Child) -> Self {
        let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        Line::new(Box::new(to), Box::new(from))
    }

    /// Returns the same client, connected over a Unix socket to a thread that answers each line with becket's answer to
    /// this one.
    pub(crate) fn bare(&mut self, request: &str) -> Line {
        self.sends(request, 1);
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let (mut to, answer) = (theirs.try_clone().expect("it can be cloned"), self.answer.clone());
        std::thread::spawn(move || {
            let lines = BufReader::new(theirs).lines();
            lines.map_while(Result::ok).all(|_| to.write_all(answer.as_bytes()).is_ok())
        });
        Line::new(Box::new(ours.try_clone().expect("it can be cloned")), Box::new(ours))
    }

    fn new(to: Box<dyn Write>, from: Box<dyn Read>) -> Self {
        Line { to, from: BufReader::new(from), answer: String::new() }
    }

    /// Sends lines, and reads their answers.
    pub(crate) fn sends(&mut self, lines: &str, answers: usize) {
        self.to.write_all(lines.as_bytes()).expect("becket reads");
        for _ in 0..answers {
            self.answer.clear();
            self.from.read_line(&mut self.answer).expect("becket answers");
            assert!(self.answer.contains("\"result\""), "{}", self.answer);
        }
    }
}
