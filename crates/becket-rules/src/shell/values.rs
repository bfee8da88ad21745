//! The values that a line gives to variables, as far as its text shows: `x=secrets; cat $x/key` names `secrets/key`.
//! The texts of here-strings and here-documents are kept as well.
//!
//! It serves rules that restrict: every value that a variable gets anywhere in the line counts, in any order. An
//! unknown value never names a known file; it is known only at run time.

use std::collections::BTreeMap;

use super::value_changes::{self, changed};

/// The name under which the text of here-strings and here-documents is kept; no variable has it.
const HERE_STRING: &str = "<<<";

/// The value of a variable that gets arguments or what is read: no text is known.
pub(crate) const ARGUMENTS: &str = "$@";

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

    /// Returns the texts that an argument with expansions may become, as far as they are known. The home directory is
    /// `~`, the directory of the line is `.`. Consumes a step for each value, and stops when none are left.
    pub(crate) fn texts(&self, text: &str, steps: &mut usize) -> Vec<String> {
        self.known_texts(text, steps).0
    }

    /// Returns the texts that an argument may become, if these are all of them.
    pub(crate) fn all_texts(&self, text: &str, steps: &mut usize) -> Option<Vec<String>> {
        let (texts, complete) = self.known_texts(text, steps);
        complete.then_some(texts)
    }

    /// Returns the texts as [`Values::texts`] does, and whether these are all.
    pub(crate) fn known_texts(&self, text: &str, steps: &mut usize) -> (Vec<String>, bool) {
        let mut search = Search { steps, complete: true };
        let texts = self.nested(text, MOST_NESTED, &mut search);
        (texts, search.complete)
    }

    fn nested(&self, text: &str, left: u32, search: &mut Search<'_>) -> Vec<String> {
        let Some((head, rest)) = text.split_once('$') else {
            return if text.contains('`') { search.unknown() } else { vec![text.to_owned()] };
        };
        let (Some(left), Some(Variable { name, default, change, rest })) =
            (left.checked_sub(1), variable(rest))
        else {
            return search.unknown();
        };
        let own = match name {
            "HOME" => Some("~"),
            "PWD" | "OLDPWD" => Some("."),
            // The process refers to itself: `/proc/$$/cwd`.
            "$" | "PPID" | "BASHPID" => Some("self"),
            _ => None,
        };
        search.complete &= own.is_some() || !self.of(name).is_empty();
        let mut values: Vec<String> = Vec::new();
        for value in self.of(name).iter().map(String::as_str).chain(default) {
            if search.consume(1) || values.len() >= MOST_TEXTS {
                search.complete = false;
                break;
            }
            values.extend(self.nested(value, left, search));
        }
        if let Some(change) = change {
            values = search.changed(&values, change);
        }
        values.splice(0..0, own.map(str::to_owned));
        let tails = if values.is_empty() { Vec::new() } else { self.nested(rest, left + 1, search) };
        let texts =
            values.iter().flat_map(|value| tails.iter().map(move |tail| format!("{head}{value}{tail}")));
        // The value is absolute, and `//$PWD/x` is a path from the root.
        let from_root = own.filter(|own| *own != "self" && leads_to_root(head));
        let absolute = from_root.iter().flat_map(|own| tails.iter().map(move |tail| format!("{own}{tail}")));
        let mut texts = texts.chain(absolute);
        let found = texts.by_ref().take(MOST_TEXTS).collect();
        search.complete &= texts.next().is_none();
        found
    }
}

/// A search for the texts that an argument may become.
#[derive(Debug)]
struct Search<'s> {
    /// The number of steps that are left.
    steps: &'s mut usize,
    /// False once a text is unknown.
    complete: bool,
}

impl Search<'_> {
    /// Records that a text is unknown, and returns no texts.
    fn unknown(&mut self) -> Vec<String> {
        self.complete = false;
        Vec::new()
    }

    /// Consumes steps, and returns whether none are left.
    fn consume(&mut self, steps: usize) -> bool {
        *self.steps = self.steps.saturating_sub(steps);
        *self.steps == 0
    }

    /// Returns the values after an operator with its operands, without those that the text does not determine.
    fn changed(&mut self, values: &[String], change: &str) -> Vec<String> {
        if self.consume(value_changes::steps(change) * values.len()) {
            return self.unknown();
        }
        let mut texts: Vec<String> = values.iter().filter_map(|value| changed(value, change)).collect();
        self.complete &= texts.len() == values.len();
        texts.dedup();
        texts
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
        for (text, expected) in [
            ("$x/k", Some(&["a/k", "b/k"][..])),
            ("$HOME", Some(&["~", "/h"])),
            ("$x$z", None),
            ("${z:-a}", None),
            ("${unset:-a}", None),
            ("${x:-$(ls)}", None),
            ("${x/?/b}", None),
            ("$1", None),
        ] {
            let all = values.all_texts(text, &mut 100);
            assert_eq!(
                all,
                expected.map(|texts| texts.iter().map(|text| (*text).to_owned()).collect()),
                "{text}"
            );
        }
        values.set("sum", "a");
        values.append("sum", "/b");
        assert_eq!(values.texts("$sum", &mut 100), ["a", "a/b", "/b"]);
        for at in 0..300 {
            values.set("many", &at.to_string());
        }
        assert_eq!(values.texts("$many$many$many", &mut 10_000).len(), 1_024);
        assert_eq!(values.all_texts("$many$many$many", &mut 10_000), None);
        assert_eq!(values.all_texts("$many", &mut 50), None);
        let mut steps = 50;
        assert_eq!(values.texts("$many", &mut steps).len(), 49);
        assert_eq!(steps, 0);
    }
}
