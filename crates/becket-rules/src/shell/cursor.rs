//! The parser's position in the text, and the one thing bash does below its grammar: a backslash before a newline
//! vanishes everywhere but in single quotes, comments and quoted here-documents.
//!
//! Invariant: `pos` is on a character boundary. Only ASCII decides anything, so bytes are inspected, and text is cut
//! at ASCII bytes or copied by whole characters.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::Word;
use super::limits::MAX_DEPTH;
use super::refusal::UnknownReason;

/// The result of reading; a line that can't be read ends the parse.
pub(crate) type Read<T> = Result<T, UnknownReason>;

/// A here-document whose body comes after the next newline.
#[derive(Debug)]
pub(crate) struct PendingDocument {
    pub(crate) delimiter: String,
    pub(crate) expands: bool,
    pub(crate) strip_tabs: bool,
    pub(crate) body: Rc<OnceCell<Word>>,
}

/// The parser of one text.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    pub(crate) src: &'a str,
    pub(crate) pos: usize,
    pub(crate) depth: u32,
    pub(crate) pending: Vec<PendingDocument>,
    /// Inside `$( )` a here-document may end before its line does.
    pub(crate) in_substitution: bool,
    /// The first construct that POSIX does not have, and that another shell may parse differently.
    pub(crate) beyond: Option<&'static str>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(src: &'a str, depth: u32) -> Self {
        Self { src, pos: 0, depth, pending: Vec::new(), in_substitution: false, beyond: None }
    }

    pub(crate) fn refuse<T>(&self, what: &'static str) -> Read<T> {
        Err(UnknownReason::Unparsable { at: self.pos, what })
    }

    /// Records a construct that POSIX does not have.
    pub(crate) fn beyond_posix(&mut self, construct: &'static str) {
        self.beyond.get_or_insert(construct);
    }

    /// Runs `read` one level deeper.
    pub(crate) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            return Err(UnknownReason::TooComplex);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Returns the next byte, without skipping anything.
    pub(crate) fn raw(&self) -> Option<u8> {
        self.src.as_bytes().get(self.pos).copied()
    }

    /// Returns the next byte after line continuations, which are consumed.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        while self.src.as_bytes()[self.pos..].starts_with(b"\\\n") {
            self.pos += 2;
        }
        self.raw()
    }

    /// Returns whether the next bytes, past line continuations, are exactly `token`.
    pub(crate) fn looks_at(&mut self, token: &str) -> bool {
        self.peek();
        self.end_of(token).is_some()
    }

    /// Consumes `token` if it comes next.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        self.peek();
        match self.end_of(token) {
            Some(end) => {
                self.pos = end;
                true
            }
            None => false,
        }
    }

    /// Returns the byte after `token`, which must come next (`None` if it does not, or nothing follows).
    pub(crate) fn after(&mut self, token: &str) -> Option<u8> {
        let from = self.pos;
        let next = if self.eat(token) { self.peek() } else { None };
        self.pos = from;
        next
    }

    /// Consumes one whole character.
    pub(crate) fn take_char(&mut self) -> Option<char> {
        let next = self.src[self.pos..].chars().next()?;
        self.pos += next.len_utf8();
        Some(next)
    }

    /// Skips blanks, and a comment if one starts here. Only called where a new word may start, never inside one.
    pub(crate) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
        if self.raw() == Some(b'#') {
            let rest = &self.src[self.pos..];
            self.pos += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn end_of(&self, token: &str) -> Option<usize> {
        let bytes = self.src.as_bytes();
        let mut at = self.pos;
        for wanted in token.bytes() {
            while bytes[at..].starts_with(b"\\\n") {
                at += 2;
            }
            if bytes.get(at) != Some(&wanted) {
                return None;
            }
            at += 1;
        }
        Some(at)
    }
}

/// Returns whether a byte ends an unquoted word.
pub(crate) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Returns whether a byte can start the name of a variable.
pub(crate) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Returns whether a byte can be part of the name of a variable.
pub(crate) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
