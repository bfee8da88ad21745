//! The fields of a definition, read by type: a field of the wrong type is a finding, and counts as missing.

use becket_engine::config::frontmatter::{self, Field};
use becket_engine::config::{Diagnostic, Severity};
use becket_model::Source;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The fields of a file, and the findings about them.
#[derive(Debug)]
pub(crate) struct Fields<'t> {
    text: &'t str,
    fields: Vec<Field>,
    file: Arc<Path>,
    source: Source,
    pub(crate) body: &'t str,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'t> Fields<'t> {
    /// Parses the text of a file.
    pub(crate) fn of(text: &'t str, file: &Path, source: &Source) -> Self {
        let frontmatter::Definition { fields, body, diagnostics } =
            frontmatter::definition(text, file, source);
        Self { text, fields, file: file.into(), source: source.clone(), body, diagnostics }
    }

    /// Returns whether a part of the file could not be read.
    pub(crate) fn is_broken(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Returns whether the field is present, with any value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.field(key).is_some()
    }

    /// Returns a text. A number or a boolean counts as the text in the file.
    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        match &self.field(key)?.value {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => self.wrong(key, "a text"),
        }
    }

    /// Returns a text that may look like a list, such as `[file] [mode]`, as it is written.
    pub(crate) fn written(&mut self, key: &str) -> Option<String> {
        let field = self.field(key)?;
        if let Value::Array(items) = &field.value {
            let written = self.text.get(field.span.clone()).map(str::trim).filter(|text| text.ends_with(']'));
            let rendered = || {
                let texts =
                    items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
                format!("[{}]", texts.collect::<Vec<_>>().join(", "))
            };
            return Some(written.map_or_else(rendered, str::to_owned));
        }
        self.text(key)
    }

    /// Returns a boolean.
    pub(crate) fn flag(&mut self, key: &str) -> Option<bool> {
        match &self.field(key)?.value {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if text == "true" => Some(true),
            Value::String(text) if text == "false" => Some(false),
            Value::Null | Value::String(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.wrong(key, "`true` or `false`")
            }
        }
    }

    /// Returns an integer above 0.
    pub(crate) fn number(&mut self, key: &str) -> Option<u32> {
        let number = self.field(key)?.value.as_u64().filter(|number| *number > 0);
        match number.and_then(|number| u32::try_from(number).ok()) {
            Some(number) => Some(number),
            None => self.wrong(key, "a whole number above 0"),
        }
    }

    /// Returns names: a list, or a text separated by commas or spaces; a text in parentheses is kept together.
    pub(crate) fn names(&mut self, key: &str) -> Option<Vec<String>> {
        match &self.field(key)?.value {
            Value::String(text) => Some(split(text)),
            Value::Array(items) => {
                let names: Option<Vec<String>> =
                    items.iter().map(|item| item.as_str().map(|name| name.trim().to_owned())).collect();
                match names {
                    Some(names) => Some(names.into_iter().filter(|name| !name.is_empty()).collect()),
                    None => self.wrong(key, "a list of names"),
                }
            }
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => self.wrong(key, "a list of names"),
        }
    }

    /// Returns names, and objects that are described under their names: a list of both, or an object of the latter. A
    /// name that is described twice is a finding, and the first description counts.
    pub(crate) fn names_and_described(&mut self, key: &str) -> (Vec<String>, Map<String, Value>) {
        let (mut names, mut described) = (Vec::new(), Map::new());
        let items = match self.field(key).map(|field| field.value.clone()) {
            Some(Value::Array(items)) => items,
            Some(object @ Value::Object(_)) => vec![object],
            Some(_) | None => return (self.names(key).unwrap_or_default(), described),
        };
        for item in items {
            match item {
                Value::String(name) => names.push(name.trim().to_owned()),
                Value::Object(all) => {
                    for (name, value) in all {
                        if described.contains_key(&name) {
                            let message =
                                format!("`{name}` is described twice in `{key}`: the first one counts");
                            self.warning(key, "duplicate-key", message);
                        } else {
                            described.insert(name, value);
                        }
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                    self.wrong::<()>(key, "a list of names and of objects of servers");
                }
            }
        }
        (names, described)
    }

    /// Returns path patterns: a list, or a text separated by commas; a text in braces is kept together.
    pub(crate) fn patterns(&mut self, key: &str) -> Option<Vec<String>> {
        let patterns = match &self.field(key)?.value {
            Value::String(text) => Some(split_patterns(text)),
            Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        let trimmed = |patterns: Vec<String>| {
            let patterns = patterns.into_iter().map(|pattern| pattern.trim().to_owned());
            patterns.filter(|pattern| !pattern.is_empty()).collect()
        };
        patterns.map(trimmed).or_else(|| self.wrong(key, "a list of patterns"))
    }

    /// Adds an error, which prevents loading the definition.
    pub(crate) fn error(&mut self, key: &str, code: &'static str, message: String) {
        self.add(Severity::Error, key, code, message);
    }

    /// Adds a warning about something that is loaded but looks wrong.
    pub(crate) fn warning(&mut self, key: &str, code: &'static str, message: String) {
        self.add(Severity::Warning, key, code, message);
    }

    fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key && !field.value.is_null())
    }

    fn wrong<T>(&mut self, key: &str, expected: &str) -> Option<T> {
        self.warning(key, "wrong-type", format!("`{key}` has to be {expected}, and is left out"));
        None
    }

    /// Adds a finding about a field, or about the whole file if it does not have the field.
    fn add(&mut self, severity: Severity, key: &str, code: &'static str, message: String) {
        let field = self.fields.iter().find(|field| field.key == key);
        let found = Diagnostic::new(severity, code, message, Arc::clone(&self.file), self.source.clone());
        let found = match field {
            Some(field) => found.at(field.line, field.column, field.span.clone()),
            None => found,
        };
        self.diagnostics.push(found.with_rule("C7"));
    }
}

