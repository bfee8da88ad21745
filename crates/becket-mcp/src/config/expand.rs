//! `${VAR}` and `${VAR:-default}` in what a user wrote.
//!
//! A variable that is set, be it to nothing, is taken; the default is for one that is not set. `$VAR`, `$(…)` and a
//! `${` that nothing closes stay as they are: nothing here is a shell.
//!
//! It refuses a default that holds another `${`, since its end could be read in two ways.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

/// The variables that may be used, and what was wrong with the uses so far.
pub(super) struct Expander<'a> {
    variables: &'a [(OsString, OsString)],
    /// Names that are neither set nor given a default.
    pub(super) missing: BTreeSet<String>,
    /// Uses that can't be read.
    pub(super) unclear: Vec<String>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(variables: &'a [(OsString, OsString)]) -> Self {
        Self { variables, missing: BTreeSet::new(), unclear: Vec::new() }
    }

    /// The text with its variables filled in. One that can't be is left out, and noted.
    pub(super) fn expand(&mut self, text: &str) -> OsString {
        let mut expanded = OsString::new();
        let mut rest = text;
        while let Some((before, inner, after)) = next_use(rest) {
            expanded.push(before);
            expanded.push(self.value_of(inner));
            rest = after;
        }
        expanded.push(rest);
        expanded
    }

    fn value_of(&mut self, inner: &str) -> OsString {
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        if !is_name(name) || inner.contains("${") {
            self.unclear.push(format!("${{{inner}}}"));
            return OsString::new();
        }
        // As in a process's environment, the last one of a name counts.
        let set = self.variables.iter().rev().find(|(known, _)| known == OsStr::new(name));
        match (set, default) {
            (Some((_, value)), _) => value.clone(),
            (None, Some(default)) => default.into(),
            (None, None) => {
                self.missing.insert(name.to_owned());
                OsString::new()
            }
        }
    }
}

/// Text before the next `${…}`, what is in it, text after it.
fn next_use(text: &str) -> Option<(&str, &str, &str)> {
    let (before, opened) = text.split_once("${")?;
    let (inner, after) = opened.split_once('}')?;
    Some((before, inner, after))
}

fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_filled_and_the_rest_stays() {
        let variables: Vec<(OsString, OsString)> =
            [("A", "old"), ("A", "1"), ("EMPTY", "")].map(|(n, v)| (n.into(), v.into())).into();
        for (text, expected) in [
            ("${A}", "1"),
            ("x${A}y${A}z", "x1y1z"),
            ("${A:-2}", "1"),
            ("${B:-2}", "2"),
            ("${B:-}", ""),
            ("${B:-a:-b}", "a:-b"),
            ("${EMPTY:-2}", ""),
            ("$A $(A) ${A", "$A $(A) ${A"),
            ("é${A}é", "é1é"),
        ] {
            let mut expander = Expander::new(&variables);
            assert_eq!(expander.expand(text), OsStr::new(expected), "{text}");
            assert!(expander.missing.is_empty() && expander.unclear.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_missing_or_unclear_is_named() {
        let mut expander = Expander::new(&[]);
        expander.expand("${B}${A}${B} ${} ${A b} ${A:-${B}}");
        assert_eq!(expander.missing.iter().map(String::as_str).collect::<Vec<_>>(), ["A", "B"]);
        assert_eq!(expander.unclear, ["${}", "${A b}", "${A:-${B}"]);
    }
}
