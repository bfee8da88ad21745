//! The operators of expansions that change a value: `${x#a}`, `${x%/*}`, `${x,,}`, `${x/a/b}`, `${x:1:2}`.

use crate::path::glob_matches;

/// The maximum lengths of a value and of a pattern that is applied to it.
const MOST_BYTES: (usize, usize) = (128, 32);

/// The steps that an operator with a glob consumes for each value.
const GLOB_STEPS: usize = 32;

/// Returns the number of steps that an operator consumes for each value.
pub(crate) fn steps(change: &str) -> usize {
    if change.contains(['*', '?', '[']) { GLOB_STEPS } else { 1 }
}

/// Returns a value after an operator with its operands; `None` if the text does not determine it.
pub(crate) fn changed(value: &str, change: &str) -> Option<String> {
    let is_long = steps(change) > 1 && (value.len() > MOST_BYTES.0 || change.len() > MOST_BYTES.1);
    if change.contains(['$', '`', '\\', '"', '\'']) || is_long {
        return None;
    }
    let (operator, rest) = change.split_at_checked(1)?;
    match operator {
        "#" => match rest.strip_prefix('#') {
            Some(pattern) => Some(after(value, pattern, true)),
            None => Some(after(value, rest, false)),
        },
        "%" => match rest.strip_prefix('%') {
            Some(pattern) => Some(before(value, pattern, true)),
            None => Some(before(value, rest, false)),
        },
        "," if matches!(rest, "" | ",") => Some(in_case(value, rest.is_empty(), char::to_ascii_lowercase)),
        "^" if matches!(rest, "" | "^") => Some(in_case(value, rest.is_empty(), char::to_ascii_uppercase)),
        "@" if rest == "L" => Some(value.to_lowercase()),
        "@" if rest == "U" => Some(value.to_uppercase()),
        "@" if rest == "u" => Some(in_case(value, true, char::to_ascii_uppercase)),
        "/" => replaced(value, rest),
        ":" => section(value, rest),
        _ => None,
    }
}

/// Returns the value without the shortest or longest start that the pattern matches.
fn after(value: &str, pattern: &str, longest: bool) -> String {
    if steps(pattern) == 1 {
        return value.strip_prefix(pattern).unwrap_or(value).to_owned();
    }
    let matches = |at: &usize| value.get(..*at).is_some_and(|start| glob_matches(pattern, start));
    let mut ends = 0..=value.len();
    let end = if longest { ends.rfind(matches) } else { ends.find(matches) };
    end.and_then(|at| value.get(at..)).unwrap_or(value).to_owned()
}

/// Returns the value without the shortest or longest end that the pattern matches.
fn before(value: &str, pattern: &str, longest: bool) -> String {
    if steps(pattern) == 1 {
        return value.strip_suffix(pattern).unwrap_or(value).to_owned();
    }
    let matches = |at: &usize| value.get(*at..).is_some_and(|end| glob_matches(pattern, end));
    let mut starts = 0..=value.len();
    let start = if longest { starts.find(matches) } else { starts.rfind(matches) };
    start.and_then(|at| value.get(..at)).unwrap_or(value).to_owned()
}

fn in_case(value: &str, first: bool, case: fn(&char) -> char) -> String {
    let changed = |(at, letter): (usize, char)| if first && at > 0 { letter } else { case(&letter) };
    value.chars().enumerate().map(changed).collect()
}

/// Applies `/text/replacement`, where the text is literal.
fn replaced(value: &str, operands: &str) -> Option<String> {
    let (all, operands) = operands.strip_prefix('/').map_or((false, operands), |rest| (true, rest));
    let (text, with) = operands.split_once('/').unwrap_or((operands, ""));
    if text.is_empty() || text.contains(['*', '?', '[']) || with.contains('&') {
        return None;
    }
    if let Some(start) = text.strip_prefix('#') {
        return Some(value.strip_prefix(start).map_or(value.to_owned(), |rest| format!("{with}{rest}")));
    }
    if let Some(end) = text.strip_prefix('%') {
        return Some(value.strip_suffix(end).map_or(value.to_owned(), |rest| format!("{rest}{with}")));
    }
    Some(if all { value.replace(text, with) } else { value.replacen(text, with, 1) })
}

/// Applies `:offset` or `:offset:length`.
fn section(value: &str, operands: &str) -> Option<String> {
    let (offset, length) = match operands.split_once(':') {
        Some((offset, length)) => (offset, Some(length.trim().parse::<i64>().ok()?)),
        None => (operands, None),
    };
    let offset = offset.trim().parse::<i64>().ok()?;
    let letters: Vec<char> = value.chars().collect();
    let place = |from_end: i64| letters.len().checked_sub(usize::try_from(from_end.unsigned_abs()).ok()?);
    let start = if offset < 0 { place(offset)? } else { usize::try_from(offset).ok()? };
    let end = match length {
        None => letters.len(),
        Some(length) if length < 0 => place(length)?,
        Some(length) => start.saturating_add(usize::try_from(length).ok()?),
    };
    Some(letters.get(start..end.min(letters.len())).unwrap_or_default().iter().collect())
}

#[cfg(test)]
mod tests {
    use super::changed;

    // rule: P7
    #[test]
    fn operators_change_values_as_bash_does() {
        for (value, change, expected) in [
            ("xsecrets/key", "#x", Some("secrets/key")),
            ("a/b/c", "##*/", Some("c")),
            ("a/b/c", "#*/", Some("b/c")),
            ("a/b/c", "%/*", Some("a/b")),
            ("a/b/c", "%%/*", Some("a")),
            ("a.rs", "%.c", Some("a.rs")),
            ("SECRETS/KEY", ",,", Some("secrets/key")),
            ("AB", ",", Some("aB")),
            ("ab", "^", Some("Ab")),
            ("ab", "@U", Some("AB")),
            ("a-b-c", "/-/+", Some("a+b-c")),
            ("a-b-c", "//-/", Some("abc")),
            ("abab", "/#ab/c", Some("cab")),
            ("abab", "/%ab/c", Some("abc")),
            ("abcd", ":1", Some("bcd")),
            ("abcd", ":1:2", Some("bc")),
            ("abcd", ": -2", Some("cd")),
            ("abcd", ":0:-1", Some("abc")),
            ("a", ":7", Some("")),
            ("a", "#$x", None),
            ("a", "/?/b", None),
            ("a", ":x", None),
            ("a", "@Q", None),
            ("ü", ":0:1", Some("ü")),
        ] {
            assert_eq!(changed(value, change).as_deref(), expected, "{value} {change}");
        }
    }
}
