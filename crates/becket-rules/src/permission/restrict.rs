//! Deny and ask rules: one part of a call is enough.

use super::call::{Call, CommandLine, Scope};
use super::compiled::{COVERED_BY_ANOTHER, Compiled};
use super::set::{RuleEntry, RuleList};
use super::uses::Uses;
use crate::path::Reading;
use crate::rule::Globs;
use crate::shell::{CommandPattern, Hit};
use crate::tools::{Access, Primary};

impl RuleEntry {
    /// Why this deny or ask rule matches, if it does.
    pub(super) fn restricts(&self, call: &Call<'_>, uses: &Uses, scope: &Scope<'_>) -> Option<String> {
        let compiled = self.compiled();
        if compiled.means(call, Globs::Anywhere)
            && let Some(why) = self.means_call(compiled, call, uses, scope)
        {
            return Some(why);
        }
        let file = uses.files.iter().find(|file| {
            self.covers(compiled, file.access)
                && compiled.means_file(file, scope, &self.origin().anchor, Reading::Restrict)
        })?;
        Some(match file.access {
            Access::Read => format!("it reads `{}`", file.text),
            Access::Edit => format!("it writes `{}`", file.text),
        })
    }

    /// A deny of reading denies writing as well: who may write a file can move it to where it is read.
    fn covers(&self, compiled: &Compiled, access: Access) -> bool {
        compiled.covers(access)
            || (self.list() == RuleList::Deny && access == Access::Edit && compiled.covers(Access::Read))
    }

    fn means_call(
        &self,
        compiled: &Compiled,
        call: &Call<'_>,
        uses: &Uses,
        scope: &Scope<'_>,
    ) -> Option<String> {
        let Some(specifier) = &compiled.specifier else {
            return Some(format!("the rule is about every call of `{}`", call.tool()));
        };
        if specifier.matches_parameter(call) {
            return Some(format!("the input has `{}`", specifier.text.trim()));
        }
        match (call.primary(), call.line()) {
            (Primary::Bash(_) | Primary::PowerShell(_), Some(line)) => would_run(line, &specifier.command),
            (Primary::Path(..), _) => {
                let consulted = COVERED_BY_ANOTHER.iter().all(|(tool, _)| *tool != compiled.rule.tool());
                let file = uses.files.iter().find(|file| {
                    consulted && compiled.means_file(file, scope, &self.origin().anchor, Reading::Restrict)
                })?;
                Some(format!("it uses `{}`", file.text))
            }
            (Primary::Domain(field), _) if specifier.domain.is_some() => match specifier.names(call) {
                Some(named) => named.then(|| format!("the input names `{}`", specifier.text.trim())),
                // A host that can't be read may be any.
                None => call.text(field).map(|url| format!("the host of `{url}` can't be read")),
            },
            (Primary::Domain(_) | Primary::Name(_) | Primary::Skill(_), _) => {
                let named = specifier.names(call) == Some(true);
                named.then(|| format!("the input names `{}`", specifier.text.trim()))
            }
            (Primary::Bash(_) | Primary::PowerShell(_), None) | (Primary::None, _) => None,
        }
    }
}

fn would_run(line: &CommandLine, pattern: &CommandPattern) -> Option<String> {
    let hit = match line {
        CommandLine::Bash(line) => line.hit(pattern),
        CommandLine::PowerShell(line) => line.hit(pattern),
    };
    hit.map(|Hit { command, via }| match via {
        Some(via) => format!("`{command}` would run, through `{via}`"),
        None => format!("`{command}` would run"),
    })
}