/// Splits names at commas or spaces.
fn split(text: &str) -> Vec<String> {
    let (mut names, mut name, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            names.push(std::mem::take(&mut name));
        } else {
            name.push(c);
        }
    }
    names.push(name);
    names.retain(|name| !name.is_empty());
    names
}

/// Splits patterns at commas.
fn split_patterns(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Fields<'_> {
        Fields::of(text, Path::new("a.md"), &Source::User)
    }

    // rule: P3
    #[test]
    fn names_are_split_outside_of_parentheses() {
        let text = "Bash(git add:*, -A), Read  Edit,,Bash(npm (run) *)";
        assert_eq!(split(text), ["Bash(git add:*, -A)", "Read", "Edit", "Bash(npm (run) *)"]);
        assert!(split(" , ").is_empty());
    }

    // rule: C7
    #[test]
    fn what_has_the_wrong_type_is_a_finding_with_its_place() {
        let mut read = fields("---\nname: x\nmaxTurns: many\ntools:\n  a: 1\nbackground: yes\n---\nbody\n");
        assert_eq!(read.number("maxTurns"), None);
        assert_eq!(read.names("tools"), None);
        assert_eq!(read.flag("background"), None);
        let found: Vec<String> = read.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("a.md:3:11: warning: `maxTurns` has to be a whole number"), "{found:?}");
        assert_eq!(read.body, "body\n");
        assert!(!read.is_broken());
    }

    #[test]
    fn a_hint_is_what_stands_there() {
        for (text, hint) in [
            ("---\nargument-hint: [file] [mode]\n---\n", "[file] [mode]"),
            ("---\nargument-hint: [message]\n---\n", "[message]"),
            ("---\nargument-hint: <a> | <b>\n---\n", "<a> | <b>"),
        ] {
            assert_eq!(fields(text).written("argument-hint").as_deref(), Some(hint));
        }
    }
}
