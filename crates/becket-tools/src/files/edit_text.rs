//! Replaces one text with another, in bytes: everything else stays unchanged, including line ends, a byte-order mark
//! and invalid UTF-8.
//!
//! A model sees no carriage return (Read shows none). In a file that has some, its `
//! ` matches either line end, and inserted text gets the line ends around it.

use memchr::memmem::Finder;

/// The maximum length of a text that is searched for a hint, in bytes.
const HINTED: usize = 1 << 20;

/// The reason why nothing was replaced, for the model.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    #[error("`old_string` is not in the file{hint}")]
    NotFound { hint: String },
    #[error(
        "`old_string` is in the file {times} times: add lines around it until it names one place, or set `replace_all`"
    )]
    Several { times: String },
}

/// Replaces `old` with `new`: in one place, or with `all` in every one. `old` is not empty.
pub(crate) fn edited(text: &[u8], old: &str, new: &str, all: bool) -> Result<Vec<u8>, EditError> {
    let view = View::of(text);
    let plain = |text: &str| if view.is_plain() { text.to_owned() } else { text.replace("\r\n", "\n") };
    let (old, new) = (plain(old), plain(new));
    let places = places(&view.text, old.as_bytes(), all)?;
    let (head, tail) = in_common(old.as_bytes(), new.as_bytes());
    let middle = new.as_bytes().get(head..new.len() - tail).unwrap_or_default();
    let mut out = Vec::with_capacity(text.len() + new.len());
    let mut done = 0;
    for start in &places {
        let (from, to) = (view.original(start + head), view.original(start + old.len() - tail));
        out.extend_from_slice(text.get(done..from).unwrap_or_default());
        if view.is_plain() || ending(text, from, to) == b"\n" {
            out.extend_from_slice(middle);
        } else {
            middle.iter().for_each(|byte| match byte {
                b'\n' => out.extend_from_slice(b"\r\n"),
                byte => out.push(*byte),
            });
        }
        done = to;
    }
    out.extend_from_slice(text.get(done..).unwrap_or_default());
    Ok(out)
}

/// A text without the carriage returns of its line ends, and the positions of those.
struct View<'a> {
    text: std::borrow::Cow<'a, [u8]>,
    /// The positions of the newlines that had one.
    returns: Vec<usize>,
}

impl<'a> View<'a> {
    fn of(text: &'a [u8]) -> Self {
        let ends: Vec<usize> = memchr::memmem::find_iter(text, b"\r\n").collect();
        if ends.is_empty() {
            return Self { text: text.into(), returns: Vec::new() };
        }
        let mut without = Vec::with_capacity(text.len());
        let (mut returns, mut done) = (Vec::with_capacity(ends.len()), 0);
        for end in ends {
            without.extend_from_slice(text.get(done..end).unwrap_or_default());
            returns.push(without.len());
            done = end + 1;
        }
        without.extend_from_slice(text.get(done..).unwrap_or_default());
        Self { text: without.into(), returns }
    }

    fn is_plain(&self) -> bool {
        self.returns.is_empty()
    }

    /// Maps a position in the view to one in the text.
    fn original(&self, at: usize) -> usize {
        at + self.returns.partition_point(|newline| *newline < at)
    }
}

/// Returns the lengths of the common prefix and the common suffix of two texts, in bytes.
fn in_common(old: &[u8], new: &[u8]) -> (usize, usize) {
    let same = |(one, other): &(&u8, &u8)| one == other;
    let head = old.iter().zip(new).take_while(same).count();
    let left = old.len().min(new.len()) - head;
    (head, old.iter().rev().zip(new.iter().rev()).take(left).take_while(same).count())
}

/// Returns the positions of `old`, without overlaps.
fn places(text: &[u8], old: &[u8], all: bool) -> Result<Vec<usize>, EditError> {
    let finder = Finder::new(old);
    let found: Vec<usize> = finder.find_iter(text).collect();
    let Some(first) = found.first() else { return Err(EditError::NotFound { hint: hint(text, old) }) };
    if all {
        return Ok(found);
    }
    // `aa` occurs twice in `aaa`.
    let overlaps = text.get(first + 1..).is_some_and(|rest| finder.find(rest).is_some());
    match found.len() {
        1 if !overlaps => Ok(found),
        1 => Err(EditError::Several { times: "several".to_owned() }),
        times => Err(EditError::Several { times: times.to_string() }),
    }
}

