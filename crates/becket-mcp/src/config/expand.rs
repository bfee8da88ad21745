//! Expansion of `${VAR}` and `${VAR:-default}`.
//!
//! A variable that is set, even to the empty string, is used; the default is for one that is not set. `$VAR`, `$(…)`
//! and an unclosed `${` stay unchanged: this is not a shell.
//!
//! A default that contains another `${` is rejected, since its end would be ambiguous. Names and uses are recorded,
//! never a value.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use super::error::ServerConfigError;
use super::place::Place;
use super::scope::OPTION;

/// The available variables, and the errors so far.
pub(super) struct Expander<'a> {
    variables: &'a [(OsString, OsString)],
    /// The variables of the scope, which take precedence over the others.
    own: &'a [(OsString, OsString)],
    /// The options of a plugin, for its own entries.
    options: Option<&'a [(String, String)]>,
    /// The names that are neither set nor given a default.
    missing: BTreeSet<String>,
    /// The first use that can't be parsed.
    unclear: Option<String>,
    /// True if a value that must be text was not valid Unicode.
    not_text: bool,
}

impl<'a> Expander<'a> {
    pub(super) fn new(
        variables: &'a [(OsString, OsString)],
        own: &'a [(OsString, OsString)],
        options: Option<&'a [(String, String)]>,
    ) -> Self {
        Self { variables, own, options, missing: BTreeSet::new(), unclear: None, not_text: false }
    }

    /// Expands a text. A variable that can't be expanded is left out, and recorded.
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

    /// Expands a value that has to be valid Unicode.
    pub(super) fn text(&mut self, text: &str) -> String {
        self.expand(text).into_string().unwrap_or_else(|_| {
            self.not_text = true;
            String::new()
        })
    }

    /// Errors if anything could not be expanded. `place` is the position of the entry.
    pub(super) fn finish(self, place: &Place) -> Result<(), ServerConfigError> {
        let place = place.clone();
        if let Some(text) = self.unclear {
            return Err(ServerConfigError::VariableUnclear { place, text });
        }
        if !self.missing.is_empty() {
            let names = self.missing.into_iter().collect();
            return Err(ServerConfigError::VariableMissing { place, names });
        }
        if self.not_text {
            return Err(ServerConfigError::VariableNotText { place });
        }
        Ok(())
    }

    fn value_of(&mut self, inner: &str) -> OsString {
        if let (Some(key), Some(options)) = (inner.strip_prefix(OPTION), self.options) {
            // An option without a value is empty.
            let value = options.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str());
            return value.unwrap_or_default().into();
        }
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        if !is_name(name) || inner.contains("${") {
            self.unclear.get_or_insert_with(|| shown(inner));
            return OsString::new();
        }
        match (self.variable(name), default) {
            (Some(value), _) => value.clone(),
            (None, Some(default)) => default.into(),
            (None, None) => {
                self.missing.insert(name.to_owned());
                OsString::new()
            }
        }
    }

    /// Returns the value of a variable. As in a process's environment, the last one of a name counts.
    fn variable(&self, name: &str) -> Option<&'a OsString> {
        let name = OsStr::new(name);
        let find = |variables: &'a [(OsString, OsString)]| {
            variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
        };
        find(self.own).or_else(|| find(self.variables))
    }
}

/// Splits a text at the next `${…}`: the text before it, its content, the text after it.
fn next_use(text: &str) -> Option<(&str, &str, &str)> {
    let (before, opened) = text.split_once("${")?;
    let (inner, after) = opened.split_once('}')?;
    Some((before, inner, after))
}

/// Returns the part in the braces that can be a name: a default may be secret.
fn shown(inner: &str) -> String {
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    match end {
        Some(end) => format!("${{{}…}}", &inner[..end]),
        None => format!("${{{inner}}}"),
    }
}

fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn place() -> Place {
        Place { file: Path::new("f").into(), line: 1, column: 1 }
    }

    // rule: X1
    #[test]
    fn uses_are_filled_and_the_rest_stays() {
        let variables: Vec<(OsString, OsString)> =
            [("A", "old"), ("A", "1"), ("EMPTY", ""), ("OWN", "theirs")]
                .map(|(n, v)| (n.into(), v.into()))
                .into();
        let own = [("OWN".into(), "ours".into())];
        for (text, expected) in [
            ("${A}", "1"),
            ("x${A}y${A}z", "x1y1z"),
            ("${A:-2}", "1"),
            ("${B:-2}", "2"),
            ("${B:-}", ""),
            ("${B:-a:-b}", "a:-b"),
            ("${EMPTY:-2}", ""),
            ("${OWN}", "ours"),
            ("$A $(A) ${A", "$A $(A) ${A"),
            ("é${A}é", "é1é"),
        ] {
            let mut expander = Expander::new(&variables, &own, None);
            assert_eq!(expander.expand(text), OsStr::new(expected), "{text}");
            assert_eq!(expander.finish(&place()), Ok(()), "{text}");
        }
    }

    // rule: X1
    #[test]
    fn what_is_missing_or_unclear_is_named() {
        let mut expander = Expander::new(&[], &[], None);
        expander.expand("${B}${A}${B}");
        let names = vec!["A".to_owned(), "B".to_owned()];
        let missing = ServerConfigError::VariableMissing { place: place(), names };
        assert_eq!(expander.finish(&place()), Err(missing));
        for (text, unclear) in
            [("${}", "${}"), ("${A b}", "${A…}"), ("${A:-${B}}", "${A…}"), ("${1}", "${1}")]
        {
            let mut expander = Expander::new(&[], &[], None);
            expander.expand(text);
            let text = unclear.to_owned();
            assert_eq!(
                expander.finish(&place()),
                Err(ServerConfigError::VariableUnclear { place: place(), text })
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_fine_for_a_process_and_for_nothing_else() {
        use std::os::unix::ffi::OsStringExt;
        let value = OsString::from_vec(vec![b'a', 0xff]);
        let variables = [("A".into(), value.clone())];
        let mut expander = Expander::new(&variables, &[], None);
        assert_eq!(expander.expand("${A}"), value);
        assert_eq!(expander.text("${A}"), "");
        assert_eq!(expander.finish(&place()), Err(ServerConfigError::VariableNotText { place: place() }));
    }
}
