//! The rules of `check`, as `becket rule` shows them.

use becket_engine::config::DiagnosticRule;
use schemars::JsonSchema;
use serde::Serialize;

/// One kind of finding.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RuleView {
    /// Its stable name in kebab-case.
    pub code: &'static str,
    /// The problem.
    pub title: &'static str,
    /// The consequence for the hooks.
    pub reason: &'static str,
    /// The way to fix it.
    pub remedy: &'static str,
}

impl From<&DiagnosticRule> for RuleView {
    fn from(rule: &DiagnosticRule) -> Self {
        RuleView { code: rule.code, title: rule.title, reason: rule.reason, remedy: rule.remedy }
    }
}
