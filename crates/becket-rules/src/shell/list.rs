//! Lists and pipelines.

use super::ast::{Join, Pipeline, Script};
use super::cursor::{Parser, Read, is_meta};
use super::refusal::UnknownReason;

/// Words that end a list where a command could start.
const CLOSERS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

impl Parser<'_> {
    /// Parses a whole program: everything up to the end of the text.
    pub(crate) fn program(mut self) -> Read<Script> {
        let mut script = self.list()?;
        script.beyond = self.beyond;
        match self.peek() {
            None => Ok(script),
            Some(_) => self.refuse("something that starts no command"),
        }
    }

    /// Parses a list up to the end of the text, a `)`, a `;;`, or a word that closes a compound command.
    pub(crate) fn list(&mut self) -> Read<Script> {
        let mut script = Script::default();
        loop {
            self.skip_lines()?;
            if self.list_ends() {
                return Ok(script);
            }
            let mut pipeline = self.pipeline()?;
            pipeline.join = self.join();
            let join = pipeline.join;
            script.pipelines.push(pipeline);
            if matches!(join, Join::And | Join::Or) {
                self.skip_lines()?;
                if self.list_ends() {
                    return self.refuse("a command was expected after `&&` or `||`");
                }
                continue;
            }
            // A closing word may directly follow a compound command: `{ (a) }`.
            if self.list_ends() {
                return Ok(script);
            }
            match self.peek() {
                _ if join == Join::Background => {}
                Some(b';') => self.pos += 1,
                Some(b'\n') => {}
                Some(_) | None => return self.refuse("something between two commands"),
            }
        }
    }

    /// Skips blanks, comments and newlines; bodies of here-documents are parsed on the way.
    pub(crate) fn skip_lines(&mut self) -> Read<()> {
        loop {
            self.skip_blanks();
            if !self.eat("\n") {
                return Ok(());
            }
            self.here_documents()?;
        }
    }

    /// Consumes the operator behind a pipeline; `;` and newlines are left.
    fn join(&mut self) -> Join {
        self.skip_blanks();
        let operators = [("&&", Join::And), ("||", Join::Or), ("&", Join::Background)];
        let found = operators.into_iter().find(|(operator, _)| self.eat(operator));
        found.map_or(Join::Sequence, |(_, join)| join)
    }

    fn list_ends(&mut self) -> bool {
        if self.at_case_end() {
            return true;
        }
        match self.peek() {
            None | Some(b')') => true,
            Some(_) => self.reserved().is_some_and(|word| CLOSERS.contains(&word)),
        }
    }

    fn at_case_end(&mut self) -> bool {
        self.looks_at(";;") || self.looks_at(";&")
    }

    fn pipeline(&mut self) -> Read<Pipeline> {
        let Some(is_negated) = self.pipeline_prefix() else { return Ok(Pipeline::default()) };
        let nodes = vec![self.nested(Self::command)?];
        let mut pipeline = Pipeline { nodes, is_negated, ..Pipeline::default() };
        loop {
            self.skip_blanks();
            if self.looks_at("||") {
                return Ok(pipeline);
            }
            if self.eat("|&") {
                self.beyond_posix("|&");
            } else if !self.eat("|") {
                return Ok(pipeline);
            }
            self.skip_lines()?;
            pipeline.nodes.push(self.nested(Self::command)?);
        }
    }

    /// Parses `!` and `time` with their options; returns whether the exit code is reversed, or `None` if nothing follows.
    fn pipeline_prefix(&mut self) -> Option<bool> {
        let mut any = false;
        let mut is_negated = false;
        let mut timed = false;
        let mut after_time;
        loop {
            self.skip_blanks();
            let word = self.reserved();
            let option = timed && matches!(word, Some("-p" | "--"));
            after_time = timed;
            timed = option || word == Some("time");
            if !option && !matches!(word, Some("!" | "time")) {
                break;
            }
            self.eat_word(word);
            any = true;
            is_negated ^= word == Some("!");
        }
        if after_time && self.peek() == Some(b'-') {
            self.beyond_posix("time -");
        }
        let is_alone = any && matches!(self.peek(), None | Some(b'\n' | b';' | b'&' | b'|' | b')'));
        (!is_alone).then_some(is_negated)
    }

    /// Returns the word that starts here, if it is plain text: only then can it be a reserved word.
    pub(crate) fn reserved(&mut self) -> Option<&'static str> {
        let first = self.peek()?;
        RESERVED
            .iter()
            .find(|word| word.as_bytes().first() == Some(&first) && self.is_whole_word(word))
            .copied()
    }

    /// Consumes the reserved word if it comes next.
    pub(crate) fn eat_reserved(&mut self, word: &'static str) -> bool {
        self.skip_blanks();
        let found = self.is_whole_word(word);
        if found {
            self.eat_word(Some(word));
        }
        found
    }

    /// Consumes the reserved word, after newlines, or refuses.
    pub(crate) fn expect_reserved(&mut self, word: &'static str) -> Read<()> {
        self.skip_lines()?;
        if self.eat_reserved(word) {
            return Ok(());
        }
        Err(UnknownReason::Unparsable { at: self.pos, what: "a compound command without its end" })
    }

    fn eat_word(&mut self, word: Option<&'static str>) {
        if let Some(word) = word {
            self.eat(word);
        }
    }

    fn is_whole_word(&mut self, word: &str) -> bool {
        self.looks_at(word) && self.after(word).is_none_or(is_meta)
    }
}

/// Reserved words at the start of a command, and the options of `time`.
const RESERVED: [&str; 24] = [
    "!", "-p", "--", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while", "{", "}", "[[", "]]",
];
