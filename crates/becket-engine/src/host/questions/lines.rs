//! Finds the lines of stdout that are questions, as the output arrives.
//!
//! INVARIANT: the result depends on the bytes alone, not on how they were cut into chunks, and never more than one line
//! of at most [`LONGEST_LINE`] bytes is buffered. A longer line is not a question. Nor is a line inside an answer that
//! spans several lines: removing it would change the answer.

use super::parse::{self, BadQuestion, ParsedQuestion, Wrong};
use serde_json::Value;
use std::collections::HashSet;

/// The longest line that can be a question, in bytes, without its line end.
pub(crate) const LONGEST_LINE: usize = 512 << 10;
/// The largest number of questions of one run that are asked.
pub(crate) const MOST_QUESTIONS: usize = 100;
/// The largest number of questions of one run that are answered, valid or not: a hook that prints without end and reads
/// nothing must not fill the memory with answers.
pub(crate) const MOST_ANSWERS: usize = 200;
/// The largest size of these together, in bytes: each is kept until it is answered, and for the report.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// A line that is a question, or is meant as one.
pub(crate) type LineQuestion = Result<ParsedQuestion, Box<BadQuestion>>;

/// Reads whole lines, one after another.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    answer: Object,
    ids: HashSet<String>,
    /// The number of questions found, valid or not.
    found: usize,
    /// The number of bytes of these questions.
    bytes: usize,
}

impl Reader {
    /// Returns the question in the next line, if it is one.
    pub(crate) fn line(&mut self, line: &[u8]) -> Option<LineQuestion> {
        let found = if self.answer.is_open() || line.len() > LONGEST_LINE + line_end(line) {
            None
        } else {
            parse::question(line)
        };
        let Some(found) = found else {
            self.answer.read(line);
            return None;
        };
        self.found += 1;
        self.bytes += line.len();
        // A flood takes precedence over any other fault: further questions are neither answered nor kept.
        if self.found > MOST_ANSWERS || self.bytes > MOST_BYTES {
            let why = Wrong::Flood(self.found);
            return Some(Err(Box::new(BadQuestion { id: Value::Null, message: String::new(), why })));
        }
        Some(found.and_then(|question| self.within_limits(question, line)))
    }

    /// Reads a part of a line that is too long for a question.
    fn part_of_long_line(&mut self, part: &[u8]) {
        self.answer.read(part);
    }

    /// Returns a valid question, unless the run may not ask it.
    fn within_limits(&mut self, question: ParsedQuestion, line: &[u8]) -> LineQuestion {
        let wrong = if line_end(line) == 0 {
            Wrong::NoLineEnd
        } else if self.found > MOST_QUESTIONS {
            Wrong::TooMany(MOST_QUESTIONS)
        } else if !self.ids.insert(question.id.clone()) {
            Wrong::SameId
        } else {
            return Ok(question);
        };
        Err(Box::new(BadQuestion { id: Value::String(question.id), message: question.message, why: wrong }))
    }
}

/// Returns the number of bytes of the line end, with the `\r` before it.
fn line_end(line: &[u8]) -> usize {
    if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) }
}

/// The state of the hook's own output: whether it is a JSON object that is not complete yet. Other output is text.
#[derive(Debug, Default, Clone, Copy)]
enum Object {
    /// The output is blank so far.
    #[default]
    Blank,
    /// The output begins with `{`, and `depth` brackets are open.
    Open { depth: usize, string: InString },
    /// The object is complete, or the output is not an object.
    Over,
}

#[derive(Debug, Default, Clone, Copy)]
enum InString {
    #[default]
    No,
    Yes,
    /// After a backslash.
    Escaped,
}

impl Object {
    fn is_open(self) -> bool {
        matches!(self, Object::Open { .. })
    }

    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            *self = self.after(*byte);
            if matches!(self, Object::Over) {
                return;
            }
        }
    }

    fn after(self, byte: u8) -> Self {
        match self {
            // The last three are a byte-order mark (O1).
            Object::Blank if byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte) => Object::Blank,
            Object::Blank if byte == b'{' => Object::Open { depth: 1, string: InString::No },
            Object::Blank | Object::Over => Object::Over,
            Object::Open { depth, string } => match (string, byte) {
                (InString::No, b'{' | b'[') => Object::Open { depth: depth + 1, string },
                (InString::No, b'}' | b']') if depth == 1 => Object::Over,
                (InString::No, b'}' | b']') => Object::Open { depth: depth - 1, string },
                (InString::No, b'"') | (InString::Escaped, _) => {
                    Object::Open { depth, string: InString::Yes }
                }
                (InString::Yes, b'"') => Object::Open { depth, string: InString::No },
                (InString::Yes, b'\\') => Object::Open { depth, string: InString::Escaped },
                (InString::No | InString::Yes, _) => self,
            },
        }
    }
}

/// Splits stdout as it arrives and returns the questions in it.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    reader: Reader,
    line: Vec<u8>,
    is_long: bool,
}

impl Splitter {
    /// Reads the next bytes; returns the questions whose line ends in them.
    pub(crate) fn feed(&mut self, chunk: &[u8]) -> Vec<LineQuestion> {
        chunk.split_inclusive(|byte| *byte == b'\n').filter_map(|part| self.part(part)).collect()
    }

    /// Ends the output: a question whose line never ended can't be answered any more.
    pub(crate) fn finish(&mut self) -> Option<LineQuestion> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() { None } else { self.reader.line(&line) }
    }

    /// Reads a line, or the part of it that has arrived.
    fn part(&mut self, part: &[u8]) -> Option<LineQuestion> {
        let is_end = part.ends_with(b"\n");
        if self.is_long {
            self.reader.part_of_long_line(part);
            self.is_long = !is_end;
            return None;
        }
        // A `\r` may be the first half of a line end.
        if self.line.len() + part.len() > LONGEST_LINE + 2 {
            self.line.extend_from_slice(part);
            self.reader.part_of_long_line(&std::mem::take(&mut self.line));
            self.is_long = !is_end;
            return None;
        }
        if is_end && self.line.is_empty() {
            return self.reader.line(part);
        }
        self.line.extend_from_slice(part);
        if is_end { self.reader.line(&std::mem::take(&mut self.line)) } else { None }
    }
}
