//! Splitting a line into commands and words. Linear, without recursion.

/// A word, without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// True if it contains a variable: the text is not the value.
    pub(crate) dynamic: bool,
    pub(crate) quoted: bool,
}

/// A line in pieces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) commands: Vec<Vec<Word>>,
    /// The construct that prevented a reliable split, with its byte offset.
    pub(crate) obstacle: Option<(usize, &'static str)>,
    /// The first variable other than `$HOME`.
    pub(crate) variable: Option<String>,
}

/// Splits on `|`, `;`, `&&`, `||`, newlines, and on brackets, which are an obstacle as well.
pub(crate) fn split(line: &str) -> Split {
    let mut splitter = Splitter { line, at: 0, out: Split::default(), words: Vec::new(), word: None };
    splitter.run();
    splitter.out
}

struct Splitter<'a> {
    line: &'a str,
    at: usize,
    out: Split,
    words: Vec<Word>,
    word: Option<Word>,
}

impl Splitter<'_> {
    fn run(&mut self) {
        while let Some(next) = self.take() {
            match next {
                '`' => self.escape(),
                '\'' | '‘' | '’' | '‚' | '‛' => self.single(),
                '"' | '“' | '”' | '„' => self.double(),
                '@' if self.starts(&["'", "\"", "‘", "’", "“", "”"]) => {
                    self.obstacle("a here-string");
                }
                '#' if self.word.is_none() => self.skip_to("\n"),
                '<' if self.starts(&["#"]) => self.skip_to("#>"),
                '(' | ')' | '{' | '}' | '[' | ']' => {
                    self.obstacle("a bracket");
                    self.end_command();
                }
                '\0' => self.obstacle("a NUL character"),
                '|' | ';' | '\n' | '\r' => self.end_command(),
                '&' => self.ampersand(),
                '<' | '>' => self.end_word(),
                '$' => self.variable(false),
                // A typographic dash is a dash.
                '–' | '—' | '―' => self.push('-'),
                blank if blank.is_whitespace() => self.end_word(),
                other => self.push(other),
            }
        }
        self.end_command();
    }

    fn take(&mut self) -> Option<char> {
        let next = self.line[self.at..].chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn starts(&self, tokens: &[&str]) -> bool {
        tokens.iter().any(|token| self.line[self.at..].starts_with(token))
    }

    fn obstacle(&mut self, what: &'static str) {
        self.out.obstacle.get_or_insert((self.at, what));
    }

    fn push(&mut self, more: char) {
        self.word.get_or_insert_default().text.push(more);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.out.commands.push(std::mem::take(&mut self.words));
        }
    }

    fn skip_to(&mut self, end: &str) {
        let rest = &self.line[self.at..];
        match rest.find(end) {
            // The newline itself still ends the command.
            Some(found) => self.at += found + if end == "\n" { 0 } else { end.len() },
            None => {
                if end != "\n" {
                    self.obstacle("an unterminated comment");
                }
                self.at = self.line.len();
            }
        }
    }

    /// Handles `&`: `&&` separates; a single `&` calls the next word, or sends the command before it to the background.
    fn ampersand(&mut self) {
        self.end_command();
        if self.starts(&["&"]) {
            self.at += 1;
        }
    }

    fn escape(&mut self) {
        match self.take() {
            Some('\n') => {}
            Some('\r') if self.starts(&["\n"]) => self.at += 1,
            Some(other) => self.push(other),
            None => self.obstacle("a backtick at the end"),
        }
    }

    fn single(&mut self) {
        self.word.get_or_insert_default().quoted = true;
        while let Some(next) = self.take() {
            let closes = matches!(next, '\'' | '‘' | '’' | '‚' | '‛');
            if closes && !self.starts(&["'", "‘", "’", "‚", "‛"]) {
                return;
            }
            let kept = if closes { self.take().unwrap_or(next) } else { next };
            self.push(kept);
        }
        self.obstacle("an unterminated quote");
    }

    fn double(&mut self) {
        self.word.get_or_insert_default().quoted = true;
        while let Some(next) = self.take() {
            match next {
                '"' | '“' | '”' | '„' => {
                    if !self.starts(&["\"", "“", "”", "„"]) {
                        return;
                    }
                    let doubled = self.take().unwrap_or('"');
                    self.push(doubled);
                }
                '`' => self.escape(),
                '$' => self.variable(true),
                other => self.push(other),
            }
        }
        self.obstacle("an unterminated quote");
    }

    /// Handles `$name`; `$(…)` and `${…}` are brackets.
    fn variable(&mut self, quoted: bool) {
        let rest = &self.line[self.at..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || "_:?$^".contains(c))).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        if quoted && rest.starts_with('(') {
            self.obstacle("a subexpression");
        }
        let word = self.word.get_or_insert_default();
        word.text.push('$');
        word.text.push_str(&name);
        word.dynamic = true;
        self.at += length;
        if !name.eq_ignore_ascii_case("home") {
            self.out.variable.get_or_insert(format!("${name}"));
        }
    }
}
