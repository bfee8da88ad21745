//! The values that a line gives to variables, as far as its text shows: `x=secrets; cat $x/key` names `secrets/key`.
//! The texts of here-strings and here-documents are kept beside them.
//!
//! It serves rules that restrict: every value that a variable is given anywhere in the line counts, in any order. An
//! unknown value never names a known file, and is left to run time.

use std::collections::BTreeMap;

/// The name under which the text of here-strings and here-documents is kept; no variable has it.
const HERE_STRING: &str = "<<<";

/// The values of a line's variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Values(BTreeMap<String, Vec<String>>);

/// Values in values that are followed.
const MOST_NESTED: u32 = 4;
/// Values to which another is appended.
const MOST_APPENDED: usize = 8;
/// Texts that one argument may be.
const MOST_TEXTS: usize = 1_024;

impl Values {
    /// `name` is given a value: the text of an argument, expansions as they are written.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        if is_name(name) {
            self.keep(name, text);
        }
    }

    /// `name` is given a value behind those that it has (`+=`).
    pub(crate) fn append(&mut self, name: &str, text: &str) {
        let longer: Vec<String> =
            self.of(name).iter().take(MOST_APPENDED).map(|value| format!("{value}{text}")).collect();
        longer.iter().for_each(|value| self.set(name, value));
        self.set(name, text);
    }

    /// A here-string or a here-document has this text.
    pub(crate) fn give(&mut self, text: &str) {
        self.keep(HERE_STRING, text);
    }

    fn keep(&mut self, name: &str, text: &str) {
        let values = self.0.entry(name.to_owned()).or_default();
        if values.last().is_none_or(|last| last != text) {
            values.push(text.to_owned());
        }
    }

    /// The texts of here-strings and here-documents.
    pub(crate) fn given(&self) -> &[String] {
        self.of(HERE_STRING)
    }

    /// All values, and all texts of here-strings and here-documents.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(String::as_str)
    }

    /// The values that `name` is given.
    pub(crate) fn of(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// The texts that an argument with expansions may become; empty if one of them is unknown. The home directory is
    /// `~`, the directory of the line is `.`. Takes a step for each value, and stops when there are none left.
    pub(crate) fn texts(&self, text: &str, steps: &mut usize) -> Vec<String> {
        self.nested(text, MOST_NESTED, steps)
    }

    fn nested(&self, text: &str, left: u32, steps: &mut usize) -> Vec<String> {
        let Some((head, rest)) = text.split_once('$') else {
            return if text.contains('`') { Vec::new() } else { vec![text.to_owned()] };
        };
        let (Some(left), Some(Variable { name, default, rest })) = (left.checked_sub(1), variable(rest))
        else {
            return Vec::new();
        };
        let own = match name {
            "HOME" => Some("~"),
            "PWD" | "OLDPWD" => Some("."),
            // The process asks for itself: `/proc/$$/cwd`.
            "$" => Some("self"),
            _ => None,
        };
        let mut values: Vec<String> = own.map(str::to_owned).into_iter().collect();
        for value in self.of(name).iter().map(String::as_str).chain(default) {
            *steps = steps.saturating_sub(1);
            if *steps == 0 || values.len() >= MOST_TEXTS {
                break;
            }
            values.extend(self.nested(value, left, steps));
        }
        let tails = if values.is_empty() { Vec::new() } else { self.nested(rest, left + 1, steps) };
        let texts =
            values.iter().flat_map(|value| tails.iter().map(move |tail| format!("{head}{value}{tail}")));
        texts.take(MOST_TEXTS).collect()
    }
}

/// A variable in a text.
struct Variable<'t> {
    name: &'t str,
    /// The text that it may be instead: `${name:-default}`.
    default: Option<&'t str>,
    /// The text behind it.
    rest: &'t str,
}

/// The variable behind its `$`.
fn variable(text: &str) -> Option<Variable<'_>> {
    if let Some(text) = text.strip_prefix('{') {
        let (inner, rest) = text.split_once('}')?;
        let (name, operator) = inner.split_at(inner.find([':', '-', '=', '+', '?']).unwrap_or(inner.len()));
        let operator = operator.strip_prefix(':').unwrap_or(operator);
        let default = operator.strip_prefix(['-', '=', '+']);
        return (is_name(name) && (default.is_some() || name == inner)).then_some(Variable {
            name,
            default,
            rest,
        });
    }
    if text.starts_with('$') {
        return text.split_at_checked(1).map(|(name, rest)| Variable { name, default: None, rest });
    }
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).filter(|(name, _)| is_name(name))?;
    Some(Variable { name, default: None, rest })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::Values;

    // rule: P7
    #[test]
    fn variables_are_what_the_line_sets_them_to() {
        let mut values = Values::default();
        for (name, text) in
            [("x", "a"), ("x", "b"), ("y", "$x/c"), ("z", "$(ls)"), ("HOME", "/h"), ("loop", "$loop")]
        {
            values.set(name, text);
        }
        for (text, expected) in [
            ("$x/k", &["a/k", "b/k"][..]),
            ("${y}", &["a/c", "b/c"]),
            ("$PWD/k", &["./k"]),
            ("$HOME/k", &["~/k", "/h/k"]),
            ("/proc/$$/cwd", &["/proc/self/cwd"]),
            ("$z", &[]),
            ("$loop", &[]),
            ("$unset", &[]),
            ("$(ls)", &[]),
            ("`ls`", &[]),
            ("${x:-c}", &["a", "b", "c"]),
            ("${unset=c}/k", &["c/k"]),
            ("${x:1}", &[]),
            ("$1", &[]),
            ("$", &[]),
        ] {
            assert_eq!(values.texts(text, &mut 100), expected, "{text}");
        }
        values.set("sum", "a");
        values.append("sum", "/b");
        assert_eq!(values.texts("$sum", &mut 100), ["a", "a/b", "/b"]);
        for at in 0..300 {
            values.set("many", &at.to_string());
        }
        assert_eq!(values.texts("$many$many$many", &mut 10_000).len(), 1_024);
        let mut steps = 50;
        assert_eq!(values.texts("$many", &mut steps).len(), 49);
        assert_eq!(steps, 0);
    }
}
