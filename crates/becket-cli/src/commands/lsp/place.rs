//! A place in the text of a JSON file, which may be incomplete while the user is typing.
//!
//! The scanner never fails: unexpected tokens are skipped, and an unclosed string ends with its line.

use std::ops::Range;

/// A step from a value to one inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// The name of a member of an object.
    Key(String),
    /// The index of an element of an array, from 0.
    Index(usize),
}

/// The syntactic role of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The name of a member.
    Key,
    /// A value.
    Value,
}

/// A member of an object: its name, and its value if that is a string.
pub(super) type Member = (String, Option<String>);

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The path to the value, or to the object whose member is named.
    pub(super) path: Vec<Segment>,
    /// The members of the values on the path, outermost first; empty for arrays.
    pub(super) members: Vec<Vec<Member>>,
    /// The syntactic role.
    pub(super) role: Role,
    /// The bytes of the name or the value, including quotes; empty between two tokens.
    pub(super) token: Range<usize>,
    /// The name or the value itself.
    pub(super) text: String,
    /// True if a colon follows.
    pub(super) has_colon: bool,
}

/// Returns the place of a byte offset in the text.
pub(super) fn at(text: &str, offset: usize) -> Place {
    let mut scanner = Scanner { text, offset, containers: Vec::new(), open: Vec::new(), found: None };
    let mut from = 0;
    while let Some(token) = next(text, from) {
        from = token.span.end;
        scanner.take(&token);
    }
    scanner.locate(&Token { kind: Kind::End, span: text.len()..text.len() });
    scanner.place()
}

struct Token {
    kind: Kind,
    span: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Word,
    Punctuation(u8),
    End,
}

/// An object or an array.
#[derive(Default)]
struct Container {
    is_object: bool,
    members: Vec<Member>,
    key: Option<String>,
    index: usize,
    /// True between a colon and its value.
    wants_value: bool,
}

struct Scanner<'t> {
    text: &'t str,
    offset: usize,
    /// All containers so far; `open` contains the indices of those around the current token.
    containers: Vec<Container>,
    open: Vec<usize>,
    found: Option<Found>,
}

struct Found {
    path: Vec<Segment>,
    open: Vec<usize>,
    role: Role,
    token: Range<usize>,
}

impl Scanner<'_> {
    fn take(&mut self, token: &Token) {
        self.locate(token);
        match token.kind {
            Kind::Text => self.text(content(&self.text[token.span.clone()])),
            Kind::Word => self.value(None),
            Kind::Punctuation(b'{' | b'[') => {
                self.value(None);
                let is_object = token.kind == Kind::Punctuation(b'{');
                self.open.push(self.containers.len());
                self.containers.push(Container { is_object, ..Container::default() });
            }
            Kind::Punctuation(close @ (b'}' | b']')) => self.close(close == b'}'),
            Kind::Punctuation(b':') => {
                if let Some(inner) = self.inner().filter(|inner| inner.is_object) {
                    inner.wants_value = true;
                }
            }
            Kind::Punctuation(_) => {
                if let Some(inner) = self.inner() {
                    inner.index += 1;
                    (inner.wants_value, inner.key) = (false, None);
                }
            }
            Kind::End => {}
        }
    }

    fn inner(&mut self) -> Option<&mut Container> {
        self.open.last().map(|nth| &mut self.containers[*nth])
    }

    fn text(&mut self, content: String) {
        match self.inner() {
            Some(inner) if inner.is_object && !inner.wants_value => inner.key = Some(content),
            Some(_) | None => self.value(Some(content)),
        }
    }

    /// Handles a value; `content` is its text, if it is a string.
    fn value(&mut self, content: Option<String>) {
        if let Some(inner) = self.inner().filter(|inner| inner.is_object && inner.wants_value) {
            inner.members.extend(inner.key.clone().map(|key| (key, content)));
            inner.wants_value = false;
        }
    }

    /// Closes the nearest container of this kind.
    fn close(&mut self, is_object: bool) {
        let nearest = self.open.iter().rposition(|nth| self.containers[*nth].is_object == is_object);
        if let Some(nearest) = nearest {
            self.open.truncate(nearest);
        }
    }

    /// Records the place if it is in this token or before it.
    fn locate(&mut self, token: &Token) {
        let Token { kind, span } = token;
        if self.found.is_some() || span.end < self.offset {
            return;
        }
        let is_inside = matches!(kind, Kind::Text | Kind::Word) && span.start <= self.offset;
        if !is_inside && span.start < self.offset && *kind != Kind::End {
            return;
        }
        let token = if is_inside { span.clone() } else { self.offset..self.offset };
        let path = self.path();
        let is_key = self
            .open
            .last()
            .is_some_and(|nth| self.containers[*nth].is_object && !self.containers[*nth].wants_value);
        let role = if is_key { Role::Key } else { Role::Value };
        self.found = Some(Found { path, open: self.open.clone(), role, token });
    }

    fn path(&self) -> Vec<Segment> {
        self.open
            .iter()
            .filter_map(|nth| {
                let container = &self.containers[*nth];
                match (container.is_object, &container.key) {
                    (true, Some(key)) if container.wants_value || Some(nth) != self.open.last() => {
                        Some(Segment::Key(key.clone()))
                    }
                    (true, _) => None,
                    (false, _) => Some(Segment::Index(container.index)),
                }
            })
            .collect()
    }

    fn place(self) -> Place {
        let (containers, text) = (self.containers, self.text);
        let Some(found) = self.found else {
            let (path, members) = (Vec::new(), Vec::new());
            return Place {
                path,
                members,
                role: Role::Value,
                token: 0..0,
                text: String::new(),
                has_colon: false,
            };
        };
        let rest = text[found.token.end..].trim_start();
        Place {
            path: found.path,
            members: found.open.iter().map(|nth| containers[*nth].members.clone()).collect(),
            role: found.role,
            text: content(&text[found.token.clone()]),
            token: found.token,
            has_colon: rest.starts_with(':'),
        }
    }
}

/// Returns a string token without its quotes.
fn content(token: &str) -> String {
    serde_json::from_str(token).unwrap_or_else(|_| {
        let inner = token.strip_prefix('"').unwrap_or(token);
        inner.strip_suffix('"').unwrap_or(inner).to_owned()
    })
}

/// Returns the next token; comments are skipped.
fn next(text: &str, from: usize) -> Option<Token> {
    let bytes = text.as_bytes();
    let mut start = from;
    loop {
        match bytes.get(start)? {
            b' ' | b'\t' | b'\r' | b'\n' => start += 1,
            b'/' if bytes.get(start + 1) == Some(&b'/') => start = line_end(bytes, start),
            b'/' if bytes.get(start + 1) == Some(&b'*') => {
                start = text[start + 2..].find("*/").map_or(bytes.len(), |length| start + length + 4);
            }
            b'"' => return Some(Token { kind: Kind::Text, span: start..text_end(bytes, start) }),
            mark @ (b'{' | b'}' | b'[' | b']' | b':' | b',') => {
                return Some(Token { kind: Kind::Punctuation(*mark), span: start..start + 1 });
            }
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"{}[]:,\"/".contains(byte);
                let length = bytes[start + 1..].iter().position(is_end);
                let end = length.map_or(bytes.len(), |length| start + 1 + length);
                return Some(Token { kind: Kind::Word, span: start..end });
            }
        }
    }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| from + length)
}

/// Returns the end of the string that starts here: after its closing quote, or the end of its line.
fn text_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests;
