//! Server-sent events, as bytes come.
//!
//! Takes any split of the stream, also inside a character or a line end. Text that is not UTF-8 is read with
//! replacement characters. Time is linear in the bytes, and memory is bounded by the limit.
//!
//! INVARIANT: an event being read holds at most four times the limit (a replacement character is three bytes).

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// The name; empty if the stream gave none.
    pub(crate) name: String,
    /// The data lines, joined by newlines.
    pub(crate) data: String,
}

/// An event is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Reads events out of chunks.
#[derive(Debug)]
pub(crate) struct Reader {
    limit: usize,
    line: Vec<u8>,
    event: Event,
    /// True if the event has any data line, even an empty one.
    has_data: bool,
    /// The last byte was a carriage return: a newline that follows belongs to it.
    after_return: bool,
    first_line: bool,
}

impl Reader {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            after_return: false,
            first_line: true,
        }
    }

    /// The events that `chunk` completes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        let mut rest = chunk;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.held() + part.len() > self.limit {
                return Err(TooLong);
            }
            self.line.extend_from_slice(part);
            if let Some(&ending) = after.first() {
                self.after_return = ending == b'\r';
                events.extend(self.end_line());
            }
            rest = after.get(1..).unwrap_or_default();
        }
        Ok(events)
    }

    /// Bytes of the event that is being read.
    fn held(&self) -> usize {
        self.line.len() + self.event.name.len() + self.event.data.len()
    }

    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // Comments, `id`, `retry` and fields of the future say nothing about an answer.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut reader = Reader::new(1 << 16);
        let events = chunks.iter().flat_map(|chunk| reader.push(chunk).unwrap());
        events.map(|event| (event.name, event.data)).collect()
    }

    #[test]
    fn line_ends_comments_and_fields_are_read_as_the_format_says() {
        let text = "\u{feff}event: a\ndata: 1\ndata:2\n\n: note\r\nid: 7\r\ndata\r\n\r\nevent: none\r\revent:b\rdata:  x\r\r";
        let pair = |name: &str, data: &str| (name.to_owned(), data.to_owned());
        assert_eq!(read(&[text.as_bytes()]), [pair("a", "1\n2"), pair("", ""), pair("b", " x")]);
    }

    #[test]
    fn a_line_end_of_two_bytes_may_be_cut_in_half() {
        let text = b"event: a\r\ndata: 1\r\ndata: 2\r\n\r\n";
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read(&bytes), [("a".to_owned(), "1\n2".to_owned())]);
    }

    #[test]
    fn what_has_no_blank_line_after_it_is_no_event() {
        assert_eq!(read(&[b"data: cut off\n"]), []);
    }

    #[test]
    fn what_grows_beyond_the_limit_is_refused() {
        let mut reader = Reader::new(100);
        assert_eq!(reader.push(&[b'x'; 101]), Err(TooLong));
        let mut reader = Reader::new(100);
        let lines = b"data: 0123456789\n".repeat(20);
        assert_eq!(reader.push(&lines), Err(TooLong));
    }

    proptest! {
        #[test]
        fn any_split_reads_the_same(
            bytes in prop::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>()], 0..200),
            cuts in prop::collection::vec(0_usize..200, 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            prop_assert_eq!(read(&chunks), read(&[&bytes]));
        }

        #[test]
        fn whatever_comes_memory_is_bounded(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..64)) {
            let mut reader = Reader::new(256);
            for chunk in chunks {
                if reader.push(&chunk).is_err() {
                    break;
                }
                prop_assert!(reader.held() <= 4 * 256);
            }
        }
    }
}
