//! Cuts a stream into server-sent events. It takes any split of the stream, also inside a character or a line end.
//!
//! An event without data is not dispatched, but its `id` and its `retry` count: see [`EventReader::last_id`] and
//! [`EventReader::retry`]. An incomplete event at the end of the stream is discarded, as the format requires.
//!
//! INVARIANT: at most `cap` bytes are buffered between two calls.

use std::time::Duration;

/// An event of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The event's name; empty if it has none, which means `message`.
    pub name: Vec<u8>,
    /// The event's lines of data, joined by newlines.
    pub data: Vec<u8>,
}

/// An error of a stream: an event is longer than the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than the limit")]
pub struct EventTooLong;

/// A reader of events, fed with the bytes of a stream.
#[derive(Debug)]
pub struct EventReader {
    line: Vec<u8>,
    begun: Event,
    has_data: bool,
    /// The last line ended with CR: an LF that follows belongs to it.
    after_cr: bool,
    at_start: bool,
    last_id: Option<Vec<u8>>,
    retry: Option<Duration>,
    cap: usize,
}

impl EventReader {
    /// Creates a reader that buffers at most `cap` bytes of an event.
    #[must_use]
    pub fn new(cap: usize) -> Self {
        let (line, begun) = (Vec::new(), Event::default());
        Self {
            line,
            begun,
            has_data: false,
            after_cr: false,
            at_start: true,
            last_id: None,
            retry: None,
            cap,
        }
    }

    /// Returns the last id, after which a stream can be resumed.
    #[must_use]
    pub fn last_id(&self) -> Option<&[u8]> {
        self.last_id.as_deref()
    }

    /// Returns the server's reconnection delay.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Hands the events that `bytes` completes to `event`.
    ///
    /// # Errors
    /// Errors if an event is longer than the cap; the rest of the stream is then unusable.
    pub fn push(&mut self, mut bytes: &[u8], mut event: impl FnMut(Event)) -> Result<(), EventTooLong> {
        if std::mem::take(&mut self.after_cr) {
            // Without a byte, it is still unknown whether an LF follows.
            self.after_cr = bytes.is_empty();
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.keep(&bytes[..end])?;
            let is_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if is_cr {
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            if let Some(whole) = self.end_of_line() {
                event(whole);
            }
        }
        self.keep(bytes)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), EventTooLong> {
        if self.line.len() + self.begun.name.len() + self.begun.data.len() + bytes.len() > self.cap {
            return Err(EventTooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_of_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            let whole = std::mem::take(&mut self.begun);
            return std::mem::take(&mut self.has_data).then_some(whole);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => self.begun.name = value.to_vec(),
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.begun.data.push(b'\n');
                }
                self.begun.data.extend_from_slice(value);
            }
            b"id" if value.contains(&0) => {}
            b"id" => self.last_id = Some(value.to_vec()).filter(|id| !id.is_empty()),
            b"retry" => {
                let millis = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok());
                self.retry = millis.map(Duration::from_millis).or(self.retry);
            }
            // Comments and unknown fields.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(text: &str, size: usize) -> Vec<(String, String)> {
        let (mut events, mut got) = (EventReader::new(100), Vec::new());
        let text_of = |bytes| String::from_utf8(bytes).unwrap();
        for piece in text.as_bytes().chunks(size) {
            events.push(&[], |_| panic!("nothing was pushed")).unwrap();
            events.push(piece, |event| got.push((text_of(event.name), text_of(event.data)))).unwrap();
        }
        got
    }

