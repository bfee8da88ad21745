//! Brace expansion: `{git,push}` is two words. Comes before every other expansion, so the text alone decides it.
//!
//! Braces beyond the limits, and sequences of anything but integers or letters of one case (`{1..3}`, `{a..e..2}`), are
//! known only at run time: the word is *unknown* then.

use super::limits::MAX_BRACE_WORDS;

/// A character of a word, or an expansion in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unit {
    /// An unquoted character.
    Plain(char),
    /// A quoted character.
    Quoted(char),
    /// A mark of removed quotes, so that the word is not dropped when it is empty.
    Quote,
    /// An expansion, as it is written, and whether it may become several words.
    Dynamic { raw: String, splits: bool },
}

/// The maximum nesting of braces.
const MAX_NESTING: u32 = 8;

/// Returns the words that the braces make; `None` for a sequence that is not known, or for more than is followed.
pub(crate) fn expand(units: Vec<Unit>) -> Option<Vec<Vec<Unit>>> {
    let opens = units.iter().filter(|unit| **unit == Unit::Plain('{')).count();
    if opens == 0 {
        return Some(vec![units]);
    }
    // `p{$,u}sh` becomes `p$sh`, which is a variable only after brace expansion.
    if opens > MAX_BRACE_WORDS || units.contains(&Unit::Plain('$')) {
        None
    } else {
        expand_nested(&units, MAX_NESTING)
    }
}

fn expand_nested(units: &[Unit], nesting: u32) -> Option<Vec<Vec<Unit>>> {
    let mut from = 0;
    while let Some(open) = find(units, from, '{') {
        match alternatives(units, open) {
            Group::Alternatives(marks, close) => {
                let nesting = nesting.checked_sub(1)?;
                let parts = marks.iter().zip(marks.iter().skip(1).chain([&close]));
                let parts = parts.map(|(from, to)| expand_nested(&units[from + 1..*to], nesting));
                let parts: Option<Vec<_>> = parts.collect();
                return product(units, open, parts?.concat(), close, nesting);
            }
            Group::Sequence(close) => {
                let parts = sequence(&units[open + 1..close])?;
                return product(units, open, parts, close, nesting.checked_sub(1)?);
            }
            Group::Plain => from = open + 1,
        }
    }
    Some(vec![units.to_vec()])
}

enum Group {
    /// The positions of `{`, of each `,`, in order, and of `}`.
    Alternatives(Vec<usize>, usize),
    /// The position of `}`.
    Sequence(usize),
    Plain,
}

fn alternatives(units: &[Unit], open: usize) -> Group {
    let mut marks = vec![open];
    let mut depth = 0;
    let mut dots = false;
    for (at, unit) in units.iter().enumerate().skip(open + 1) {
        match unit {
            Unit::Plain('{') => depth += 1,
            Unit::Plain('}') if depth > 0 => depth -= 1,
            Unit::Plain('}') if marks.len() > 1 => return Group::Alternatives(marks, at),
            Unit::Plain('}') if dots => return Group::Sequence(at),
            Unit::Plain('}') => return Group::Plain,
            Unit::Plain(',') if depth == 0 => marks.push(at),
            Unit::Plain('.') => dots |= units.get(at + 1) == Some(&Unit::Plain('.')),
            Unit::Plain(_) | Unit::Quoted(_) | Unit::Quote | Unit::Dynamic { .. } => {}
        }
    }
    Group::Plain
}

/// Joins what precedes a group with each of its words, and these with each word that the rest makes.
fn product(
    units: &[Unit],
    open: usize,
    parts: Vec<Vec<Unit>>,
    close: usize,
    nesting: u32,
) -> Option<Vec<Vec<Unit>>> {
    let (head, tail) = (&units[..open], expand_nested(&units[close + 1..], nesting)?);
    let words = parts.iter().flat_map(|part| tail.iter().map(move |rest| [head, part, rest].concat()));
    let words: Vec<_> = words.take(MAX_BRACE_WORDS + 1).collect();
    (words.len() <= MAX_BRACE_WORDS).then_some(words)
}