/// Returns the line end at a position of the text, or the nearest one, first after it.
fn ending(text: &[u8], from: usize, to: usize) -> &'static [u8] {
    let slice = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let inside = memchr::memchr(b'\n', slice(from..to)).map(|at| from + at);
    let behind = || memchr::memchr(b'\n', slice(to..text.len())).map(|at| to + at);
    let before = || memchr::memrchr(b'\n', slice(0..from));
    let newline = inside.or_else(behind).or_else(before);
    let has_return = newline.and_then(|at| at.checked_sub(1)).is_some_and(|at| text.get(at) == Some(&b'\r'));
    if has_return { b"\r\n" } else { b"\n" }
}

/// Returns a likely reason why a text does not occur.
fn hint(text: &[u8], old: &[u8]) -> String {
    let wanted = trimmed(old.trim_ascii());
    let is_blank = wanted.iter().all(|line| line.is_empty());
    let lines = trimmed(text.get(..HINTED).unwrap_or(text));
    let near = lines.windows(wanted.len()).position(|lines| !is_blank && lines == wanted);
    match near {
        Some(line) => format!(": the text at line {} differs from it in blanks only", line + 1),
        None if is_numbered(&wanted) => {
            ": leave out the numbers that Read shows before each line, and the tab after them".to_owned()
        }
        None => ": copy it from what Read shows, blanks included".to_owned(),
    }
}

fn trimmed(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect()
}

/// Returns whether every line begins with a number, as Read shows it.
fn is_numbered(lines: &[&[u8]]) -> bool {
    lines.iter().all(|line| {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && matches!(line.get(digits), Some(b'\t') | None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(text: &str, old: &str, new: &str, all: bool) -> Result<String, String> {
        let edited = edited(text.as_bytes(), old, new, all).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(edited).unwrap())
    }

    #[test]
    fn line_ends_are_those_of_the_surroundings() {
        for (text, old, new, after) in [
            ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"),
            ("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"),
            ("a\r\nb", "b", "x\ny", "a\r\nx\r\ny"),
            ("a\r\nb", "a\r\nb", "x\r\ny", "x\r\ny"),
            ("a\nb\r\nc", "a", "x\ny", "x\ny\nb\r\nc"),
            ("a\nb\r\nc", "a\nb\nc", "x\ny", "x\ny"),
            ("a\nb\r\nc\r\n", "b\nc", "b\nd", "a\nb\r\nd\r\n"),
            ("a\r\nb\r\n", "\nb", "", "a\r\n"),
            ("a\r\nb\r\n", "b\n", "", "a\r\n"),
            ("a\nb\r\nc", "a\nb\nc", "a\nx\ny\nc", "a\nx\r\ny\r\nc"),
            ("\u{feff}a\r\nb\r\n", "a\n", "c\n", "\u{feff}c\r\nb\r\n"),
            ("a\rb\r\n", "a\rb", "c", "c\r\n"),
            // In a text without CRLF, a carriage return is an ordinary character.
            ("a\nb\n", "b", "x\r\ny", "a\nx\r\ny\n"),
        ] {
            assert_eq!(edit(text, old, new, false).as_deref(), Ok(after), "{text:?} {old:?}");
        }
    }

    #[test]
    fn one_place_is_meant_unless_all_are() {
        assert_eq!(edit("a b a", "a", "c", true).unwrap(), "c b c");
        assert_eq!(edit("aaa", "aa", "b", true).unwrap(), "ba");
        for (text, old, expected) in [
            ("a b a", "a", "2 times"),
            ("aaa", "aa", "several times"),
            ("one\n\ttwo\n", "  two\n", "line 2 differs from it in blanks only"),
            ("one\ntwo\n", "     1\tone\n     2\ttwo", "leave out the numbers"),
            ("one\n", "three", "copy it from what Read shows"),
            ("one\n", " \n ", "copy it from what Read shows"),
        ] {
            let error = edit(text, old, "x", false).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    proptest! {
        // All other bytes stay; without carriage returns the result is that of a plain replacement.
        #[test]
        fn nothing_else_changes(text in "(a|b|\r?\n){0,9}", old in "[ab\n]{1,3}", new in "[cd\n]{0,3}") {
            let Ok(edited) = edited(text.as_bytes(), &old, &new, true) else { return Ok(()) };
            let after = String::from_utf8(edited).unwrap();
            let plain = |text: &str| text.replace("\r\n", "\n");
            prop_assert_eq!(plain(&after), plain(&text).replace(&old, &new));
            if !text.contains("\r\n") {
                prop_assert_eq!(after, text.replace(&old, &new));
            } else if !new.contains('\n') {
                let returns = |text: &str| text.matches("\r\n").count();
                prop_assert!(returns(&after) <= returns(&text));
            }
        }
    }
}
