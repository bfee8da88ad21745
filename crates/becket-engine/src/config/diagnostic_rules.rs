//! The catalogue of findings: for each code of a [`Diagnostic`](super::Diagnostic) its title, its reason, and the way
//! to fix it.
//!
//! INVARIANT: every code that a diagnostic can have is listed once; a test compares the catalogue with the source.

mod agents;
mod commands;
mod loading;
mod matching;
mod outside;

/// One kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiagnosticRule {
    /// Its stable name, as in [`Diagnostic::code`](super::Diagnostic::code).
    pub code: &'static str,
    /// The problem in one sentence, without a final dot.
    pub title: &'static str,
    /// The consequence for the hooks of the file.
    pub reason: &'static str,
    /// The way to fix it.
    pub remedy: &'static str,
}

const fn rule(
    code: &'static str,
    title: &'static str,
    reason: &'static str,
    remedy: &'static str,
) -> DiagnosticRule {
    DiagnosticRule { code, title, reason, remedy }
}

/// Returns all kinds of findings, sorted by code.
pub fn diagnostic_rules() -> Vec<DiagnosticRule> {
    let groups = [loading::RULES, matching::RULES, commands::RULES, outside::RULES, agents::RULES];
    let mut rules = groups.concat();
    rules.sort_unstable_by_key(|rule| rule.code);
    rules
}

#[cfg(test)]
mod tests;
