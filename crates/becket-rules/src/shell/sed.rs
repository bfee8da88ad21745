//! The files that a `sed` script reads and writes, and the commands that it runs.

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
    /// The programs of the command `e`; an empty one is the text that it has read, as for the flag.
    pub programs: Vec<String>,
}

impl SedScript {
    /// Reads a script of GNU sed. `None` where it can't be read. Of versions that read it differently all count.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let [old, new] = [false, true].map(|brackets| Self::read(text, brackets));
        match (old, new) {
            (Some(mut old), Some(new)) => {
                old.reads.extend(
                    new.reads.into_iter().filter(|file| !old.reads.contains(file)).collect::<Vec<_>>(),
                );
                old.writes.extend(
                    new.writes.into_iter().filter(|file| !old.writes.contains(file)).collect::<Vec<_>>(),
                );
                old.runs |= new.runs;
                old.programs.extend(new.programs);
                Some(old)
            }
            (old, new) => old.or(new),
        }
    }

    fn read(text: &str, brackets: bool) -> Option<Self> {
        let mut script = Self::default();
        let mut reader = Reader { rest: text, brackets };
        while reader.skip_to_command() {
            reader.address()?;
            reader.command(&mut script)?;
        }
        Some(script)
    }
}

struct Reader<'a> {
    rest: &'a str,
    /// Inside brackets a delimiter is an ordinary character.
    brackets: bool,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, what: &[char]) {
        self.rest = self.rest.trim_start_matches(what);
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// Skips to the next command; returns false if there is none.
    fn skip_to_command(&mut self) -> bool {
        self.skip(&[' ', '\t', '\n', '\r', ';', '{', '}']);
        !self.rest.is_empty()
    }

    /// `1`, `$`, `/re/`, `first~step`, two of them, and `!`.
    fn address(&mut self) -> Option<()> {
        loop {
            match self.rest.chars().next() {
                Some('0'..='9' | '$' | '+' | '~' | ',' | '!' | ' ' | '\t') => {
                    self.next();
                }
                Some('/') => {
                    self.next();
                    self.delimited('/')?;
                    self.skip(&['I', 'M']);
                }
                Some('\\') => {
                    self.next();
                    let delimiter = self.next()?;
                    self.delimited(delimiter)?;
                    self.skip(&['I', 'M']);
                }
                _ => return Some(()),
            }
        }
    }

    fn command(&mut self, script: &mut SedScript) -> Option<()> {
        match self.next()? {
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
            }
            '#' => {
                self.line();
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                let end = self.rest.find(['\n', ';', '}']).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..)?;
            }
            'l' | 'L' | 'q' | 'Q' => self.skip(&[' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']),
            'a' | 'i' | 'c' => self.text(),
            'e' => {
                script.runs = true;
                script.programs.push(self.line().trim_start().to_owned());
            }
            'r' | 'R' => script.reads.push(self.file()?),
            'w' | 'W' => script.writes.push(self.file()?),
            'y' => {
                let delimiter = self.next()?;
                self.delimited(delimiter)?;
                self.delimited(delimiter)?;
            }
            's' => self.substitution(script)?,
            _ => return None,
        }
        Some(())
    }

    fn substitution(&mut self, script: &mut SedScript) -> Option<()> {
        let delimiter = self.next()?;
        self.delimited(delimiter)?;
        self.delimited(delimiter)?;
        loop {
            match self.rest.chars().next() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {}
                Some('e') => {
                    script.runs = true;
                    script.programs.push(String::new());
                }
                Some('w') => {
                    self.next();
                    script.writes.push(self.file()?);
                    return Some(());
                }
                Some(_) | None => return Some(()),
            }
            self.next();
        }
    }

    /// Up to the delimiter, which a backslash hides, and in newer versions a bracket expression.
    fn delimited(&mut self, delimiter: char) -> Option<()> {
        if matches!(delimiter, '\n' | '\\') {
            return None;
        }
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                found if found == delimiter => return Some(()),
                '[' if self.brackets => self.bracket(),
                _ => {}
            }
        }
    }

    /// A bracket expression behind its `[`, if it is closed.
    fn bracket(&mut self) {
        let inner = self.rest.strip_prefix('^').unwrap_or(self.rest);
        let from = self.rest.len() - inner.len() + usize::from(inner.starts_with(']'));
        if let Some(end) = self.rest.get(from..).and_then(|rest| rest.find(']')) {
            self.rest = self.rest.get(from + end + 1..).unwrap_or_default();
        }
    }

    /// The rest of the line.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    fn file(&mut self) -> Option<String> {
        self.skip(&[' ', '\t']);
        let name = self.line();
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// The text of `a`, `i` and `c`: lines, as long as a backslash ends them.
    fn text(&mut self) {
        while self.line().ends_with('\\') && !self.rest.is_empty() {}
    }
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
            ("#w f\nw g", Some(">g ")),
            (":w f\nb w f;w g", Some(">g ")),
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
}