    // rule: X1
    #[test]
    fn events_come_out_whole_however_they_come_in() {
        for (text, expected) in [
            ("data: a\n\n", &[("", "a")][..]),
            ("\u{feff}event: endpoint\r\ndata: /m?s=1\r\n\r\n", &[("endpoint", "/m?s=1")]),
            ("event:x\rdata:a\rdata:  b\rdata\r\r", &[("x", "a\n b\n")]),
            ("data: a\r\n\r\ndata: b\r\r\ndata: c\n\r\n", &[("", "a"), ("", "b"), ("", "c")]),
            (": ping\n\nevent: only a name\n\ndata: a\n\n", &[("", "a")]),
            ("id: 7\nretry: 9\nfoo: bar\ndata: {\"a\": \"b:c\"}\n\n", &[("", "{\"a\": \"b:c\"}")]),
            ("event: message\nevent: later\ndata: €\n\n\n\n", &[("later", "€")]),
            ("data:\n\ndata: a\n\ndata: not ended\n", &[("", ""), ("", "a")]),
        ] {
            for size in 1..=text.len() {
                let got = events(text, size);
                let got: Vec<(&str, &str)> = got.iter().map(|(n, d)| (n.as_str(), d.as_str())).collect();
                assert_eq!(got, expected, "{text:?} in pieces of {size}");
            }
        }
    }

    // rule: X1
    #[test]
    fn where_to_take_the_stream_up_again_is_known() {
        for (text, id, retry) in [
            ("id: 7\nretry: 1500\ndata: a\n\n", Some("7"), Some(1500)),
            ("id: 7\nretry: 9\n\n", Some("7"), Some(9)),
            ("id: 7\n\nid: a b\ndata: a\n\n", Some("a b"), None),
            ("id: 7\n\nid\n\n", None, None),
            ("id: 7\n\nid: \0\nretry: soon\n\n", Some("7"), None),
            ("retry: 5\nretry: -1\n\n", None, Some(5)),
        ] {
            let mut events = EventReader::new(100);
            events.push(text.as_bytes(), |_| ()).unwrap();
            let found = (events.last_id(), events.retry());
            assert_eq!(found, (id.map(str::as_bytes), retry.map(Duration::from_millis)), "{text:?}");
        }
    }

    // rule: X1
    #[test]
    fn an_event_at_the_cap_passes_and_one_above_does_not() {
        let push = |pieces: &[&[u8]]| {
            let (mut events, mut count) = (EventReader::new(12), 0);
            pieces.iter().try_for_each(|piece| events.push(piece, |_| count += 1)).map(|()| count)
        };
        assert_eq!(push(&[b"data: 123456\n\ndata: 123456\n\n"]), Ok(2));
        assert_eq!(push(&[b"data: 1234567\n\n"]), Err(EventTooLong));
        assert_eq!(push(&[b"data: 12345", b"67"]), Err(EventTooLong));
        assert_eq!(push(&[b"data: 123\n", b"data: 1234\n\n"]), Err(EventTooLong));
        assert_eq!(push(&[b"event:123456\n", b"data:12\n\n"]), Err(EventTooLong));
        assert_eq!(push(&[b": ", b"no end of it"]), Err(EventTooLong));
        assert_eq!(push(&[&b":\n".repeat(50)]), Ok(0));
    }

    fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect()
    }

    proptest! {
        #[test]
        fn any_split_reads_the_same(
            bytes in prop::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>()], 0..200),
            cuts in prop::collection::vec(0_usize..200, 0..8),
        ) {
            let read = |pieces: &[&[u8]]| {
                let (mut reader, mut events) = (EventReader::new(1 << 16), Vec::new());
                pieces.iter().for_each(|piece| reader.push(piece, |event| events.push(event)).unwrap());
                events
            };
            prop_assert_eq!(read(&pieces(&bytes, &cuts)), read(&[&bytes]));
        }

        #[test]
        fn memory_is_bounded_by_the_cap(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..64),
        ) {
            let mut reader = EventReader::new(256);
            for chunk in chunks {
                if reader.push(&chunk, |_| ()).is_err() {
                    break;
                }
                prop_assert!(reader.line.len() + reader.begun.name.len() + reader.begun.data.len() <= 256);
            }
        }
    }
}
