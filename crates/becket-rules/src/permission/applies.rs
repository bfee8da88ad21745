//! Evaluation of a handler's `if` for a call (P6–P10, P12). A guard must not miss: what can't be determined runs the
//! handler.

use super::call::{Call, CommandLine, Scope};
use super::compiled::{CompiledRule, Specifier};
use super::uses::{self, Uses};
use crate::parameter::Parameter;
use crate::path::MatchMode;
use crate::rule::{Condition, Globs, Rule};
use crate::shell;
use crate::steps::OutOfSteps;
use crate::tools::Primary;
use becket_base::text::cut;

/// The result of a handler's `if`. Only [`Applies::NoMatch`] keeps the handler from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applies {
    /// The condition matches.
    Match {
        /// The part that matched.
        why: String,
    },
    /// The condition does not match.
    NoMatch {
        /// The reason.
        why: String,
    },
    /// The call does not determine the result: the handler runs.
    Unknown {
        /// The part that could not be decided.
        why: String,
    },
}

impl Applies {
    /// Returns whether the handler runs.
    #[must_use]
    pub fn runs(&self) -> bool {
        match self {
            Self::Match { .. } | Self::Unknown { .. } => true,
            Self::NoMatch { .. } => false,
        }
    }

    fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown { why: why.into() }
    }

    fn either(holds: bool, rule: &Rule, subject: &str) -> Self {
        if holds {
            Self::Match { why: format!("`{rule}` matches `{subject}`") }
        } else {
            Self::NoMatch { why: format!("`{rule}` does not match `{subject}`") }
        }
    }
}

impl Condition {
    /// Evaluates the condition for a call. A tool's name means that tool alone, and paths are matched broadly.
    #[must_use]
    pub fn applies(&self, call: &Call<'_>, scope: &Scope<'_>) -> Applies {
        let meant = |rule: &&Rule| rule.name().matches(call.tool(), Globs::Anywhere, call.renames());
        match self.alternatives().iter().find(meant) {
            Some(rule) => applies(CompiledRule::new(rule.clone()), call, scope),
            None => {
                Applies::NoMatch { why: format!("`{}` is not about `{}`", self.text().trim(), call.tool()) }
            }
        }
    }
}

fn applies(compiled: CompiledRule, call: &Call<'_>, scope: &Scope<'_>) -> Applies {
    let rule = &compiled.rule;
    let Some(specifier) = &compiled.specifier else {
        return Applies::Match { why: format!("`{rule}` is about every call of `{}`", call.tool()) };
    };
    let answer = compared(&compiled, specifier, call, scope);
    let parameter = Parameter::new(&specifier.text).is_some_and(|own| call.input().contains_key(own.name));
    match answer {
        Applies::NoMatch { .. } if parameter => {
            Applies::unknown(format!("`{rule}` is a rule on a parameter, which counts in deny and ask only"))
        }
        Applies::Match { .. } | Applies::NoMatch { .. } | Applies::Unknown { .. } => answer,
    }
}

fn compared(compiled: &CompiledRule, specifier: &Specifier, call: &Call<'_>, scope: &Scope<'_>) -> Applies {
    let rule = &compiled.rule;
    match (call.primary(), call.line()) {
        (Primary::Bash(_), Some(CommandLine::Bash(line))) => {
            of_shell(line.condition_within(&specifier.command, call.steps()), rule, line.text())
        }
        (Primary::PowerShell(_), Some(CommandLine::PowerShell(line))) => {
            match call.steps().take(line.weight()) {
                Ok(()) => of_shell(line.condition(&specifier.command), rule, "the line"),
                Err(OutOfSteps) => Applies::unknown("the line is too long to be compared with so many rules"),
            }
        }
        (Primary::Bash(field) | Primary::PowerShell(field), _) => {
            Applies::unknown(format!("the input has no `{field}`"))
        }
        (Primary::Path(..), _) => of_paths(compiled, call, scope),
        (primary @ (Primary::Domain(_) | Primary::Name(_) | Primary::Skill(_)), _) => {
            of_name(specifier, rule, call, primary)
        }
        (Primary::None, _) => Applies::unknown(format!("`{}` has no specifier in an `if`", call.tool())),
    }
}

fn of_shell(answer: shell::Applies, rule: &Rule, line: &str) -> Applies {
    match answer {
        shell::Applies::Match { command, via: Some(via) } => {
            Applies::Match { why: format!("`{rule}` matches `{command}`, run through `{via}`") }
        }
        shell::Applies::Match { command, via: None } => Applies::either(true, rule, &command),
        shell::Applies::NoMatch => Applies::either(false, rule, &cut(line, 80)),
        shell::Applies::Unknown { why } => Applies::Unknown { why: why.to_string() },
    }
}

fn of_paths(compiled: &CompiledRule, call: &Call<'_>, scope: &Scope<'_>) -> Applies {
    let uses = Uses::of(call, scope, uses::Globs::Directory);
    let negated = compiled.specifier.as_ref().is_some_and(|specifier| specifier.path.is_negated());
    if negated {
        return Applies::unknown(format!(
            "`{}` starts with `!`, which has no list to take from",
            compiled.rule
        ));
    }
    let placed = compiled.placed(scope, scope.anchor, MatchMode::If);
    if let Some(file) = uses.files.iter().find(|file| placed.matches(file)) {
        return Applies::either(true, &compiled.rule, &file.text);
    }
    match (&uses.unread, uses.files.first()) {
        (Some(unread), _) => Applies::unknown(format!("the path is not known: {unread}")),
        (None, Some(file)) => Applies::either(false, &compiled.rule, &file.text),
        (None, None) => Applies::unknown("the call names no path"),
    }
}

fn of_name(specifier: &Specifier, rule: &Rule, call: &Call<'_>, primary: Primary) -> Applies {
    let field = primary.field().unwrap_or_default();
    match specifier.names(call, MatchMode::If) {
        Some(true) => Applies::either(true, rule, call.text(field).unwrap_or_default()),
        Some(false) => Applies::either(false, rule, call.text(field).unwrap_or_default()),
        None => Applies::unknown(format!("`{rule}` can't be compared with `{field}` of the input")),
    }
}
