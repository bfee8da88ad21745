//! The values that a line gives to variables, as far as its text shows: `x=secrets; cat $x/key` names `secrets/key`.
//! The texts of here-strings and here-documents are kept as well.
//!
//! It serves rules that restrict: every value that a variable gets anywhere in the line counts, in any order. An
//! unknown value never names a known file; it is known only at run time.

use std::collections::BTreeMap;

use super::value_changes::{self, changed};

/// The name under which the text of here-strings and here-documents is kept; no variable has it.
const HERE_STRING: &str = "<<<";

/// The values of a line's variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Values(BTreeMap<String, Vec<String>>);

/// The maximum depth of values in values.
const MOST_NESTED: u32 = 4;
/// The maximum number of values to which another is appended.
const MOST_APPENDED: usize = 8;
/// The maximum number of texts that one argument may become.
const MOST_TEXTS: usize = 1_024;

impl Values {
    /// Sets `name` to a value: the text of an argument, expansions as they are written.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        if is_name(name) {
            self.keep(name, text);
        }
    }

    /// Appends a value to those that `name` has (`+=`).
    pub(crate) fn append(&mut self, name: &str, text: &str) {
        let longer: Vec<String> =
            self.of(name).iter().take(MOST_APPENDED).map(|value| format!("{value}{text}")).collect();
        longer.iter().for_each(|value| self.set(name, value));
        self.set(name, text);
    }

    /// Adds the text of a here-string or a here-document.
    pub(crate) fn give(&mut self, text: &str) {
        self.keep(HERE_STRING, text);
    }

    fn keep(&mut self, name: &str, text: &str) {
        let values = self.0.entry(name.to_owned()).or_default();
        if values.last().is_none_or(|last| last != text) {
            values.push(text.to_owned());
        }
    }

    /// Returns the texts of here-strings and here-documents.
    pub(crate) fn stdin_texts(&self) -> &[String] {
        self.of(HERE_STRING)
    }

    /// Returns all values, and all texts of here-strings and here-documents.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(String::as_str)
    }

    /// Returns each variable with each of its values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |value| (name.as_str(), value.as_str())))
    }

    /// Returns the values of `name`.
    pub(crate) fn of(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the texts that an argument with expansions may become; empty if one of them is unknown. The home
    /// directory is `~`, the directory of the line is `.`. Consumes a step for each value, and stops when none are
    /// left.
    pub(crate) fn texts(&self, text: &str, steps: &mut usize) -> Vec<String> {
        self.nested(text, MOST_NESTED, steps)
    }

    fn nested(&self, text: &str, left: u32, steps: &mut usize) -> Vec<String> {
        let Some((head, rest)) = text.split_once('$') else {
            return if text.contains('`') { Vec::new() } else { vec![text.to_owned()] };
        };
        let (Some(left), Some(Variable { name, default, change, rest })) =
            (left.checked_sub(1), variable(rest))
        else {
            return Vec::new();
        };
        let own = match name {
            "HOME" => Some("~"),
            "PWD" | "OLDPWD" => Some("."),
            // The process refers to itself: `/proc/$$/cwd`.
            "$" | "PPID" | "BASHPID" => Some("self"),
            _ => None,
        };
        let mut values: Vec<String> = Vec::new();
        for value in self.of(name).iter().map(String::as_str).chain(default) {
            *steps = steps.saturating_sub(1);
            if *steps == 0 || values.len() >= MOST_TEXTS {
                break;
            }
            values.extend(self.nested(value, left, steps));
        }
        if let Some(change) = change {
            *steps = steps.saturating_sub(value_changes::steps(change) * values.len());
            let left = if *steps == 0 { 0 } else { values.len() };
            values = values.iter().take(left).filter_map(|value| changed(value, change)).collect();
            values.dedup();
        }
        values.splice(0..0, own.map(str::to_owned));
        let tails = if values.is_empty() { Vec::new() } else { self.nested(rest, left + 1, steps) };
        let texts =
            values.iter().flat_map(|value| tails.iter().map(move |tail| format!("{head}{value}{tail}")));
        // The value is absolute, and `//$PWD/x` is a path from the root.
        let from_root = own.filter(|own| *own != "self" && leads_to_root(head));
        let absolute = from_root.iter().flat_map(|own| tails.iter().map(move |tail| format!("{own}{tail}")));
        texts.chain(absolute).take(MOST_TEXTS).collect()
    }
}

/// A variable in a text.
struct Variable<'t> {
    name: &'t str,
    /// The text that may replace it: `${name:-default}`.
    default: Option<&'t str>,
    /// The operator that changes its value, with its operands: `${name%.c}`.
    change: Option<&'t str>,
    /// The text after it.
    rest: &'t str,
}

/// Parses the variable after its `$`.
fn variable(text: &str) -> Option<Variable<'_>> {
    if let Some(text) = text.strip_prefix('{') {
        let (inner, rest) = text.split_once('}')?;
        let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inner.len());
        let (name, written) = inner.split_at(end);
        let operator = written.strip_prefix(':').unwrap_or(written);
        let default = operator.strip_prefix(['-', '=', '+']);
        let checks = operator.starts_with('?');
        let change = (default.is_none() && !checks && !written.is_empty()).then_some(written);
        return is_name(name).then_some(Variable { name, default, change, rest });
    }
    let whole = |(name, rest)| Variable { name, default: None, change: None, rest };
    if text.starts_with('$') {
        return text.split_at_checked(1).map(whole);
    }
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(name, _)| is_name(name)).map(whole)
}

/// Returns whether a path leads to the root of the file system: `//`, `../..`, `/proc/self/root/`.
fn leads_to_root(head: &str) -> bool {
    let path = head.trim_end_matches('/');
    let up = path.split('/').all(|part| matches!(part, "" | "." | ".."));
    head.ends_with('/') && (up || path.ends_with("/root"))
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
            ("${y:2}", &["c"]),
            ("${y%/*}/k", &["a/k", "b/k"]),
            ("${y^^}", &["A/C", "B/C"]),
            ("${PWD%x}/k", &["./k"]),
            ("//$PWD/k", &["//./k", "./k"]),
            ("/proc/self/root/$HOME/k", &["/proc/self/root/~/k", "/proc/self/root//h/k", "~/k"]),
            ("/proc/$PPID/cwd", &["/proc/self/cwd"]),
            ("${x?gone}", &["a", "b"]),
            ("${x[1]}", &[]),
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
