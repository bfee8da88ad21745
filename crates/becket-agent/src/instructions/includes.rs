//! `@path` in an instruction file: the files that it includes.
//!
//! A path starts at the beginning of a word, outside code spans and fences; a space in it is written `\ `. Some words
//! only look like a path (`@types/node`, `@ada`): opening the file decides.

use super::fences::Fences;

/// Returns the paths that a text includes, as they are written, without duplicates, in order.
pub(super) fn includes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fences = Fences::default();
    // A code span ends with its paragraph at the latest.
    let (mut from, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if fences.take(line) || line.trim().is_empty() {
            of_paragraph(text.get(from..at).unwrap_or_default(), &mut found);
            from = end;
        }
        at = end;
    }
    of_paragraph(text.get(from..).unwrap_or_default(), &mut found);
    found
}

fn of_paragraph(text: &str, found: &mut Vec<String>) {
    let mut rest = text;
    let mut before: Option<char> = None;
    while let Some(c) = rest.chars().next() {
        let (length, last) = match c {
            '`' => (behind_code(rest), c),
            '\\' => (escaped(rest), c),
            '@' if before.is_none_or(char::is_whitespace) => {
                let (path, length) = path(rest);
                if !path.is_empty() && !found.contains(&path) {
                    found.push(path);
                }
                (length, c)
            }
            _ => (c.len_utf8(), c),
        };
        before = Some(last);
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// Returns the length of a code span, or of the backticks that do not open one.
fn behind_code(rest: &str) -> usize {
    let ticks = run(rest);
    let mut at = ticks;
    while let Some(next) = rest.get(at..).and_then(|left| left.find('`')) {
        let length = run(rest.get(at + next..).unwrap_or_default());
        at += next + length;
        if length == ticks {
            return at;
        }
    }
    ticks
}

fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Returns the length of a backslash and the character that it escapes.
fn escaped(rest: &str) -> usize {
    let mut chars = rest.chars();
    chars.next();
    1 + chars.next().filter(char::is_ascii_punctuation).map_or(0, char::len_utf8)
}

/// Returns the path after an `@`, and the length of its word.
fn path(rest: &str) -> (String, usize) {
    let mut path = String::new();
    let mut length = 1;
    let mut chars = rest.chars().skip(1).peekable();
    while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
        length += c.len_utf8();
        match (c, chars.peek()) {
            ('\\', Some(' ')) => {
                chars.next();
                length += 1;
                path.push(' ');
            }
            _ => path.push(c),
        }
    }
    let end = path.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '*', '_', '`']);
    path.truncate(end.len());
    (path, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_words_outside_of_code() {
        for (text, expected) in [
            ("see @docs/style.md, and @README.", vec!["docs/style.md", "README"]),
            ("- @~/own.md\n- @../up.md\n- @/etc/x.md", vec!["~/own.md", "../up.md", "/etc/x.md"]),
            ("mail me@example.com (@nobody)", vec![]),
            ("`@code.md` and ``@more ` code`` but @this.md", vec!["this.md"]),
            ("an open ` tick and @this.md", vec!["this.md"]),
            ("`a span\nof two lines @not.md` @yes.md", vec!["yes.md"]),
            ("`open\n\n@other.md paragraph`", vec!["other.md"]),
            ("```\n@fenced.md\n```\n@after.md", vec!["after.md"]),
            ("~~~\n@fenced.md", vec![]),
            ("\\@escaped.md \\`@not.md\\` @with\\ blank.md", vec!["with blank.md"]),
            ("@a.md @a.md @b.md", vec!["a.md", "b.md"]),
            ("@", vec![]),
            ("@é.md @日本.md", vec!["é.md", "日本.md"]),
            ("", vec![]),
        ] {
            assert_eq!(includes(text), expected, "{text}");
        }
    }
}
