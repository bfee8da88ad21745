//! Assignments before a command, or as arguments of `declare` and similar builtins.

use super::ast::{Assign, Part, Word};
use super::cursor::{Parser, Read, in_name, is_meta, starts_name};
use super::word::WordContext;

impl Assign {
    /// Returns the texts in brackets: of `name[…]=`, and of each `[…]=` in an array.
    pub(crate) fn subscripts(&self) -> Vec<String> {
        let element =
            self.words.iter().map(|word| word.raw.replace("\\\n", "")).filter(|raw| raw.starts_with('['));
        let of_element =
            |raw: String| raw.get(1..).and_then(|raw| raw.split_once(']')).map(|(text, _)| text.to_owned());
        let own = self.is_subscripted().then(|| self.words.first().map(|word| word.raw.clone())).flatten();
        own.into_iter().chain(element.filter_map(of_element)).collect()
    }

    /// Returns the value, if it is plain text and the name has no subscript.
    pub(crate) fn value(&self) -> Option<String> {
        let [value] = self.words.as_slice() else { return None };
        value.literal().filter(|_| !self.is_subscripted() && !self.raw.contains("=("))
    }

    fn is_subscripted(&self) -> bool {
        self.raw.get(self.name.len()..).is_some_and(|rest| rest.replace("\\\n", "").starts_with('['))
    }

    /// Returns the assignment as an argument of `declare`: one word, `name=` and everything that is assigned.
    pub(crate) fn into_word(self) -> Word {
        let mut parts = vec![Part::Text { text: format!("{}=", self.name), quoted: true }];
        for (at, word) in self.words.into_iter().enumerate() {
            // The elements of an array.
            parts.extend((at > 0).then(|| Part::Text { text: " ".to_owned(), quoted: true }));
            parts.extend(word.parts);
        }
        Word { raw: self.raw, parts, ..Word::default() }
    }
}

impl Parser<'_> {
    /// Parses an assignment, if one starts here. `leading` means before the command, where `name[` starts a subscript
    /// even if no `=` follows.
    pub(crate) fn assignment(&mut self, leading: bool) -> Read<Option<Assign>> {
        self.peek();
        let from = self.pos;
        let Some(name) = self.variable_name() else {
            self.pos = from;
            return Ok(None);
        };
        let mut words = Vec::new();
        if leading && self.looks_at("[") {
            self.beyond_posix("name[ ]=");
            words.push(self.subscript()?);
        }
        if self.eat("+=") {
            self.beyond_posix("+=");
        } else if !self.eat("=") {
            if !words.is_empty() {
                return self.refuse("a subscript without an assignment");
            }
            self.pos = from;
            return Ok(None);
        }
        if self.eat("(") {
            self.beyond_posix("name=( )");
            self.nested(|parser| parser.array_elements(&mut words))?;
            if !self.peek().is_none_or(is_meta) {
                return self.refuse("a word that goes on after an array");
            }
        } else {
            words.push(self.word_in(WordContext::Plain)?);
        }
        Ok(Some(Assign { name, words, raw: self.src[from..self.pos].to_owned() }))
    }

    /// Parses and consumes a name, if one starts here.
    pub(crate) fn variable_name(&mut self) -> Option<String> {
        if !self.peek().is_some_and(starts_name) {
            return None;
        }
        let mut name = String::new();
        while let Some(next) = self.peek().filter(|next| in_name(*next)) {
            name.push(char::from(next));
            self.pos += 1;
        }
        Some(name)
    }

    fn array_elements(&mut self, words: &mut Vec<Word>) -> Read<()> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b')') => {
                    self.pos += 1;
                    return Ok(());
                }
                Some(b'\n') if self.pending.is_empty() => self.pos += 1,
                Some(b'\n') => {
                    return self.refuse("a newline in an array, before the body of a here-document");
                }
                // `[subscript]=value`: the brackets may contain blanks, which only bash's own parser handles.
                Some(b'[') => words.push(self.array_element()?),
                Some(_) => words.push(self.word()?),
                None => return self.refuse("an unterminated array"),
            }
        }
    }

    fn array_element(&mut self) -> Read<Word> {
        let from = self.pos;
        let mut word = self.subscript()?;
        let bracket = |text: &str| Part::Text { text: text.to_owned(), quoted: true };
        word.parts.insert(0, bracket("["));
        word.parts.push(bracket("]"));
        word.parts.extend(self.word_in(WordContext::Plain)?.parts);
        word.raw = self.src[from..self.pos].to_owned();
        Ok(word)
    }
}