/// Returns the words of a sequence, given the text between its braces.
fn sequence(units: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let plain = |unit: &Unit| if let Unit::Plain(c) = unit { Some(*c) } else { None };
    let text: String = units.iter().map(plain).collect::<Option<_>>()?;
    let mut parts = text.split("..");
    let (first, last, step) = (parts.next()?, parts.next()?, parts.next().unwrap_or("1"));
    if parts.next().is_some() {
        return None;
    }
    // The direction is that of the ends; a step of 0 is 1.
    let step = usize::try_from(integer(step)?.unsigned_abs().max(1)).ok()?;
    let words: Vec<String> = match (integer(first), integer(last)) {
        (Some(from), Some(to)) => {
            let is_padded = [first, last].iter().any(|end| {
                let digits = end.trim_start_matches('-');
                digits.len() > 1 && digits.starts_with('0')
            });
            let width = if is_padded { first.len().max(last.len()) } else { 0 };
            let word = |at: i64| format!("{at:0width$}");
            if from <= to {
                (from..=to).step_by(step).map(word).take(MAX_BRACE_WORDS + 1).collect()
            } else {
                (to..=from).rev().step_by(step).map(word).take(MAX_BRACE_WORDS + 1).collect()
            }
        }
        _ => {
            let (from, to) = (letter(first)?, letter(last)?);
            if from.is_ascii_lowercase() != to.is_ascii_lowercase() {
                return None;
            }
            let (low, high) = (from.min(to), from.max(to));
            let mut letters: Vec<char> = (low..=high).collect();
            if from > to {
                letters.reverse();
            }
            letters.into_iter().step_by(step).map(String::from).collect()
        }
    };
    (words.len() <= MAX_BRACE_WORDS)
        .then(|| words.iter().map(|word| word.chars().map(Unit::Plain).collect()).collect())
}

/// Returns the integer that a text writes in up to nine digits.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_integer)
}

/// Returns the letter that a text consists of.
fn letter(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
}

fn find(units: &[Unit], from: usize, wanted: char) -> Option<usize> {
    units.iter().skip(from).position(|unit| *unit == Unit::Plain(wanted)).map(|at| at + from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<Vec<String>> {
        let words = expand(text.chars().map(Unit::Plain).collect())?;
        let plain = |unit: &Unit| if let Unit::Plain(c) = unit { *c } else { '?' };
        Some(words.iter().map(|units| units.iter().map(plain).collect()).collect())
    }

    // rule: P4
    #[test]
    fn sequences_are_the_words_that_bash_makes_of_them() {
        for (text, expected) in [
            ("{1..3}", "1 2 3"),
            ("{3..1}", "3 2 1"),
            ("{01..3}", "01 02 03"),
            ("{-1..1}", "-1 0 1"),
            ("{-01..1}", "-01 000 001"),
            ("{001..-2}", "001 000 -01 -02"),
            ("{-0..2}", "0 1 2"),
            ("{1..10..3}", "1 4 7 10"),
            ("{10..1..-3}", "10 7 4 1"),
            ("{1..3..0}", "1 2 3"),
            ("{a..e..2}", "a c e"),
            ("{e..c}", "e d c"),
            ("{Y..Z}", "Y Z"),
            ("a{1..2}b{x,y}", "a1bx a1by a2bx a2by"),
            ("{x,{1..2}}", "x 1 2"),
            ("pu{s..s}h", "push"),
        ] {
            assert_eq!(words(text).map(|words| words.join(" ")).as_deref(), Some(expected), "{text}");
        }
        for unknown in [
            "{1..a}",
            "{Z..a}",
            "{1..65}",
            "{1..9}{1..9}",
            "{a..c..x}",
            "{1..2..3..4}",
            "{1..9999999999}",
            "{..}",
        ] {
            assert_eq!(words(unknown), None, "{unknown}");
        }
    }
}
