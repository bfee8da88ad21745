//! Checks an answer against the question's form.

use super::user::ElicitationRequest;
use becket_mcp::elicitation::FieldError;
use becket_rules::{Alphabet, Matcher, Renames, Verdict};
use serde_json::{Map, Value};

/// Returns the content to send back, with the form's defaults for missing fields. An accepted visit has none.
///
/// # Errors
/// Errors with the fields that do not fit.
pub(super) fn fitting(
    wanted: &ElicitationRequest,
    mut content: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<FieldError>> {
    match wanted {
        ElicitationRequest::Visit(_) => Ok(Map::new()),
        ElicitationRequest::Form(form) => {
            form.fill_defaults(&mut content);
            form.validate(&content, &matches)
        }
    }
}

/// Returns whether a text matches a server's regular expression, in bounded time. The expression is put into a group,
/// so that it is never read as a list of names (M2).
fn matches(expression: &str, text: &str) -> Option<bool> {
    let grouped = format!("(?:{expression})");
    let matcher = Matcher::compile(Some(&grouped), Alphabet::Wide, &Renames::none()).ok()?;
    match matcher.judge(text) {
        Verdict::Match => Some(true),
        Verdict::NoMatch => Some(false),
        Verdict::Unknown => None,
    }
}

/// Returns the errors of the fields on one line.
pub(super) fn describe_errors(wrong: &[FieldError]) -> String {
    let wrong: Vec<String> = wrong.iter().map(FieldError::to_string).collect();
    wrong.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_searched_for_and_bounded() {
        // rule: X6
        assert_eq!(matches("abc", "xabcx"), Some(true));
        assert_eq!(matches("^a|b$", "ax"), Some(true));
        assert_eq!(matches("^[0-9]{3}$", "12"), Some(false));
        assert_eq!(matches("(", "12"), None);
    }
}
