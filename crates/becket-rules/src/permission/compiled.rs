//! A rule with its specifier parsed for every kind of call.

use std::path::Path;

use super::call::{Call, Scope};
use super::uses::FileUse;
use crate::domain::{self, DomainPattern};
use crate::parameter::{self, Parameter};
use crate::path::{MatchMode, PathPattern, PlacedPattern};
use crate::rule::{Globs, Rule};
use crate::shell::CommandPattern;
use crate::steps::{OutOfSteps, Steps};
use crate::tools::{Access, Primary};
use crate::wildcard;

/// Tools whose own path rules in `permissions` are never consulted (P7): `Read` and `Edit` rules cover them.
pub(crate) const COVERED_BY_ANOTHER: [(&str, &str); 4] =
    [("Write", "Edit"), ("NotebookEdit", "Edit"), ("MultiEdit", "Edit"), ("Glob", "Read")];

/// The subagent of a call that names none.
const DEFAULT_AGENT: &str = "general-purpose";

/// A compiled rule.
#[derive(Debug, Clone)]
pub(crate) struct CompiledRule {
    pub(crate) rule: Rule,
    pub(crate) specifier: Option<Specifier>,
}

/// The text between the parentheses.
#[derive(Debug, Clone)]
pub(crate) struct Specifier {
    pub(crate) text: String,
    pub(crate) command: CommandPattern,
    pub(crate) path: PathPattern,
    pub(crate) domain: Option<DomainPattern>,
}

impl CompiledRule {
    pub(crate) fn new(rule: Rule) -> Self {
        let specifier = rule.specifier().map(|text| Specifier {
            text: text.to_owned(),
            command: CommandPattern::new(text),
            path: PathPattern::new(text),
            domain: DomainPattern::new(text),
        });
        let everything =
            specifier.as_ref().and_then(|s| s.domain.as_ref()).is_some_and(DomainPattern::is_everything);
        Self { specifier: specifier.filter(|_| !(everything && rule.tool() == "WebFetch")), rule }
    }

    /// Returns whether a permission rule applies to the tool. Rules for Bash apply to `Monitor` too, which runs the
    /// same lines.
    pub(crate) fn matches(&self, call: &Call<'_>, globs: Globs) -> bool {
        let name = self.rule.name();
        name.matches(call.tool(), globs, call.renames())
            || (call.renames().current(call.tool()) == "Monitor"
                && name.matches("Bash", globs, call.renames()))
    }

    /// Returns whether a path rule for this tool covers this kind of access.
    pub(crate) fn covers(&self, access: Access) -> bool {
        match access {
            Access::Read => self.rule.tool() == "Read",
            Access::Edit => self.rule.tool() == "Edit",
        }
    }

    /// Returns the rule's pattern with its starting points.
    pub(crate) fn placed<'c>(
        &'c self,
        scope: &Scope<'_>,
        settings: &Path,
        reading: MatchMode,
    ) -> PlacedRule<'c> {
        let places = scope.places(settings);
        let pattern = self.specifier.as_ref().map(|specifier| specifier.path.at(&places, reading));
        PlacedRule { pattern, reading }
    }
}

/// A path rule, ready for files.
pub(crate) struct PlacedRule<'c> {
    /// `None` if the rule means every file.
    pattern: Option<PlacedPattern<'c>>,
    reading: MatchMode,
}

impl PlacedRule<'_> {
    /// Returns whether the rule matches the file: an allow must match every name of it, a rule that restricts any one
    /// (P8). For the latter, a file of an agent's worktree also counts as the file of the main tree: a copy does not
    /// evade a rule.
    pub(crate) fn matches(&self, file: &FileUse) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        match self.reading {
            MatchMode::Allow => file.paths.iter().all(|path| pattern.matches(path)),
            MatchMode::Restrict | MatchMode::If if file.globs => {
                file.paths.iter().any(|path| pattern.could_match(path))
            }
            MatchMode::Restrict | MatchMode::If => {
                file.paths.iter().chain(&file.originals).any(|path| pattern.matches(path))
            }
        }
    }

    /// Returns the first matching file, within the remaining steps.
    pub(crate) fn find<'f>(
        &self,
        files: impl Iterator<Item = &'f FileUse>,
        steps: &Steps,
    ) -> Result<Option<&'f FileUse>, OutOfSteps> {
        let cost = |file: &FileUse| file.paths.iter().map(|path| 2 * path.text().len() + 32).sum::<usize>();
        for file in files {
            steps.take(cost(file))?;
            if self.matches(file) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }
}

impl Specifier {
    /// Returns whether the rule names the host of a URL, a subagent or a skill; `None` if the call can't be compared.
    pub(crate) fn names(&self, call: &Call<'_>, reading: MatchMode) -> Option<bool> {
        match call.primary() {
            Primary::Domain(field) => {
                let host = call.text(field).and_then(domain::host)?;
                Some(self.domain.as_ref()?.covers(&host, reading))
            }
            Primary::Name(field) => {
                let name = if call.input().contains_key(field) { call.text(field)? } else { DEFAULT_AGENT };
                Some(wildcard::matches(self.text.trim(), name))
            }
            Primary::Skill(field) => {
                call.text(field)?;
                Some(parameter::skill_matches(&self.text, call.input(), field))
            }
            Primary::Bash(_) | Primary::PowerShell(_) | Primary::Path(..) | Primary::None => None,
        }
    }

    /// Returns whether the rule is a parameter rule that matches the call's input (P10).
    pub(crate) fn matches_parameter(&self, call: &Call<'_>) -> bool {
        Parameter::new(&self.text)
            .filter(|parameter| call.primary().field() != Some(parameter.name))
            .is_some_and(|parameter| parameter.matches(call.literal()))
    }
}
