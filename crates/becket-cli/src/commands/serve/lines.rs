//! Reads lines, each up to a limit. A longer one is skipped without being buffered, and reported once.
//!
//! With many clients, a line that is not short reserves memory that they share, or waits for it. It releases the memory
//! when it is done, when it takes too long, and when it stalls while others wait for memory.
//!
//! INVARIANT: a line never uses more memory than it may, and none while it waits for memory.

use super::fault::Fault;
use super::memory_budget::{MemoryBudget, Reservation, SHORT};
use super::presence::Presence;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::time::{Instant, timeout_at};

/// The length limit of a message, in bytes without its line end.
pub(super) const LIMIT: usize = 16 << 20;

/// The size of one read, in bytes.
const CHUNK: usize = 64 << 10;
/// The time limit for a line with reserved memory.
const LONG: Duration = Duration::from_secs(30);
/// The time that a line may stall while others wait for memory.
const STILL: Duration = Duration::from_secs(1);

/// The lines of a client.
pub(super) struct Lines<'a, R> {
    from: BufReader<R>,
    /// The memory for long lines, and the presence of the client that waits for it.
    shared: Option<(&'a MemoryBudget, &'a Presence)>,
    /// The number of the last line, from 1.
    number: u64,
    /// True if the rest of the last line must be skipped.
    skips: bool,
}

/// A line, or an error instead.
#[derive(Debug)]
pub(super) enum Line {
    Whole(LineBuffer, u64),
    /// An error, after which the next line can be read.
    Bad(Fault),
    /// An error at the end of the input.
    Last(Fault),
    /// An error that closes the connection.
    Stuck(Fault),
    End,
}

/// The bytes of a line that were read, and the memory reserved for them.
#[derive(Debug)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// The length from which the line needs reserved memory.
    most: usize,
    /// The reserved memory, and the time limit for it.
    room: Option<(Reservation, Instant)>,
}

impl AsRef<[u8]> for LineBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The reason why reading a line stops.
enum Stop {
    LineEnd,
    /// The client has closed its end.
    Over,
    /// The stream has failed.
    Broken,
    TooLong,
    NoRoom,
    Slow,
}

impl<'a, R: AsyncRead + Unpin> Lines<'a, R> {
    /// Reads the lines of a client. With `shared`, long ones reserve memory there as long as the client is present;
    /// otherwise memory is not limited.
    pub(super) fn new(from: R, shared: Option<(&'a MemoryBudget, &'a Presence)>) -> Self {
        Lines { from: BufReader::with_capacity(CHUNK, from), shared, number: 0, skips: false }
    }

    /// Returns the next line that is not blank. A broken stream counts as ended.
    pub(super) async fn next(&mut self) -> Line {
        loop {
            if std::mem::take(&mut self.skips) {
                self.pass_over().await;
            }
            let most = if self.shared.is_some() { SHORT } else { LIMIT };
            let mut held = LineBuffer { bytes: Vec::new(), most, room: None };
            let stop = self.read(&mut held).await;
            self.number += 1;
            let (line, bytes) = (self.number, held.bytes.len());
            match stop {
                Stop::Broken => return Line::End,
                Stop::Over if bytes == 0 => return Line::End,
                Stop::Over if !is_whole(&held.bytes) => return Line::Last(Fault::CutOff { line, bytes }),
                Stop::Slow => return Line::Stuck(Fault::Slow { line, limit: LONG }),
                Stop::TooLong => return self.passed_over(Fault::TooLong { line, limit: LIMIT }),
                Stop::NoRoom => return self.passed_over(Fault::Full { line }),
                Stop::LineEnd | Stop::Over => {}
            }
            if !held.bytes.iter().all(u8::is_ascii_whitespace) {
                return Line::Whole(held, line);
            }
        }
    }

    /// Reads a line until its end, or an error.
    async fn read(&mut self, held: &mut LineBuffer) -> Stop {
        loop {
            let before = held.bytes.len();
            let read = self.read_on(held).await;
            let length = held.bytes.len();
            match read {
                Some(Err(_)) => return Stop::Broken,
                Some(Ok(_)) if held.bytes.last() == Some(&b'\n') => {
                    held.bytes.pop();
                    return Stop::LineEnd;
                }
                Some(Ok(_)) if length > LIMIT => return Stop::TooLong,
                Some(Ok(_)) if length > held.most => {
                    let has_room = self.has_room(held).await;
                    if !has_room {
                        return Stop::NoRoom;
                    }
                }
                Some(Ok(_)) => return Stop::Over,
                None if held.is_late() => return Stop::Slow,
                None if length == before && self.shared.is_some_and(|(room, _)| room.is_wanted()) => {
                    return Stop::NoRoom;
                }
                None => {}
            }
        }
    }

