//! The files that a `sed` script reads and writes, and the commands that it runs.
//!
//! A script is read as each family of `sed` reads it, and the effects of all readings count. The grammar of GNU sed 4.9
//! decides whether the script is understood; anything that it would refuse is unknown.

/// The effects of a script, as far as its text shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SedScript {
    /// Files of `r` and `R`.
    pub reads: Vec<String>,
    /// Files of `w` and `W`, and of the flag `w` of `s`.
    pub writes: Vec<String>,
    /// The command `e`, or the flag `e` of `s`: the script runs programs.
    pub runs: bool,
    /// The programs of the command `e`; an empty one is known only at run time, such as the pattern space of the flag.
    pub programs: Vec<String>,
    /// True if a part of the script could not be read: it may do anything.
    pub unread: bool,
}

/// The characters that end a label: for GNU sed 4.3 and later, for earlier versions, and for POSIX.
const LABEL_ENDS: [&[char]; 3] =
    [&['\n', ';', '}', '#', ' ', '\t', '\r', '\x0b', '\x0c'], &['\n', ';', '}'], &['\n']];

/// The maximum number of times that reading resumes after something that could not be read.
const MOST_RESUMED: u32 = 64;

const BLANKS: &[char] = &[' ', '\t'];

impl SedScript {
    /// Parses a script; `None` if it can't be read. If versions of `sed` read it differently, all readings count.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self::read(text)).filter(|script| !script.unread)
    }

    /// Parses a script as far as it can be read.
    pub(crate) fn read(text: &str) -> Self {
        let mut script = Self::default();
        script.unread = Reader::new(text, true, LABEL_ENDS[0]).script(&mut script, MOST_RESUMED).is_none();
        for label_ends in LABEL_ENDS {
            for brackets in [true, false] {
                // What such a version refuses, it does not run.
                let _ = Reader::new(text, brackets, label_ends).script(&mut script, 0);
            }
        }
        for list in [&mut script.reads, &mut script.writes, &mut script.programs] {
            list.sort_unstable();
            list.dedup();
        }
        script.runs = !script.programs.is_empty();
        script
    }
}

