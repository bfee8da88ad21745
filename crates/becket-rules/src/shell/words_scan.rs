//! A line that can't be read: each of its words is tried as the start of a command (rule P4).
//!
//! The text is flattened once (quotes and escapes dropped, operators and brackets made blanks) and each pattern scans
//! it once, so this is linear for a line of any length.

use super::ansi;
use super::pattern::CommandPattern;
use crate::steps::{OutOfSteps, Steps};

/// A flattened line, and the positions of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FlatText {
    text: String,
    starts: Vec<usize>,
}

impl FlatText {
    pub(crate) fn new(line: &str) -> Self {
        let text = flatten(line);
        let starts = starts(&text);
        Self { text, starts }
    }

    /// Returns the words, without quotes and operators.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').filter(|word| !word.is_empty())
    }

    /// Returns whether `pattern` matches from some word of the line on, with any text after it.
    pub(crate) fn hit(&self, pattern: &CommandPattern, steps: &Steps) -> Result<bool, OutOfSteps> {
        steps.take(self.text.len())?;
        // The pattern's own quotes and brackets must be flattened, too.
        Ok(CommandPattern::new(&flatten(pattern.text())).found_from(&self.text, &self.starts))
    }
}

/// Returns whether `pattern` matches from some word of `line` on, with any text after it.
pub(crate) fn hit(line: &str, pattern: &CommandPattern) -> bool {
    FlatText::new(line).hit(pattern, &Steps::unbounded()).unwrap_or(true)
}

/// Returns the words of a line, with `$'…'` both as bash quotes it and as an escape, as in other contexts and shells.
fn flatten(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    push_words(line, Quoting::Plain, &mut out);
    if line.contains("$'") {
        out.push(' ');
        push_words(line, Quoting::Ansi, &mut out);
    }
    out
}

/// The reading of `$'…'`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// A quoted text.
    Plain,
    /// Escapes of ANSI C.
    Ansi,
}

fn push_words(line: &str, quoting: Quoting, out: &mut String) {
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
        match next {
            '\'' | '"' => {}
            '\\' => rest = rest.strip_prefix('\n').unwrap_or(rest),
            '$' if rest.starts_with('"') => {}
            '$' if rest.starts_with('\'') => {
                // INVARIANT: a quoted text contains no further `$'`, so this is linear.
                let inner = rest.get(1..).filter(|_| quoting == Quoting::Ansi);
                if let Some((inner, (Some(text), length))) =
                    inner.and_then(|inner| Some((inner, ansi::decode(inner)?)))
                {
                    push_words(&text, Quoting::Plain, out);
                    rest = inner.get(length..).unwrap_or_default();
                }
            }
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | '{' | '}' | '`' | ',' | '\0' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            other => out.push(other),
        }
    }
}

/// Returns the start of each word, of the last part of each path, and of the text after a `=` or `:` in it.
fn starts(flat: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let breaks =
        flat.bytes().enumerate().filter(|(_, byte)| matches!(byte, b' ' | b'/' | b'=' | b':' | b'-' | b'!'));
    starts.extend(breaks.map(|(at, _)| at + 1));
    starts
}
