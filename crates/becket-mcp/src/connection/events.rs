//! Cuts a stream into server-sent events.
//!
//! An event without data is not dispatched, but its `id` and its `retry` count: see [`Events::last_id`] and
//! [`Events::retry`]. An incomplete event at the end of the stream is discarded, as the format requires.
//!
//! INVARIANT: at most `cap` bytes are held between two calls.

use std::time::Duration;

/// An event of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its name; empty if it has none, which means `message`.
    pub(crate) name: Vec<u8>,
    /// Its lines of data, joined by newlines.
    pub(crate) data: Vec<u8>,
}

/// An event is longer than the cap.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// The current event.
#[derive(Debug)]
pub(crate) struct Events {
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

impl Events {
    pub(crate) fn new(cap: usize) -> Self {
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
    pub(crate) fn last_id(&self) -> Option<&[u8]> {
        self.last_id.as_deref()
    }

    /// Returns the server's reconnection delay.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Returns the events that `bytes` completes. After an error the rest of the stream is unusable.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut event: impl FnMut(Event)) -> Result<(), TooLong> {
        if std::mem::take(&mut self.after_cr) {
            // With no byte yet there is no answer yet.
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

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.begun.name.len() + self.begun.data.len() + bytes.len() > self.cap {
            return Err(TooLong);
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

    fn events(text: &str, size: usize) -> Vec<(String, String)> {
        let (mut events, mut got) = (Events::new(100), Vec::new());
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
            let mut events = Events::new(100);
            events.push(text.as_bytes(), |_| ()).unwrap();
            let found = (events.last_id(), events.retry());
            assert_eq!(found, (id.map(str::as_bytes), retry.map(Duration::from_millis)), "{text:?}");
        }
    }

    // rule: X1
    #[test]
    fn an_event_at_the_cap_passes_and_one_above_does_not() {
        let push = |pieces: &[&[u8]]| {
            let (mut events, mut count) = (Events::new(12), 0);
            pieces.iter().try_for_each(|piece| events.push(piece, |_| count += 1)).map(|()| count)
        };
        assert_eq!(push(&[b"data: 123456\n\ndata: 123456\n\n"]), Ok(2));
        assert_eq!(push(&[b"data: 1234567\n\n"]), Err(TooLong));
        assert_eq!(push(&[b"data: 12345", b"67"]), Err(TooLong));
        assert_eq!(push(&[b"data: 123\n", b"data: 1234\n\n"]), Err(TooLong));
        assert_eq!(push(&[b"event:123456\n", b"data:12\n\n"]), Err(TooLong));
        assert_eq!(push(&[b": ", b"no end of it"]), Err(TooLong));
        assert_eq!(push(&[&b":\n".repeat(50)]), Ok(0));
    }
}
