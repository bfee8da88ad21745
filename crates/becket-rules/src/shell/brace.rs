//! Brace expansion: `{git,push}` is two words. Comes before every other expansion, so the text alone decides it.
//!
//! Sequences (`{1..3}`) and braces beyond the limits are known only at run time: the word is *unknown* then.

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

/// Returns the words that the braces make; `None` for a sequence, or for more than is followed.
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
            Group::Alternatives(commas, close) => {
                return product(units, &commas, close, nesting.checked_sub(1)?);
            }
            Group::Sequence => return None,
            Group::Plain => from = open + 1,
        }
    }
    Some(vec![units.to_vec()])
}

enum Group {
    /// The positions of `{`, of each `,`, in order, and of `}`.
    Alternatives(Vec<usize>, usize),
    Sequence,
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
            Unit::Plain('}') if dots => return Group::Sequence,
            Unit::Plain('}') => return Group::Plain,
            Unit::Plain(',') if depth == 0 => marks.push(at),
            Unit::Plain('.') => dots |= units.get(at + 1) == Some(&Unit::Plain('.')),
            Unit::Plain(_) | Unit::Quoted(_) | Unit::Quote | Unit::Dynamic { .. } => {}
        }
    }
    Group::Plain
}

fn product(units: &[Unit], marks: &[usize], close: usize, nesting: u32) -> Option<Vec<Vec<Unit>>> {
    let (head, tail) = (&units[..marks[0]], expand_nested(&units[close + 1..], nesting)?);
    let mut words = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        let end = marks.get(index + 1).copied().unwrap_or(close);
        for middle in expand_nested(&units[mark + 1..end], nesting)? {
            for rest in &tail {
                words.push([head, &middle, rest].concat());
                if words.len() > MAX_BRACE_WORDS {
                    return None;
                }
            }
        }
    }
    Some(words)
}

fn find(units: &[Unit], from: usize, wanted: char) -> Option<usize> {
    units.iter().skip(from).position(|unit| *unit == Unit::Plain(wanted)).map(|at| at + from)
}
