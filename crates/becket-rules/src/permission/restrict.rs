//! Deny and ask rules: matching one part of a call is enough.

use super::call::{Call, CommandLine, Scope};
use super::compiled::{COVERED_BY_ANOTHER, CompiledRule};
use super::set::{RuleEntry, RuleList};
use super::uses::Uses;
use crate::path::MatchMode;
use crate::rule::Globs;
use crate::shell::{CommandPattern, Hit};
use crate::steps::{OutOfSteps, Steps};
use crate::tools::{Access, Primary};

impl RuleEntry {
    /// Returns why this deny or ask rule matches, if it does.
    ///
    /// # Errors
    /// Errors with [`OutOfSteps`] if the rule was not compared with all of the call.
    pub(super) fn restricts(
        &self,
        call: &Call<'_>,
        uses: &Uses,
        scope: &Scope<'_>,
        steps: &Steps,
    ) -> Result<Option<String>, OutOfSteps> {
        let compiled = self.compiled();
        if compiled.matches(call, Globs::Anywhere)
            && let Some(why) = self.means_call(call, uses, scope, steps)?
        {
            return Ok(Some(why));
        }
        if !self.is_about_files() {
            return Ok(None);
        }
        let placed = compiled.placed(scope, &self.origin().anchor, MatchMode::Restrict);
        let covered = uses.files.iter().filter(|file| self.covers(compiled, file.access));
        match placed.find(covered, steps)? {
            Some(file) => Ok(Some(match file.access {
                Access::Read => format!("it reads `{}`", file.text),
                Access::Edit => format!("it writes `{}`", file.text),
            })),
            None if uses.cut => Err(OutOfSteps),
            None => Ok(None),
        }
    }

    /// Returns whether the rule covers files that any tool uses.
    pub(super) fn is_about_files(&self) -> bool {
        let compiled = self.compiled();
        compiled.covers(Access::Read) || compiled.covers(Access::Edit)
    }

    /// Returns whether the rule applies to calls of the tool.
    pub(super) fn is_about_tool(&self, call: &Call<'_>) -> bool {
        self.compiled().matches(call, Globs::Anywhere)
    }

    /// Returns whether the rule covers the access. A deny of reading denies writing as well: a writer could move the
    /// file to a readable place.
    fn covers(&self, compiled: &CompiledRule, access: Access) -> bool {
        compiled.covers(access)
            || (self.list() == RuleList::Deny && access == Access::Edit && compiled.covers(Access::Read))
    }

    fn means_call(
        &self,
        call: &Call<'_>,
        uses: &Uses,
        scope: &Scope<'_>,
        steps: &Steps,
    ) -> Result<Option<String>, OutOfSteps> {
        let compiled = self.compiled();
        let Some(specifier) = &compiled.specifier else {
            return Ok(Some(format!("the rule is about every call of `{}`", call.tool())));
        };
        if specifier.matches_parameter(call) {
            return Ok(Some(format!("the input has `{}`", specifier.text.trim())));
        }
        Ok(match (call.primary(), call.line()) {
            (Primary::Bash(_) | Primary::PowerShell(_), Some(line)) => {
                would_run(line, &specifier.command, steps)?
            }
            (Primary::Path(..), _) => {
                let consulted = COVERED_BY_ANOTHER.iter().all(|(tool, _)| *tool != compiled.rule.tool());
                let placed = compiled.placed(scope, &self.origin().anchor, MatchMode::Restrict);
                let file = placed.find(uses.files.iter().filter(|_| consulted), steps)?;
                file.map(|file| format!("it uses `{}`", file.text))
            }
            (Primary::Domain(field), _) if specifier.domain.is_some() => {
                match specifier.names(call, MatchMode::Restrict) {
                    Some(named) => named.then(|| format!("the input names `{}`", specifier.text.trim())),
                    // A host that can't be read may be any host.
                    None => call.text(field).map(|url| format!("the host of `{url}` can't be read")),
                }
            }
            (Primary::Domain(_) | Primary::Name(_) | Primary::Skill(_), _) => {
                let named = specifier.names(call, MatchMode::Restrict) == Some(true);
                named.then(|| format!("the input names `{}`", specifier.text.trim()))
            }
            (Primary::Bash(_) | Primary::PowerShell(_), None) | (Primary::None, _) => None,
        })
    }
}

fn would_run(
    line: &CommandLine,
    pattern: &CommandPattern,
    steps: &Steps,
) -> Result<Option<String>, OutOfSteps> {
    let hit = match line {
        CommandLine::Bash(line) => line.hit_within(pattern, steps)?,
        CommandLine::PowerShell(line) => {
            steps.take(line.weight())?;
            line.hit(pattern)
        }
    };
    Ok(hit.map(|Hit { command, via }| match via {
        Some(via) => format!("`{command}` would run, through `{via}`"),
        None => format!("`{command}` would run"),
    }))
}
