//! Rules on one input field, and on names: `Tool(name:value)`, `Agent(name)`, `Skill(name *)` (protocol.md P10).

use serde_json::{Map, Value};

use crate::wildcard;

/// The `name:value` of a parameter rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    value: &'a str,
}

impl<'a> Parameter<'a> {
    /// Parses a specifier; `None` if it does not have this form.
    pub(crate) fn new(specifier: &'a str) -> Option<Self> {
        let (name, value) = specifier.split_once(':')?;
        let (name, value) = (name.trim(), value.trim());
        let named =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        (named && !value.is_empty()).then_some(Self { name, value })
    }

    /// Returns whether the field exists, is a string, a number or a boolean, and matches.
    pub(crate) fn matches(self, input: &Map<String, Value>) -> bool {
        match input.get(self.name) {
            Some(Value::String(text)) => wildcard::matches(self.value, text),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => {
                wildcard::matches(self.value, &value.to_string())
            }
            Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => false,
        }
    }
}

/// Returns whether the rule names this skill: by its name alone, or by its name and arguments. A trailing ` *` or `:*`
/// is a word boundary, as for commands.
pub(crate) fn skill_matches(specifier: &str, input: &Map<String, Value>, field: &str) -> bool {
    let text = |field: &str| input.get(field).and_then(Value::as_str).map(str::trim);
    let Some(name) = text(field).map(|name| name.trim_start_matches('/')) else { return false };
    let arguments = text("args").unwrap_or_default();
    let whole = format!("{name} {arguments}");
    let specifier = specifier.trim().trim_start_matches('/');
    let core = specifier.strip_suffix(":*").or_else(|| specifier.strip_suffix(" *"));
    let matches =
        |pattern: &str| wildcard::matches(pattern, name) || wildcard::matches(pattern, whole.trim_end());
    match core {
        Some(core) => matches(core) || wildcard::matches(&format!("{core} *"), &whole),
        None => matches(specifier),
    }
}
