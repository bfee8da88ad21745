//! Tables of a case file: values by key, with the place of each for errors.

use super::CaseFileError;
use crate::case::CaseOrigin;
use serde_json::{Map, Value};
use std::path::Path;
use toml_edit::{Item, TableLike};

/// The text of a case file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceText<'a> {
    pub(crate) file: &'a Path,
    pub(crate) text: &'a str,
}

impl SourceText<'_> {
    /// Returns the place of a byte.
    pub(crate) fn origin(&self, at: usize) -> CaseOrigin {
        let before = self.text.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        CaseOrigin {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            index: None,
        }
    }

    pub(crate) fn error(&self, at: usize, what: impl Into<String>) -> CaseFileError {
        CaseFileError { origin: self.origin(at), what: what.into() }
    }
}

/// One table.
pub(crate) struct Fields<'a> {
    pub(crate) source: SourceText<'a>,
    table: &'a dyn TableLike,
    /// The place of the table itself.
    pub(crate) at: usize,
    /// The name of the table in errors.
    what: &'static str,
}

type Read<T> = Result<T, CaseFileError>;

impl<'a> Fields<'a> {
    pub(crate) fn new(
        source: SourceText<'a>,
        table: &'a dyn TableLike,
        at: usize,
        what: &'static str,
    ) -> Self {
        Fields { source, table, at, what }
    }

    /// Errors if there is a key that is not one of `known`.
    pub(crate) fn only(&self, known: &[&str]) -> Read<()> {
        for (key, _) in self.table.iter() {
            if known.contains(&key) {
                continue;
            }
            let hint = match becket_base::suggest(key, known) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => format!("; its keys are {}", known.join(", ")),
            };
            return Err(self.error(key, format!("`{key}` is not a key of {}{hint}", self.what)));
        }
        Ok(())
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Returns the keys, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.table.iter().map(|(key, _)| key)
    }

    /// Returns the place of a key, or of the table if it has none.
    pub(crate) fn place(&self, key: &str) -> usize {
        let found = self.table.get_key_value(key).and_then(|(key, _)| key.span());
        found.map_or(self.at, |span| span.start)
    }

    pub(crate) fn error(&self, key: &str, what: impl Into<String>) -> CaseFileError {
        self.source.error(self.place(key), what)
    }

    fn wrong(&self, key: &str, wanted: &str) -> CaseFileError {
        let kind = self.table.get(key).map_or("missing", Item::type_name);
        self.error(key, format!("`{key}` must be {wanted}, but is {kind}"))
    }

    fn read<T>(&self, key: &str, wanted: &str, read: impl Fn(&'a Item) -> Option<T>) -> Read<Option<T>> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => read(item).map(Some).ok_or_else(|| self.wrong(key, wanted)),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Read<Option<String>> {
        self.read(key, "a string", |item| item.as_str().map(str::to_owned))
    }

    pub(crate) fn required(&self, key: &str) -> Read<String> {
        let missing = || self.source.error(self.at, format!("{} needs `{key}`", self.what));
        self.text(key)?.ok_or_else(missing)
    }

    pub(crate) fn integer(&self, key: &str) -> Read<Option<i64>> {
        self.read(key, "an integer", Item::as_integer)
    }

    pub(crate) fn boolean(&self, key: &str) -> Read<Option<bool>> {
        self.read(key, "true or false", Item::as_bool)
    }

    pub(crate) fn object(&self, key: &str) -> Read<Option<Map<String, Value>>> {
        self.read(key, "a table", |item| Some(object(item.as_table_like()?)))
    }

    pub(crate) fn table(&self, key: &str, what: &'static str) -> Read<Option<Fields<'a>>> {
        let at = self.place(key);
        self.read(key, "a table", |item| Some(Fields::new(self.source, item.as_table_like()?, at, what)))
    }

    /// Returns a text, or a list of texts.
    pub(crate) fn texts(&self, key: &str) -> Read<Vec<String>> {
        let found = self.read(key, "a string or a list of strings", |item| match item.as_str() {
            Some(text) => Some(vec![text.to_owned()]),
            None => item.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect(),
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the tables of a list, in either notation.
    pub(crate) fn tables(&self, key: &'static str) -> Read<Vec<Fields<'a>>> {
        let place = self.place(key);
        let fields = |table: &'a dyn TableLike, at: Option<usize>| {
            Fields::new(self.source, table, at.unwrap_or(place), named(key))
        };
        let found = self.read(key, "a list of tables", |item| match item.as_array_of_tables() {
            Some(tables) => {
                Some(tables.iter().map(|table| fields(table, table.span().map(|span| span.start))).collect())
            }
            None => {
                let inline = item.as_array()?.iter();
                let tables = inline.map(|value| {
                    let table = value.as_inline_table()?;
                    Some(fields(table, table.span().map(|span| span.start)))
                });
                tables.collect()
            }
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the value of a key as JSON.
    pub(crate) fn json(&self, key: &str) -> Option<Value> {
        self.table.get(key).map(json)
    }
}

/// Returns the name of an entry of a list in errors.
fn named(key: &'static str) -> &'static str {
    match key {
        "case" => "a case",
        "step" => "a step",
        "reply" => "a reply",
        _ => "an equivalent mutant",
    }
}

fn object(table: &dyn TableLike) -> Map<String, Value> {
    table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect()
}

fn json(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_of(value),
        Item::Table(table) => Value::Object(object(table)),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| Value::Object(object(table))).collect(),
    }
}

fn json_of(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::Bool(*truth.value()),
        toml_edit::Value::Datetime(moment) => Value::String(moment.value().to_string()),
        toml_edit::Value::Array(values) => values.iter().map(json_of).collect(),
        toml_edit::Value::InlineTable(table) => Value::Object(object(table)),
    }
}
