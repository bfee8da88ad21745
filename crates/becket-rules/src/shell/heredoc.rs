//! Here-documents, whose bodies follow the newline that ends their line.

use super::ast::{Part, Word};
use super::cursor::{Parser, PendingDocument, Read};
use super::word::WordContext;

impl Parser<'_> {
    /// Reads the pending bodies; the cursor is just after a newline.
    pub(crate) fn here_documents(&mut self) -> Read<()> {
        for document in std::mem::take(&mut self.pending) {
            let body = self.document_text(&document)?;
            let word = if document.expands {
                self.nested(|parser| parser.document_word(&body))?
            } else {
                Word {
                    raw: body.clone(),
                    parts: vec![Part::Text { text: body, quoted: true }],
                    ..Word::default()
                }
            };
            // INVARIANT: each body is set once, here; a second set is ignored.
            let _ = document.body.set(word);
        }
        Ok(())
    }

    /// Parses the body of a here-document that is expanded.
    fn document_word(&mut self, body: &str) -> Read<Word> {
        let mut inner = Parser::new(body, self.depth);
        let word = inner.word_in(WordContext::Document)?;
        self.beyond = self.beyond.or(inner.beyond);
        Ok(word)
    }

    /// Reads the lines up to the delimiter, or to the end of the text, which bash accepts with a warning.
    fn document_text(&mut self, document: &PendingDocument) -> Read<String> {
        let mut body = String::new();
        while self.pos < self.src.len() {
            let mut line = self.document_line(document.expands);
            if document.strip_tabs {
                line = line.trim_start_matches('\t').to_owned();
            }
            let bare = line.strip_suffix('\n').unwrap_or(&line);
            if bare == document.delimiter {
                return Ok(body);
            }
            if self.in_substitution && bare.starts_with(&document.delimiter) && bare.contains(')') {
                return self.refuse("a delimiter and a `)` on one line of a here-document");
            }
            body.push_str(&line);
        }
        if self.in_substitution {
            return self.refuse("an unterminated here-document");
        }
        Ok(body)
    }

    /// Reads one line with its newline. If the body is expanded, a backslash before the newline joins two lines.
    fn document_line(&mut self, expands: bool) -> String {
        let mut line = String::new();
        while let Some(next) = self.take_char() {
            if expands && next == '\\' {
                match self.take_char() {
                    Some('\n') | None => {}
                    Some(other) => line.extend(['\\', other]),
                }
                continue;
            }
            line.push(next);
            if next == '\n' {
                break;
            }
        }
        line
    }
}