struct Reader<'a> {
    rest: &'a str,
    /// True if a delimiter inside brackets of a regular expression is an ordinary character.
    brackets: bool,
    label_ends: &'static [char],
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, brackets: bool, label_ends: &'static [char]) -> Self {
        Self { rest: text, brackets, label_ends }
    }

    /// Parses all commands; `None` if one can't be read. Reading resumes after the next separator up to `resumed`
    /// times.
    fn script(&mut self, script: &mut SedScript, resumed: u32) -> Option<()> {
        let (mut left, mut whole) = (resumed, Some(()));
        while self.skip_to_command() {
            let from = self.rest;
            if self.address().and_then(|()| self.command(script)).is_some() {
                continue;
            }
            whole = None;
            left = left.checked_sub(1)?;
            let next = from.find(['\n', ';', '{', '}', ' ', '\t']).map_or(from.len(), |at| at + 1);
            self.rest = from.get(next..)?;
        }
        whole
    }

    fn skip(&mut self, what: &[char]) {
        self.rest = self.rest.trim_start_matches(what);
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Skips to the next command; returns false if there is none.
    fn skip_to_command(&mut self) -> bool {
        self.skip(&[' ', '\t', '\n', '\r', '\x0b', '\x0c', ';', '{', '}']);
        !self.rest.is_empty()
    }

    /// Parses `1`, `$`, `/re/`, `first~step`, two of them, and `!`.
    fn address(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some('0'..='9' | '$' | '+' | '~' | ',' | '!' | ' ' | '\t') => {
                    self.next();
                }
                Some('/') => {
                    self.next();
                    self.delimited('/', self.brackets)?;
                    self.skip(&[' ', '\t', 'I', 'M']);
                }
                Some('\\') => {
                    self.next();
                    let delimiter = self.next()?;
                    self.delimited(delimiter, self.brackets)?;
                    self.skip(&[' ', '\t', 'I', 'M']);
                }
                _ => return Some(()),
            }
        }
    }

    fn command(&mut self, script: &mut SedScript) -> Option<()> {
        match self.next()? {
            '{' | '}' => {}
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                self.end()?;
            }
            '#' => {
                self.line();
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.skip(BLANKS);
                let end = self.rest.find(self.label_ends).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..)?;
            }
            'l' | 'L' | 'q' | 'Q' => {
                self.skip(&[' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
                self.end()?;
            }
            'a' | 'i' | 'c' => {
                self.text();
            }
            'e' => {
                let text = self.text().trim_start();
                let text = text.strip_prefix('\\').map_or(text, str::trim_start);
                if text.contains('\\') {
                    // sed replaces `\t` and `\x74` in it.
                    script.programs.push(String::new());
                }
                script.programs.push(text.replace('\\', ""));
            }
            'r' | 'R' => script.reads.push(self.file()?),
            'w' | 'W' => script.writes.push(self.file()?),
            'y' => {
                let delimiter = self.next()?;
                self.delimited(delimiter, false)?;
                self.delimited(delimiter, false)?;
                self.end()?;
            }
            's' => self.substitution(script)?,
            _ => return None,
        }
        Some(())
    }

    /// Parses the end of a command: a separator, or what may follow it.
    fn end(&mut self) -> Option<()> {
        self.skip(BLANKS);
        matches!(self.peek(), None | Some('\n' | '\r' | ';' | '}' | '#')).then_some(())
    }

    fn substitution(&mut self, script: &mut SedScript) -> Option<()> {
        let delimiter = self.next()?;
        self.delimited(delimiter, self.brackets)?;
        self.delimited(delimiter, false)?;
        let mut runs = false;
        loop {
            self.skip(&[' ', '\t', 'g', 'p', 'i', 'I', 'm', 'M']);
            self.skip(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
            match self.peek() {
                Some('e') => {
                    self.next();
                    runs = true;
                }
                Some('w') => {
                    self.next();
                    script.writes.push(self.file()?);
                    break;
                }
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | ' ' | '\t') => {}
                Some(_) | None => break self.end()?,
            }
        }
        if runs {
            script.programs.push(String::new());
        }
        Some(())
    }

    /// Skips to the delimiter, which a backslash escapes, and with `brackets` a bracket expression.
    fn delimited(&mut self, delimiter: char, brackets: bool) -> Option<()> {
        if matches!(delimiter, '\n' | '\\') || !delimiter.is_ascii() {
            return None;
        }
        loop {
            match self.next()? {
                found if found == delimiter => return Some(()),
                '\\' => {
                    self.next()?;
                }
                '\n' => return None,
                '[' if brackets => self.bracket()?,
                _ => {}
            }
        }
    }

    /// Skips a bracket expression after its `[`. A backslash in it is an ordinary character.
    fn bracket(&mut self) -> Option<()> {
        self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
        self.rest = self.rest.strip_prefix(']').unwrap_or(self.rest);
        let mut element = Element::None;
        loop {
            element = match (element, self.next()?) {
                (_, '\n') => return None,
                (Element::None | Element::Bracket, ']') => return Some(()),
                (Element::Bracket, mark @ ('.' | ':' | '=')) => Element::Open(mark),
                (Element::Open(mark), found) if found == mark => Element::Closing(mark),
                (Element::Closing(_), ']') => Element::None,
                (Element::None, '[') => Element::Bracket,
                (same, '[') => same,
                (Element::None | Element::Bracket, _) => Element::None,
                (Element::Open(mark) | Element::Closing(mark), _) => Element::Open(mark),
            }
        }
    }

    /// Returns the rest of the line.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    fn file(&mut self) -> Option<String> {
        self.skip(BLANKS);
        let name = self.line();
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// Returns the text of `a`, `i`, `c` and `e`: further lines as long as an odd number of backslashes ends them.
    fn text(&mut self) -> &'a str {
        let all = self.rest;
        while continues(self.line()) && !self.rest.is_empty() {}
        all.strip_suffix(self.rest).unwrap_or(all)
    }
}

/// The position in a bracket expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    /// Outside `[:class:]`, `[.x.]` and `[=x=]`.
    None,
    /// After the bracket that may open one.
    Bracket,
    /// Inside one, of which this is the mark.
    Open(char),
    /// After its second mark.
    Closing(char),
}

