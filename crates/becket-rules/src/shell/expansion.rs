//! `$name`, `${…}`, and the dispatch to `$(…)`, `$((…))` and `$[…]`.

use super::ast::{Expansion, ExpansionKind, Word};
use super::cursor::{Parser, Read, in_name, starts_name};
use super::word::WordContext;

impl Parser<'_> {
    /// Parses `$name`, `$1`, `$@` and similar ones; `next` is the byte after the `$`.
    pub(crate) fn variable(&mut self, next: u8) -> Expansion {
        let from = self.pos;
        self.eat("$");
        self.peek();
        let name_from = self.pos;
        self.pos += 1;
        if starts_name(next) {
            while self.peek().is_some_and(in_name) {
                self.pos += 1;
            }
        }
        let kind = match &self.src[name_from..self.pos] {
            "HOME" => ExpansionKind::Home,
            _ => ExpansionKind::Parameter,
        };
        Expansion { raw: self.src[from..self.pos].to_owned(), kind, ..Expansion::default() }
    }

    /// Parses an expansion that starts with `$(`, `$[` or `${`.
    pub(crate) fn bracketed(&mut self, quoted: bool) -> Read<Expansion> {
        let from = self.pos;
        let mut expansion = if self.looks_at("$((") {
            self.eat("$((");
            self.arithmetic("))")?
        } else if self.eat("$(") {
            self.command_substitution()?
        } else if self.eat("$[") {
            self.beyond_posix("$[ ]");
            self.arithmetic("]")?
        } else {
            self.eat("${");
            self.parameter(quoted)?
        };
        expansion.raw = self.src[from..self.pos].to_owned();
        Ok(expansion)
    }

    /// Parses the rest of a `${`, including its `}`.
    fn parameter(&mut self, quoted: bool) -> Read<Expansion> {
        match self.peek() {
            // Newer versions of bash run `${ command; }` and `${|command; }`.
            None | Some(b' ' | b'\t' | b'\n' | b'|' | b'(') => return self.refuse("a command inside `${ }`"),
            Some(_) => {}
        }
        let from = self.pos;
        self.parameter_name();
        let plain_name = self.src[from..self.pos].to_owned();
        let mut words = Vec::new();
        let subscript = self.looks_at("[");
        if subscript {
            words.push(self.subscript()?);
        }
        let operator = self.peek();
        let rest_from = self.pos;
        let place = if quoted { WordContext::QuotedBrace } else { WordContext::Brace };
        let rest = self.word_in(place)?;
        let rest_raw = self.src[rest_from..self.pos].to_owned();
        if !self.eat("}") {
            return self.refuse("an unterminated `${`");
        }
        if subscript || is_beyond_posix(&plain_name, operator, &rest_raw) {
            self.beyond_posix("${ }");
        }
        let kind = parameter_kind(&plain_name, operator, &rest_raw, words.first());
        let evaluated = evaluated_texts(&plain_name, &rest_raw, words.first());
        let assigns = rest_raw.starts_with('=') || rest_raw.starts_with(":=");
        words.push(rest);
        Ok(Expansion { words, kind, evaluated, sets: assigns.then_some(plain_name), ..Expansion::default() })
    }

    /// Parses `name`, `1` or `@`, with a `!` or `#` before it.
    fn parameter_name(&mut self) {
        if matches!(self.peek(), Some(b'!' | b'#')) {
            self.pos += 1;
        }
        match self.peek() {
            Some(first) if in_name(first) => {
                while self.peek().is_some_and(in_name) {
                    self.pos += 1;
                }
            }
            Some(b'@' | b'*' | b'?' | b'-' | b'$' | b'!' | b'#') => self.pos += 1,
            Some(_) | None => {}
        }
    }

    /// Parses `[…]` with its brackets; refuses more than one word.
    pub(crate) fn subscript(&mut self) -> Read<Word> {
        self.eat("[");
        let word = self.word_in(WordContext::Subscript)?;
        if self.eat("]") { Ok(word) } else { self.refuse("an unterminated subscript") }
    }
}

fn parameter_kind(name: &str, operator: Option<u8>, rest: &str, subscript: Option<&Word>) -> ExpansionKind {
    if name == "HOME" && rest.is_empty() && subscript.is_none() {
        return ExpansionKind::Home;
    }
    if operator == Some(b'@') && rest.contains('P') {
        return ExpansionKind::Prompt;
    }
    let evaluated = subscript.is_some_and(|word| evaluates(&word.raw));
    let offset =
        operator == Some(b':') && !rest[1..].starts_with(['-', '=', '?', '+']) && evaluates(&rest[1..]);
    // `${!x}` uses the value as a name, including its subscript.
    let indirect = name.len() > 1 && name.starts_with('!');
    if evaluated || offset || indirect {
        ExpansionKind::Arithmetic { names: true }
    } else {
        ExpansionKind::Parameter
    }
}

/// Returns the texts that bash evaluates in a parameter: its subscript, its offset and length, and the value of
/// `${!x}`, which is a name that may have a subscript.
fn evaluated_texts(name: &str, rest: &str, subscript: Option<&Word>) -> Vec<String> {
    let mut texts: Vec<String> = subscript
        .map(|word| word.raw.replace("\\\n", ""))
        .filter(|text| !matches!(text.as_str(), "@" | "*"))
        .into_iter()
        .collect();
    let rest = rest.replace("\\\n", "");
    texts.extend(
        rest.strip_prefix(':').filter(|text| !text.starts_with(['-', '=', '?', '+'])).map(str::to_owned),
    );
    let lists_names = matches!(rest.as_str(), "*" | "@");
    texts.extend(name.strip_prefix('!').filter(|name| !name.is_empty() && !lists_names).map(str::to_owned));
    texts
}

/// Returns whether an operator of `${ }` is not in POSIX.
fn is_beyond_posix(name: &str, operator: Option<u8>, rest: &str) -> bool {
    let offset = operator == Some(b':') && !rest[1..].starts_with(['-', '=', '?', '+']);
    (name.len() > 1 && name.starts_with('!')) || offset || matches!(operator, Some(b'/' | b'^' | b',' | b'@'))
}

/// Returns whether a subscript or an offset is more than a number: it then names variables, whose values are evaluated.
fn evaluates(text: &str) -> bool {
    text.contains(|c: char| !c.is_ascii_digit() && !" -:@*".contains(c))
}
