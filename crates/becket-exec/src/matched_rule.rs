//! A rule that decides about a program.

use std::fmt;

/// A rule that matches a program.
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
        write!(f, "the rule `{}` of {}", self.text, self.origin)
    }
}
