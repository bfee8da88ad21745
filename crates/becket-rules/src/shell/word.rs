//! Words: quotes, escapes and the expansions in them.

use std::rc::Rc;

use super::ast::{Expansion, ExpansionKind, Part, Word};
use super::cursor::{Parser, Read, is_meta};

/// The context of a word, which decides what its characters mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordContext {
    /// Outside quotes.
    Plain,
    /// Between double quotes.
    Double,
    /// In the body of a here-document that is expanded.
    Document,
    /// Between `${` and `}`, itself outside quotes.
    Brace,
    /// Between `${` and `}` inside double quotes or a here-document.
    QuotedBrace,
    /// Between the brackets of `name[…]`.
    Subscript,
}

impl WordContext {
    /// Returns whether an expansion there stays one word.
    fn is_quoted(self) -> bool {
        match self {
            Self::Double | Self::Document | Self::QuotedBrace => true,
            Self::Plain | Self::Brace | Self::Subscript => false,
        }
    }
}

/// A collector for the parts of a word.
#[derive(Debug, Default)]
pub(crate) struct Parts(Vec<Part>);

impl Parts {
    pub(crate) fn text(&mut self, more: &str, quoted: bool) {
        match self.0.last_mut() {
            Some(Part::Text { text, quoted: same }) if *same == quoted => text.push_str(more),
            Some(_) | None => self.0.push(Part::Text { text: more.to_owned(), quoted }),
        }
    }

    pub(crate) fn push(&mut self, expansion: Expansion) {
        self.0.push(Part::Expansion(Rc::new(expansion)));
    }

    pub(crate) fn into_word(self, raw: &str) -> Word {
        Word { raw: raw.to_owned(), parts: self.0, ..Word::default() }
    }
}

