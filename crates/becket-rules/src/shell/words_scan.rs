//! A line that can't be read: each of its words is tried as the start of a command (rule P4).
//!
//! The text is flattened once (quotes and escapes dropped, operators and brackets made blanks) and each pattern goes
//! over it once, so this is linear for a line of any length.

use super::pattern::CommandPattern;

/// Whether `pattern` matches from some word of `line` on, whatever follows.
pub(crate) fn hit(line: &str, pattern: &CommandPattern) -> bool {
    let flat = flatten(line);
    let starts = starts(&flat);
    // The pattern's own quotes and brackets must go the same way.
    CommandPattern::new(&flatten(pattern.text())).found_from(&flat, &starts)
}

fn flatten(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '\'' | '"' => {}
            '\\' => {
                chars.next_if_eq(&'\n');
            }
            '$' if matches!(chars.peek(), Some('\'' | '"')) => {}
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | '{' | '}' | '`' | ',' | '\0' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            other => out.push(other),
        }
    }
    out
}

/// The start of each word, and of the last part of each path and of what follows a `=` or `:` in it.
fn starts(flat: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let breaks =
        flat.bytes().enumerate().filter(|(_, byte)| matches!(byte, b' ' | b'/' | b'=' | b':' | b'-' | b'!'));
    starts.extend(breaks.map(|(at, _)| at + 1));
    starts
}
