//! `--severity CODE=LEVEL` of `check`.

use becket_base::suggest;
use becket_engine::config::{Severity, diagnostic_rules};

/// The severity with which the findings of one rule are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeverityOverride {
    pub(crate) code: &'static str,
    /// The severity, or `None` if the findings are not reported.
    pub(crate) severity: Option<Severity>,
}

/// The accepted levels.
const LEVELS: [&str; 4] = ["off", "note", "warning", "error"];

/// Parses `CODE=LEVEL`.
///
/// # Errors
/// Errors if there is no rule or level of that name.
pub(super) fn parse(text: &str) -> Result<SeverityOverride, String> {
    let (code, level) = text
        .split_once('=')
        .ok_or_else(|| "write it as CODE=LEVEL, such as `unknown-field=off`".to_owned())?;
    let severity = match level {
        "off" => None,
        "note" => Some(Severity::Note),
        "warning" => Some(Severity::Warning),
        "error" => Some(Severity::Error),
        _ => {
            let near = suggest(level, &LEVELS).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_default();
            return Err(format!("`{level}` is not a level: use `off`, `note`, `warning` or `error`{near}"));
        }
    };
    Ok(SeverityOverride { code: known_code(code)?, severity })
}

/// Returns the code of a rule.
///
/// # Errors
/// Errors if there is no such rule; the message suggests the nearest one.
pub(crate) fn known_code(code: &str) -> Result<&'static str, String> {
    let codes: Vec<&'static str> = diagnostic_rules().iter().map(|rule| rule.code).collect();
    codes.iter().find(|known| **known == code).copied().ok_or_else(|| {
        let near = suggest(code, &codes).map(|near| format!(": did you mean `{near}`?"));
        format!(
            "there is no rule `{code}`{}",
            near.unwrap_or_else(|| "; `becket rule` lists them".to_owned())
        )
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_override_names_a_rule_and_a_level() {
        assert!(parse("unknown-field=off").is_ok_and(|parsed| parsed.severity.is_none()));
        for (text, part) in [
            ("unknown-field", "CODE=LEVEL"),
            ("unknown-feild=off", "did you mean `unknown-field`?"),
            ("unknown-field=fatal", "`fatal` is not a level"),
        ] {
            assert!(parse(text).is_err_and(|error| error.contains(part)), "{text}");
        }
    }
}