impl Parser<'_> {
    /// Parses a word outside quotes, up to the first byte that ends it. Refuses an empty one.
    pub(crate) fn word(&mut self) -> Read<Word> {
        self.peek();
        let from = self.pos;
        let word = self.word_in(WordContext::Plain)?;
        if self.pos == from { self.refuse("a word was expected") } else { Ok(word) }
    }

    /// Parses the parts of a word up to its end at `place`; the end itself is not consumed.
    pub(crate) fn word_in(&mut self, place: WordContext) -> Read<Word> {
        let from = self.pos;
        let mut parts = Parts::default();
        while let Some(next) = self.peek() {
            if self.ends_word(place, next) {
                break;
            }
            self.part(place, next, &mut parts)?;
        }
        let raw = &self.src[from..self.pos];
        Ok(parts.into_word(raw))
    }

    fn ends_word(&mut self, place: WordContext, next: u8) -> bool {
        match place {
            WordContext::Plain => is_meta(next) && !self.looks_at("<(") && !self.looks_at(">("),
            WordContext::Double => next == b'"',
            WordContext::Document => false,
            WordContext::Brace | WordContext::QuotedBrace => next == b'}',
            WordContext::Subscript => next == b']',
        }
    }

    fn part(&mut self, place: WordContext, next: u8, parts: &mut Parts) -> Read<()> {
        match next {
            b'\\' => self.escape(place, parts),
            b'`' => {
                let expansion = self.backticks(place)?;
                parts.push(Expansion { quoted: place.is_quoted(), ..expansion });
                Ok(())
            }
            b'$' => self.dollar(place, parts),
            b'\'' => self.single(place, parts),
            b'"' => self.double(place, parts),
            b'<' | b'>' => self.angle(place, next, parts),
            _ => self.plain(place, next, parts),
        }
    }

    fn escape(&mut self, place: WordContext, parts: &mut Parts) -> Read<()> {
        self.pos += 1;
        let Some(escaped) = self.take_char() else {
            parts.text("\\", true);
            return Ok(());
        };
        let kept = match place {
            WordContext::Plain | WordContext::Brace | WordContext::Subscript => false,
            WordContext::Double => !matches!(escaped, '$' | '`' | '"' | '\\'),
            WordContext::Document => !matches!(escaped, '$' | '`' | '\\'),
            WordContext::QuotedBrace => !matches!(escaped, '$' | '`' | '"' | '\\' | '}'),
        };
        if kept {
            parts.text("\\", true);
        }
        parts.text(escaped.encode_utf8(&mut [0; 4]), true);
        Ok(())
    }

    fn single(&mut self, place: WordContext, parts: &mut Parts) -> Read<()> {
        match place {
            WordContext::Double | WordContext::Document => self.plain(place, b'\'', parts),
            // Whether it quotes depends on the operator before it, and on the version of bash.
            WordContext::QuotedBrace => self.refuse("a single quote inside a quoted `${ }`"),
            WordContext::Plain | WordContext::Brace | WordContext::Subscript => {
                let from = self.pos + 1;
                let Some(length) = self.src[from..].find('\'') else {
                    return self.refuse("an unterminated single quote");
                };
                let text = &self.src[from..from + length];
                parts.text(text, true);
                self.pos = from + length + 1;
                Ok(())
            }
        }
    }

    fn double(&mut self, place: WordContext, parts: &mut Parts) -> Read<()> {
        if place == WordContext::Document {
            return self.plain(place, b'"', parts);
        }
        self.pos += 1;
        let inner = self.nested(|parser| parser.word_in(WordContext::Double))?;
        if !self.eat("\"") {
            return self.refuse("an unterminated double quote");
        }
        parts.text("", true);
        for part in inner.parts {
            match part {
                Part::Text { text, .. } => parts.text(&text, true),
                Part::Expansion(expansion) => parts.0.push(Part::Expansion(expansion)),
            }
        }
        Ok(())
    }

    /// Parses `<` and `>` inside a word: a process substitution, or plain text if they end nothing.
    fn angle(&mut self, place: WordContext, next: u8, parts: &mut Parts) -> Read<()> {
        let substitution = self.looks_at("<(") || self.looks_at(">(");
        match place {
            WordContext::Plain => {
                let expansion = self.process()?;
                parts.push(expansion);
                Ok(())
            }
            WordContext::Brace if substitution => self.refuse("a process substitution inside `${ }`"),
            WordContext::Subscript => self.refuse("an operator inside a subscript"),
            WordContext::Double | WordContext::Document | WordContext::Brace | WordContext::QuotedBrace => {
                self.plain(place, next, parts)
            }
        }
    }

    fn plain(&mut self, place: WordContext, next: u8, parts: &mut Parts) -> Read<()> {
        if place == WordContext::Subscript && (is_meta(next) || next == b'[') {
            return self.refuse("a subscript that is more than one word");
        }
        let quoted = matches!(place, WordContext::Double | WordContext::Document | WordContext::QuotedBrace);
        if let Some(taken) = self.take_char() {
            parts.text(taken.encode_utf8(&mut [0; 4]), quoted);
        }
        Ok(())
    }

    /// Parses `$` and the expansion that follows it.
    fn dollar(&mut self, place: WordContext, parts: &mut Parts) -> Read<()> {
        let quoted = place.is_quoted();
        match self.after("$") {
            Some(b'\'') if !quoted => {
                self.beyond_posix("$' '");
                self.ansi_quote(parts)
            }
            Some(b'"') if !quoted => {
                self.beyond_posix("$\" \"");
                self.eat("$");
                self.double(place, parts)
            }
            Some(b'(' | b'[' | b'{') => {
                let expansion = self.nested(|parser| parser.bracketed(quoted))?;
                parts.push(Expansion { quoted, ..expansion });
                Ok(())
            }
            Some(next) if next.is_ascii_alphanumeric() || b"_@*#?-$!".contains(&next) => {
                let expansion = self.variable(next);
                parts.push(Expansion { quoted, ..expansion });
                Ok(())
            }
            Some(_) | None => {
                self.eat("$");
                parts.text("$", quoted);
                Ok(())
            }
        }
    }

    fn ansi_quote(&mut self, parts: &mut Parts) -> Read<()> {
        let from = self.pos;
        self.eat("$'");
        let Some((text, length)) = super::ansi::decode(&self.src[self.pos..]) else {
            return self.refuse("an unterminated `$'`");
        };
        self.pos += length;
        match text {
            Some(text) => parts.text(&text, true),
            None => parts.push(Expansion {
                raw: self.src[from..self.pos].to_owned(),
                kind: ExpansionKind::Opaque,
                ..Expansion::default()
            }),
        }
        Ok(())
    }
}
