//! Command, process and arithmetic substitution.

use super::ast::{Expansion, ExpansionKind, Script, Word};
use super::cursor::{Parser, Read, in_name};
use super::word::{Parts, WordContext};

impl Parser<'_> {
    /// Parses the rest of a `$(`, including the `)`.
    pub(crate) fn command_substitution(&mut self) -> Read<Expansion> {
        let script = self.enclosed_script()?;
        Ok(Expansion { scripts: vec![script], kind: ExpansionKind::Command, ..Expansion::default() })
    }

    /// Parses `<(…)` or `>(…)`.
    pub(crate) fn process(&mut self) -> Read<Expansion> {
        let from = self.pos;
        let output = self.looks_at(">(");
        self.beyond_posix("<( )");
        if !self.eat("<(") && !self.eat(">(") {
            return self.refuse("a process substitution was expected");
        }
        let script = self.nested(Self::enclosed_script)?;
        let raw = self.src[from..self.pos].to_owned();
        Ok(Expansion {
            raw,
            scripts: vec![script],
            kind: ExpansionKind::Process { output },
            ..Expansion::default()
        })
    }

    /// Parses a list up to its `)`, with separate here-documents.
    fn enclosed_script(&mut self) -> Read<Script> {
        let outer_pending = std::mem::take(&mut self.pending);
        let outer_place = std::mem::replace(&mut self.in_substitution, true);
        let from = self.pos;
        let script = self.list()?;
        if !self.pending.is_empty() {
            return self.refuse("a here-document without a body inside a substitution");
        }
        if !outer_pending.is_empty() && self.src[from..self.pos].contains('\n') {
            return self.refuse("a newline in a substitution, before the body of a here-document");
        }
        self.pending = outer_pending;
        self.in_substitution = outer_place;
        if self.eat(")") { Ok(script) } else { self.refuse("an unterminated substitution") }
    }

    /// Parses backticks: unescaped first, then parsed as a separate program.
    pub(crate) fn backticks(&mut self, place: WordContext) -> Read<Expansion> {
        let from = self.pos;
        self.pos += 1;
        let quoted = matches!(place, WordContext::Double | WordContext::QuotedBrace);
        let mut text = String::new();
        loop {
            match self.take_char() {
                None => return self.refuse("an unterminated backtick"),
                Some('`') => break,
                Some('\\') => match self.take_char() {
                    None => return self.refuse("an unterminated backtick"),
                    Some(kept @ ('$' | '`' | '\\')) => text.push(kept),
                    Some('"') if quoted => text.push('"'),
                    Some(other) => text.extend(['\\', other]),
                },
                Some(other) => text.push(other),
            }
        }
        let script = self.nested(|parser| Parser::new(&text, parser.depth).program())?;
        self.beyond = self.beyond.or(script.beyond);
        let raw = self.src[from..self.pos].to_owned();
        Ok(Expansion { raw, scripts: vec![script], kind: ExpansionKind::Command, ..Expansion::default() })
    }

    /// Parses arithmetic up to `close` (`))`, `]`, or `;` in `for ((`). Refuses what bash might read differently.
    pub(crate) fn arithmetic(&mut self, close: &str) -> Read<Expansion> {
        let mut expansions = Vec::new();
        let mut names = false;
        let from = self.pos;
        let (mut round, mut square) = (0_u32, 0_u32);
        loop {
            let Some(next) = self.peek() else { return self.refuse("unterminated arithmetic") };
            if round == 0 && square == 0 && self.looks_at(close) {
                break;
            }
            match next {
                b'(' => round += 1,
                b')' if round > 0 => round -= 1,
                b'[' => square += 1,
                b']' if square > 0 => square -= 1,
                b'$' | b'`' => {
                    // The value is evaluated in turn.
                    names = true;
                    expansions.push(self.arithmetic_expansion()?);
                    continue;
                }
                _ if in_name(next) => names |= !next.is_ascii_digit(),
                _ if b" \t\n+-*/%<>=!&|^~?:,.#".contains(&next) => {}
                _ => return self.refuse("what bash may not take for arithmetic"),
            }
            self.pos += 1;
        }
        let text = self.src[from..self.pos].replace("\\\n", "");
        self.eat(close);
        let kind = ExpansionKind::Arithmetic { names };
        Ok(Expansion { words: expansions, kind, evaluated: vec![text], ..Expansion::default() })
    }

    fn arithmetic_expansion(&mut self) -> Read<Word> {
        let from = self.pos;
        let mut parts = Parts::default();
        if self.peek() == Some(b'`') {
            let expansion = self.backticks(WordContext::Double)?;
            parts.push(expansion);
        } else {
            match self.after("$") {
                Some(b'(' | b'[' | b'{') => {
                    let expansion = self.nested(|parser| parser.bracketed(true))?;
                    parts.push(expansion);
                }
                Some(next) if in_name(next) || b"@*#?-$!".contains(&next) => {
                    let expansion = self.variable(next);
                    parts.push(expansion);
                }
                Some(_) | None => return self.refuse("a `$` without a name in arithmetic"),
            }
        }
        Ok(parts.into_word(&self.src[from..self.pos]))
    }
}
