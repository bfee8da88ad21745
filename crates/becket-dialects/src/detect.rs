//! The dialect of a payload, by its fields and the variables of the process.

use crate::{ALL, Dialect, Sign};
use serde_json::Value;

/// The reason why a payload belongs to no dialect, or to several.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DetectError {
    /// No dialect has its fields.
    #[error("the input is that of no agent in the tables; name the agent with `--dialect`")]
    Unknown,
    /// Several dialects have its fields.
    #[error("the input may be that of {}; name the agent with `--dialect`", .titles.join(" or "))]
    Ambiguous {
        /// The names of the products.
        titles: Vec<&'static str>,
    },
}

/// Finds the dialect whose signs a payload has. A sign in the payload counts for more than a variable, which an outer
/// agent may have set.
///
/// # Errors
/// Errors with [`DetectError`] if there is not exactly one.
pub fn detect(payload: &Value, is_set: impl Fn(&str) -> bool) -> Result<&'static Dialect, DetectError> {
    let matching = |with_variables: bool| {
        let fits = |sign: &Sign| match sign {
            Sign::Variable(name) => with_variables && is_set(name),
            Sign::Has(_) | Sign::Lacks(_) | Sign::Is(..) | Sign::Event(_) => is_in(sign, payload),
        };
        let dialects = ALL.iter().copied();
        dialects
            .filter(|dialect| dialect.signs.iter().any(|signs| signs.iter().all(fits)))
            .collect::<Vec<_>>()
    };
    let mut found = matching(false);
    if found.is_empty() {
        found = matching(true);
    }
    match found[..] {
        [only] => Ok(only),
        [] => Err(DetectError::Unknown),
        _ => Err(DetectError::Ambiguous { titles: found.iter().map(|dialect| dialect.title).collect() }),
    }
}

fn is_in(sign: &Sign, payload: &Value) -> bool {
    let event = || payload.get("hook_event_name").or_else(|| payload.get("hookName")).and_then(Value::as_str);
    match sign {
        Sign::Has(field) => payload.get(*field).is_some(),
        Sign::Lacks(field) => payload.get(*field).is_none(),
        Sign::Is(field, text) => payload.get(*field).and_then(Value::as_str) == Some(text),
        Sign::Event(names) => event().is_some_and(|event| names.contains(&event)),
        Sign::Variable(_) => false,
    }
}
