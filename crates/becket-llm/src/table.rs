//! The table of models: their prices and sizes, by `provider::model`.
//!
//! The built-in one is a file of facts with a date, made by `cargo xtask prices`. A host may put entries of its own over
//! it, which replace those of the same name as a whole.

use crate::spec::ModelSpec;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The built-in table.
const BUILT_IN: &str = include_str!("../data/models.json");

/// The length of a date at the end of a model's name, as in `-20251001`.
const DATE: usize = 8;

/// Prices and sizes of models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelTable {
    source: String,
    date: String,
    models: BTreeMap<String, ModelSpec>,
}

/// An unusable table of models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ModelTableError {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// The fault.
    pub message: String,
}

impl ModelTable {
    /// Returns the built-in table.
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        static TABLE: OnceLock<Arc<ModelTable>> = OnceLock::new();
        // INVARIANT: the file is generated, and a test reads it. Without it everything would be unknown, not free.
        let read = || Arc::new(ModelTable::read(BUILT_IN, "data/models.json").unwrap_or_default());
        Arc::clone(TABLE.get_or_init(read))
    }

    /// Reads a table; `file` is its name in errors.
    ///
    /// # Errors
    /// See [`ModelTableError`]: a price has to have both `input` and `output`, and no number may be negative.
    pub fn read(text: &str, file: &str) -> Result<Self, ModelTableError> {
        let raw: RawTable = serde_json::from_str(text).map_err(|error| {
            let whole = error.to_string();
            let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
            ModelTableError {
                file: file.to_owned(),
                line: error.line(),
                column: error.column(),
                message: message.to_owned(),
            }
        })?;
        Ok(Self { source: raw.source, date: raw.date, models: raw.models })
    }

    /// Puts the entries of `other` over those of this table.
    #[must_use]
    pub fn overridden_by(&self, other: &Self) -> Self {
        let mut table = self.clone();
        table.models.extend(other.models.iter().map(|(name, spec)| (name.clone(), *spec)));
        table
    }

    /// Returns the facts about `provider::model`; those of the name without a date at its end, if only that is known.
    #[must_use]
    pub fn spec(&self, name: &str) -> ModelSpec {
        let found = self.models.get(name).or_else(|| self.models.get(undated(name)?));
        found.copied().unwrap_or_default()
    }

    /// Returns the origin of the facts.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the date of the facts, as `YYYY-MM-DD`.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.date
    }
}

/// Returns a model's name without the date at its end.
fn undated(name: &str) -> Option<&str> {
    let (rest, date) = name.rsplit_once('-')?;
    (date.len() == DATE && date.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTable {
    #[serde(default)]
    source: String,
    #[serde(default)]
    date: String,
    models: BTreeMap<String, ModelSpec>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anthropic::ALIASES;
    use crate::price::Rates;

    #[test]
    fn the_built_in_table_knows_the_models_behind_the_aliases() {
        let table = ModelTable::read(BUILT_IN, "data/models.json").unwrap();
        assert!(table.models.len() > 200 && !table.source().is_empty());
        assert_eq!(table.date().len(), "2026-11-28".len());
        for (_, model) in ALIASES {
            let spec = table.spec(&format!("anthropic::{model}"));
            assert!(spec.price.is_some() && spec.context_window >= Some(200_000), "{model}: {spec:?}");
        }
        let free = |rates: Rates| rates.input <= 0.0 || rates.output <= 0.0;
        let found = table.models.iter().find(|(_, spec)| spec.price.is_some_and(|price| free(price.rates)));
        assert_eq!(found, None, "a price that nobody knows is not 0");
        assert_eq!(*ModelTable::built_in(), table);
    }

    #[test]
    fn a_dated_name_is_that_model_and_an_unknown_one_is_unknown() {
        let table = ModelTable::built_in();
        let dated = table.spec("anthropic::claude-haiku-5-5-20991231");
        assert_eq!(dated, table.spec("anthropic::claude-haiku-5-5"));
        assert!(dated.price.is_some());
        for unknown in ["anthropic::claude-of-the-future", "claude-haiku-5-5", "ollama::llama", ""] {
            assert_eq!(table.spec(unknown), ModelSpec::default(), "{unknown}");
        }
    }

    #[test]
    fn an_entry_replaces_another_as_a_whole() {
        let read = |text: &str| ModelTable::read(text, "mine").unwrap();
        let base = read(
            r#"{"models": {"a::b": {"context_window": 5, "price": {"input": 1, "output": 2}}, "a::c": {}}}"#,
        );
        let over = base.overridden_by(&read(r#"{"models": {"a::b": {"price": null, "max_output": 7}}}"#));
        let expected = ModelSpec { max_output: Some(7), ..ModelSpec::default() };
        assert_eq!((over.spec("a::b"), over.models.len()), (expected, 2));
    }

    #[test]
    fn a_table_with_holes_is_an_error_that_names_its_place() {
        for (text, said) in [
            (r#"{"models": {"a::b": {"price": {"input": 1}}}}"#, "missing field `output`"),
            (r#"{"models": {"a::b": {"price": {"input": 1, "output": -1}}}}"#, "the price -1"),
            (r#"{"models": {"a::b": {"context_window": 0}}}"#, "a size of 0 tokens"),
            (r#"{"models": {"a::b": {"cost": 1}}}"#, "unknown field `cost`"),
            (r#"{"models": "#, "EOF"),
            ("", "EOF"),
        ] {
            let error = ModelTable::read(text, "mine").unwrap_err().to_string();
            assert!(error.starts_with("mine") && error.contains(said), "{text}: {error}");
        }
    }
}
