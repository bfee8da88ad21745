//! Programs in a command that are cut short: `node -e "x.replace(/\\/g, '/')"`, of which the shell takes a backslash (H2).

use super::{Entry, inline};
use crate::config::source::report::Report;
use becket_rules::shell::Line;

/// Reports the first program of a line whose quotes or brackets do not fit.
pub(super) fn lint(text: &str, line: &Line, entry: &Entry, report: &mut Report<'_>) {
    let found = line.commands().iter().find_map(|command| {
        let program = inline::program_word(command)?;
        Some((command, ProgramText::new(program).fault()?))
    });
    let Some((command, fault)) = found else { return };
    let at = report.part_of(entry.handler.action_span, text, command.raw());
    let name = command.words().next().flatten().unwrap_or_default();
    let message = format!("`{name}` can't read this program ({fault}), so the hook fails every time");
    let help = "within double quotes the shell turns `\\\\\\\\` into `\\\\`; move the program to a file, or put it in single quotes";
    report.error(at, "program-syntax", message).help(help).rule("H2");
}

/// A program of JavaScript, read only as far as its quotes and brackets.
struct ProgramText<'t> {
    text: &'t str,
    rest: &'t str,
    open: Vec<char>,
}

/// The meaning of a slash.
enum Slash {
    Division,
    Expression,
    /// Only a parser of the whole language can tell.
    Unknown,
}

impl<'t> ProgramText<'t> {
    fn new(text: &'t str) -> Self {
        ProgramText { text, rest: text, open: Vec::new() }
    }

    /// Returns what is wrong; `None` if the quotes and brackets fit, or may fit.
    fn fault(mut self) -> Option<&'static str> {
        loop {
            let before = self.before();
            let Some(c) = self.next() else { break };
            let is_closed = match c {
                '"' | '\'' => self.quoted(c),
                '`' => self.template(),
                '/' if self.rest.starts_with('/') => self.skip_to("\n"),
                '/' if self.rest.starts_with('*') => self.skip_to("*/"),
                '/' => match slash(before) {
                    Slash::Division => true,
                    Slash::Expression => self.expression(),
                    Slash::Unknown => return None,
                },
                '(' | '[' | '{' => {
                    self.open.push(c);
                    true
                }
                ')' | ']' | '}' => {
                    if self.open.pop() != Some(opening(c)) {
                        return Some("a bracket is not open");
                    }
                    true
                }
                _ => true,
            };
            if !is_closed {
                return Some("a quote is not closed");
            }
        }
        (!self.open.is_empty()).then_some("a bracket is not closed")
    }

    /// Returns the text that was read.
    fn before(&self) -> &'t str {
        self.text.strip_suffix(self.rest).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        Some(c)
    }

    /// Passes a string; returns whether it ends on its line.
    fn quoted(&mut self, quote: char) -> bool {
        while let Some(c) = self.next() {
            match c {
                '\\' => _ = self.next(),
                '\n' => return false,
                c if c == quote => return true,
                _ => {}
            }
        }
        false
    }

    /// Passes a template with the programs in it; returns whether it ends.
    fn template(&mut self) -> bool {
        while let Some(c) = self.next() {
            match c {
                '\\' => _ = self.next(),
                '`' => return true,
                '$' if self.rest.starts_with('{') => {
                    let mut depth = 0_usize;
                    while let Some(c) = self.next() {
                        match c {
                            '{' => depth += 1,
                            '}' if depth == 1 => break,
                            '}' => depth -= 1,
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Passes a comment, which the end of the text ends as well, unless it needs an end of its own.
    fn skip_to(&mut self, end: &str) -> bool {
        match self.rest.split_once(end) {
            Some((_, after)) => self.rest = after,
            None if end == "\n" => self.rest = "",
            None => return false,
        }
        true
    }

    /// Passes a regular expression; returns whether it ends on its line.
    fn expression(&mut self) -> bool {
        let mut in_class = false;
        while let Some(c) = self.next() {
            match c {
                '\\' => _ = self.next(),
                '\n' => return false,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => return true,
                _ => {}
            }
        }
        false
    }
}

/// Returns the meaning of a slash behind a text.
fn slash(before: &str) -> Slash {
    const BEFORE_EXPRESSIONS: [&str; 13] = [
        "return", "typeof", "case", "of", "in", "do", "else", "void", "delete", "throw", "yield", "await",
        "new",
    ];
    let before = before.trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).next();
    match before.chars().next_back() {
        None => Slash::Expression,
        // The end of a condition, a block or a comment, or of an operand.
        Some(')' | '}' | '/') => Slash::Unknown,
        Some(last) if "(,=:[!&|?{;+-*%~^<>".contains(last) => Slash::Expression,
        Some(_) if word.is_some_and(|word| BEFORE_EXPRESSIONS.contains(&word)) => Slash::Expression,
        Some(_) => Slash::Division,
    }
}

fn opening(closing: char) -> char {
    match closing {
        ')' => '(',
        ']' => '[',
        _ => '{',
    }
}

#[cfg(test)]
mod tests {
    use super::ProgramText;

    #[test]
    fn quotes_and_brackets_of_a_program_fit_or_not() {
        for text in [
            r"p=p.replace(/\/g,'/');console.error('x '+p)",
            "console.log('it's')",
            "const a = [1, 2; f()",
            "f(1))",
            "x = \"a",
            "g(/[)/, 1",
            "h(`a",
            "if (a) { b()",
            "'a\nb'",
            "/* a",
        ] {
            assert!(ProgramText::new(text).fault().is_some(), "{text}");
        }
        for text in [
            r"p=p.replace(/\\/g,'/');console.error('x '+p)",
            r"const d=[/(^|\/)src\/a\//,/\.env$/];for(const r of d){if(r.test(p)){f('\'')}}",
            "a = b / c / d; // it's\n/* don't */ e(\"'\")",
            "console.log(`it's ${f({a: 1})} (`)",
            "x.split(/[/'\"]/)",
            "const f = s => { return /[\"']/.test(s) }; typeof /'/",
            "if (a) /'/.test(b)",
            "while (a) { b() } /'/.test(c)",
            "let d='';process.stdin.on('data',c=>d+=c).on('end',()=>{JSON.parse(d)})",
            "",
        ] {
            assert_eq!(ProgramText::new(text).fault(), None, "{text}");
        }
    }
}
