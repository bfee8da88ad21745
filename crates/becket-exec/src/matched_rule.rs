//! A rule that decides about a program.

use std::fmt;

use becket_base::text::one_line;

/// The maximum number of characters of a rule and of its place in a line.
const WIDEST: usize = 200;

/// A rule that matches a program. As a text it has no control characters: settings of any project may contain some.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct MatchedRule {
    /// The rule as it was written.
    pub text: String,
    /// The source of the rule, with file and line.
    pub origin: String,
}

impl fmt::Display for MatchedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rule `{}` of {}", one_line(&self.text, WIDEST), one_line(&self.origin, WIDEST))
    }
}