/// Returns whether a line of text continues on the next one, or in the script of the next option.
pub(crate) fn continues(line: &str) -> bool {
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::SedScript;

    fn read(text: &str) -> Option<String> {
        let SedScript { reads, writes, runs, .. } = SedScript::parse(text)?;
        let list = |mark: &str, files: Vec<String>| {
            files.iter().map(|file| format!("{mark}{file} ")).collect::<String>()
        };
        Some(format!("{}{}{}", list("<", reads), list(">", writes), if runs { "!" } else { "" }))
    }

    // rule: P7
    #[test]
    fn scripts_name_the_files_that_they_read_and_write() {
        for (text, expected) in [
            ("p", Some("")),
            ("s/a/b/", Some("")),
            ("s/new value/x w y/g", Some("")),
            ("1,5p; $d", Some("")),
            ("/re/!s,a,b,gi", Some("")),
            ("w f", Some(">f ")),
            ("wf", Some(">f ")),
            ("1~2{w f g\n}", Some(">f g ")),
            ("/a\\/b/W f", Some(">f ")),
            ("\\,a,w f", Some(">f ")),
            ("s/a/b/w f", Some(">f ")),
            ("s|a|b|gpw f\nr /etc/x\nR y", Some("</etc/x <y >f ")),
            ("p;w f;p", Some(">f;p ")),
            ("a\\\nw f\nw g", Some(">g ")),
            ("a w f", Some("")),
            ("a x\\\\\nw f", Some(">f ")),
            ("a x\\\nw f", Some("")),
            ("i\\\\\\\nw f", Some("")),
            (":a w f", Some(">f ")),
            ("bx;:x\tw f", Some(">f ")),
            ("v 4.2 w f", Some(">f ")),
            ("s/x/y/;ta w f", Some(">f ")),
            ("1{:a\ne f\n}", Some("!")),
            ("ba#;w f", Some(">f ")),
            ("s/[[:alpha:]/]/x/;w f", Some(">f ")),
            ("s/[[.a.]/]/x/;w f", Some(">f ")),
            ("s/[]/]/x/;w f", Some(">f ")),
            ("s/[^/]*$//;s/[\\/]/x/", Some("")),
            ("y/[/]/;w f", Some(">f ")),
            ("s/a/[/;w f", Some(">f ")),
            ("s/a/b/ w f", Some(">f ")),
            ("s/a/b/ 2 g e;p", Some("!")),
            ("1e\\\ntouch x", Some("!")),
            (r":a;N;$!ba;s/\n/ /g", Some("")),
            (r"$!N;/^\(.*\)\n\1$/!P;D", Some("")),
            ("/a/,/b/{//!d}; 1!G;h;$!d", Some("")),
            ("s/a/b/x", None),
            ("p w f", None),
            ("s/a\nw f", None),
            ("#w f\nw g", Some(">g ")),
            (":w\nb w;w g", Some(">g ")),
            (":w f\nb w f;w g", None),
            ("s/[/]b/x/w f", Some(">f ")),
            ("1e touch x", Some("!")),
            ("s/a/b/e", Some("!")),
            ("y/abc/wef/", Some("")),
            ("{p;n};q5", Some("")),
            ("s/a", None),
            ("w", None),
            ("k", None),
            ("", Some("")),
        ] {
            assert_eq!(read(text).as_deref(), expected, "{text:?}");
        }
    }

    // rule: P7
    #[test]
    fn a_script_that_is_not_understood_is_read_as_far_as_possible() {
        for text in ["s/[[:x/;1e git push", "k;e git push", "p e git push", "s/a/b/k\ne git push"] {
            let script = SedScript::read(text);
            assert!(script.unread && script.programs.contains(&"git push".to_owned()), "{text:?}");
        }
        assert_eq!(SedScript::read("e git \\\npush").programs, ["", "git \npush"]);
        assert_eq!(SedScript::read("e\\git push").programs, ["git push"]);
        // Reading resumes a bounded number of times.
        assert!(SedScript::read(&"s/a;".repeat(3_000)).unread);
    }
}
