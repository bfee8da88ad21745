//! Compound commands, function definitions, `coproc` and `[[ ]]`.

use super::ast::{Kind, Node, Part, Script, Word};
use super::cursor::{Parser, Read, is_meta};

/// Words that start a compound command.
const COMPOUND: [&str; 8] = ["{", "[[", "case", "for", "if", "select", "until", "while"];

impl Parser<'_> {
    /// Parses one command of a pipeline.
    pub(crate) fn command(&mut self) -> Read<Node> {
        self.skip_blanks();
        match self.compound()? {
            Some(kind) => {
                let redirects = self.redirects()?;
                Ok(Node { kind, redirects })
            }
            None => self.simple(),
        }
    }

    /// Parses a compound command without its redirections, if one starts here.
    fn compound(&mut self) -> Read<Option<Kind>> {
        if self.looks_at("((") {
            return self.arithmetic_command().map(Some);
        }
        if self.eat("(") {
            return self.subshell().map(Some);
        }
        let Some(word) = self.reserved() else { return Ok(None) };
        if let "[[" | "select" | "coproc" | "function" = word {
            self.beyond_posix(word);
        }
        let kind = match word {
            "{" => self.brace_group(),
            "[[" => self.test(),
            "if" => self.conditional(),
            "while" | "until" => self.while_loop(word),
            "for" | "select" => self.for_loop(word),
            "case" => self.case(),
            "coproc" => self.coproc(),
            "function" => self.function(),
            "-p" | "--" | "in" | "]]" | "time" => return Ok(None),
            _ => self.refuse("a reserved word where no command can start"),
        };
        kind.map(Some)
    }

    fn arithmetic_command(&mut self) -> Read<Kind> {
        let start = self.pos;
        self.eat("((");
        self.beyond_posix("(( ))");
        let words = vec![arithmetic_word(self.arithmetic("))")?)];
        Ok(Kind::Test { words, arithmetic: false, raw: self.src[start..self.pos].to_owned() })
    }

    /// Parses the list behind `if`, `elif`, `while` or `until`.
    fn condition(&mut self) -> Read<Script> {
        Ok(Script { is_condition: true, ..self.list()? })
    }

    fn subshell(&mut self) -> Read<Kind> {
        let script = self.list()?;
        if self.eat(")") { Ok(Kind::Group(vec![script])) } else { self.refuse("an unterminated `(`") }
    }

    fn brace_group(&mut self) -> Read<Kind> {
        self.eat_reserved("{");
        let script = self.list()?;
        self.expect_reserved("}")?;
        Ok(Kind::Group(vec![script]))
    }

    fn conditional(&mut self) -> Read<Kind> {
        self.eat_reserved("if");
        let mut scripts = Vec::new();
        loop {
            scripts.push(self.condition()?);
            self.expect_reserved("then")?;
            scripts.push(self.list()?);
            if !self.eat_reserved("elif") {
                break;
            }
        }
        if self.eat_reserved("else") {
            scripts.push(self.list()?);
        }
        self.expect_reserved("fi")?;
        Ok(Kind::Group(scripts))
    }

    fn while_loop(&mut self, word: &'static str) -> Read<Kind> {
        self.eat_reserved(word);
        let condition = self.condition()?;
        let body = self.do_group()?;
        Ok(Kind::Group(vec![condition, body]))
    }

    fn do_group(&mut self) -> Read<Script> {
        self.expect_reserved("do")?;
        let body = self.list()?;
        self.expect_reserved("done")?;
        Ok(body)
    }

    fn for_loop(&mut self, word: &'static str) -> Read<Kind> {
        self.eat_reserved(word);
        self.skip_blanks();
        if self.eat("((") {
            self.beyond_posix("for ((");
            return self.arithmetic_for();
        }
        let variable = self.word()?;
        let Some(name) = variable.literal() else { return self.refuse("an expansion as a loop variable") };
        self.skip_lines()?;
        let mut words = Vec::new();
        if self.eat_reserved("in") {
            self.skip_blanks();
            while !matches!(self.peek(), None | Some(b'\n' | b';' | b'&' | b'|' | b')')) {
                words.push(self.word()?);
                self.skip_blanks();
            }
        }
        self.eat(";");
        let body = self.loop_body()?;
        Ok(Kind::Loop { variable: Some(name), words, body })
    }

    fn arithmetic_for(&mut self) -> Read<Kind> {
        let mut words = Vec::new();
        for close in [";", ";", "))"] {
            let expansion = self.arithmetic(close)?;
            words.push(arithmetic_word(expansion));
        }
        self.skip_blanks();
        self.eat(";");
        let body = self.loop_body()?;
        Ok(Kind::Loop { variable: None, words, body })
    }

    /// Parses `do … done`, or the older `{ … }`.
    fn loop_body(&mut self) -> Read<Script> {
        self.skip_lines()?;
        if self.eat_reserved("{") {
            let body = self.list()?;
            self.expect_reserved("}")?;
            return Ok(body);
        }
        self.do_group()
    }

    fn case(&mut self) -> Read<Kind> {
        self.eat_reserved("case");
        self.skip_blanks();
        let mut words = vec![self.word()?];
        self.expect_reserved("in")?;
        let mut bodies = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_reserved("esac") {
                return Ok(Kind::Case { words, bodies });
            }
            self.case_patterns(&mut words)?;
            bodies.push(self.list()?);
            self.skip_lines()?;
            if self.looks_at(";;&") || self.looks_at(";&") {
                self.beyond_posix(";&");
            }
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                self.expect_reserved("esac")?;
                return Ok(Kind::Case { words, bodies });
            }
        }
    }

    fn case_patterns(&mut self, words: &mut Vec<Word>) -> Read<()> {
        self.eat("(");
        loop {
            self.skip_blanks();
            words.push(self.word()?);
            self.skip_blanks();
            if self.eat(")") {
                return Ok(());
            }
            if !self.eat("|") {
                return self.refuse("a `case` pattern without its `)`");
            }
        }
    }

    /// Parses `coproc command` or `coproc NAME compound`.
    fn coproc(&mut self) -> Read<Kind> {
        self.eat_reserved("coproc");
        self.skip_blanks();
        let from = self.pos;
        if self.reserved().is_none() && self.variable_name().is_some() {
            self.skip_blanks();
            let compound =
                self.reserved().is_some_and(|word| COMPOUND.contains(&word)) || self.peek() == Some(b'(');
            if !compound {
                self.pos = from;
            }
        }
        let body = self.nested(Self::command)?;
        Ok(Kind::Coproc(Box::new(body)))
    }

    fn function(&mut self) -> Read<Kind> {
        self.eat_reserved("function");
        self.skip_blanks();
        self.word()?;
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if !self.eat(")") {
                // `function f (list)`: the parenthesis starts the body.
                let kind = self.subshell()?;
                let redirects = self.redirects()?;
                return Ok(Kind::Function(Box::new(Node { kind, redirects })));
            }
        }
        Ok(self.function_body()?.kind)
    }

    /// Parses the body after `name ()`.
    pub(crate) fn function_body(&mut self) -> Read<Node> {
        self.skip_lines()?;
        let Some(kind) = self.nested(Self::compound)? else {
            return self.refuse("a function whose body is not a compound command");
        };
        let redirects = self.redirects()?;
        let body = Box::new(Node { kind, redirects });
        Ok(Node { kind: Kind::Function(body), redirects: Vec::new() })
    }

    /// Parses `[[ … ]]`: only its words matter, and the operators that evaluate them.
    fn test(&mut self) -> Read<Kind> {
        let start = self.pos;
        self.eat_reserved("[[");
        let mut words = Vec::new();
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n')) {
                self.pos += 1;
            }
            if !self.pending.is_empty() || self.peek() == Some(b'#') {
                return self.refuse("a comment or a here-document inside `[[ ]]`");
            }
            if self.reserved() == Some("]]") {
                self.eat_reserved("]]");
                let arithmetic = words.iter().any(evaluates_operands);
                return Ok(Kind::Test { words, arithmetic, raw: self.src[start..self.pos].to_owned() });
            }
            let process = self.looks_at("<(") || self.looks_at(">(");
            match self.peek() {
                None | Some(b';') => return self.refuse("an unterminated `[[`"),
                Some(next) if is_meta(next) && !process => self.pos += 1,
                Some(_) => words.push(self.word()?),
            }
        }
    }
}

/// Returns whether a word is an operator of `[[` that evaluates its operands as arithmetic.
fn evaluates_operands(word: &Word) -> bool {
    matches!(word.raw.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v")
}

fn arithmetic_word(expansion: super::ast::Expansion) -> Word {
    Word { parts: vec![Part::Expansion(std::rc::Rc::new(expansion))], ..Word::default() }
}