    /// Continues to read, at most one byte more than the limit. A line with reserved memory is checked from time to
    /// time: then this returns `None`, and the bytes so far are in `held`.
    async fn read_on(&mut self, held: &mut LineBuffer) -> Option<std::io::Result<usize>> {
        let left = held.most + 1 - held.bytes.len();
        let pause = held.room.as_ref().map(|(_, until)| (Instant::now() + STILL).min(*until));
        let mut from = (&mut self.from).take(left as u64);
        let read = from.read_until(b'\n', &mut held.bytes);
        match pause {
            Some(pause) => timeout_at(pause, read).await.ok(),
            None => Some(read.await),
        }
    }

    /// Reserves memory for the maximum length of the line; returns true if that succeeded in time.
    async fn has_room(&self, held: &mut LineBuffer) -> bool {
        let Some((room, presence)) = self.shared else { return true };
        let taken = tokio::select! {
            biased;
            taken = room.take(LIMIT) => taken,
            () = presence.closed() => None,
        };
        let Some(taken) = taken else { return false };
        held.most = LIMIT;
        held.room = Some((taken, Instant::now() + LONG));
        held.bytes.reserve_exact(LIMIT + 1 - held.bytes.len());
        true
    }

    /// Skips the rest of this line, for this reason.
    fn passed_over(&mut self, why: Fault) -> Line {
        self.skips = true;
        Line::Bad(why)
    }

    /// Skips the rest of a line.
    async fn pass_over(&mut self) {
        while let Ok(bytes) = self.from.fill_buf().await {
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let passed = end.map_or(bytes.len(), |end| end + 1);
            self.from.consume(passed);
            if end.is_some() || passed == 0 {
                return;
            }
        }
    }
}

impl LineBuffer {
    /// Returns true if the line has held its memory for too long.
    fn is_late(&self) -> bool {
        self.room.as_ref().is_some_and(|(_, until)| Instant::now() >= *until)
    }
}

/// Returns true if a last line without its end is still a message.
fn is_whole(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(text, None);
        let mut said = Vec::new();
        loop {
            match lines.next().await {
                Line::Whole(line, number) => {
                    said.push(format!("{number} {}", String::from_utf8_lossy(line.as_ref())))
                }
                Line::Bad(fault) => said.push(fault.to_string()),
                Line::Last(fault) | Line::Stuck(fault) => said.push(format!("{fault}, and the end")),
                Line::End => return said,
            }
            if said.len() > 9 {
                return said;
            }
        }
    }

    #[tokio::test]
    async fn blank_lines_count_and_say_nothing() {
        assert_eq!(all(b"{}\n\n \r\n[1]\r\n").await, ["1 {}", "4 [1]\r"]);
        assert_eq!(all(b"").await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_last_line_without_an_end_counts_where_it_is_whole() {
        assert_eq!(all(b"{}\n{\"a\": 1}").await, ["1 {}", "2 {\"a\": 1}"]);
        let cut = "the last line, 2, is cut off after 5 bytes: end each message with a line end, and the end";
        assert_eq!(all(b"{}\n{\"a\":").await, ["1 {}", cut]);
    }

    // rule: L3
    #[tokio::test]
    async fn a_line_past_the_limit_is_passed_over_and_the_next_is_read() {
        let longest = vec![b'1'; LIMIT];
        let text = [&longest[..], b"\n", &longest, b"1\n{}\n"].concat();
        let said = all(&text).await;
        assert_eq!(said[0].len(), LIMIT + 2);
        assert_eq!(said[1..], ["line 2 is longer than 16 MiB and was not read", "3 {}"]);
    }

    // rule: L3
    #[tokio::test]
    async fn a_long_line_has_room_until_it_is_done_with_and_a_short_one_needs_none() {
        let (room, presence) = (MemoryBudget::default(), Presence::watched());
        let line = |bytes: usize| [vec![b'1'; bytes], b"\n".to_vec()].concat();
        let text = [line(SHORT), line(SHORT + 1), line(LIMIT), line(LIMIT + 1), line(1)].concat();
        let mut lines = Lines::new(&text[..], Some((&room, &presence)));
        for (length, takes) in [(SHORT, 0), (SHORT + 1, LIMIT), (LIMIT, LIMIT)] {
            let Line::Whole(held, _) = lines.next().await else { panic!("it is whole") };
            let taken = held.room.as_ref().map_or(0, |(taken, _)| taken.bytes());
            assert_eq!((held.bytes.len(), taken), (length, takes));
            assert!(held.bytes.capacity() <= takes.max(2 * SHORT) + 1, "{}", held.bytes.capacity());
        }
        assert!(matches!(lines.next().await, Line::Bad(Fault::TooLong { line: 4, .. })));
        assert!(matches!(lines.next().await, Line::Whole(_, 5)));
    }
}
