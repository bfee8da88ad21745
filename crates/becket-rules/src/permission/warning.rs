//! Rules that parse but don't do what they seem to: what `check` names.

use super::compiled::COVERED_BY_ANOTHER;
use super::set::RuleList;
use crate::domain::DomainPattern;
use crate::matcher::Renames;
use crate::parameter::Parameter;
use crate::path::PathPattern;
use crate::rule::Rule;
use crate::suggest::suggest;
use crate::tools::{self, Primary};

/// A rule that does less than it seems to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleWarning {
    /// An allow rule whose glob is not behind `mcp__<server>__` (P1). It is skipped.
    #[error(
        "`{rule}` allows nothing: in an allow rule a `*` in the tool's name must stand behind `mcp__<server>__`"
    )]
    UnanchoredGlob {
        /// The rule.
        rule: String,
    },
    /// A deny or ask rule for a tool that is not known (P1). It counts, should there be such a tool.
    #[error("`{tool}` is no known tool{}", suggestion.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default())]
    UnknownTool {
        /// The name.
        tool: String,
        /// A known one that is near.
        suggestion: Option<&'static str>,
    },
    /// A path rule for a tool whose paths the rules of another cover (P7). It is never consulted.
    #[error("`{rule}` is never consulted: write `{instead}`, which covers `{tool}` too")]
    NeverConsulted {
        /// The rule.
        rule: String,
        /// Its tool.
        tool: String,
        /// The rule to write.
        instead: String,
    },
    /// A parameter rule for the field that the specifier itself is compared with (P10). It is ignored.
    #[error(
        "`{rule}` matches nothing: the specifier is compared with `{field}` already, so leave `{field}:` out"
    )]
    PrimaryField {
        /// The rule.
        rule: String,
        /// The field.
        field: &'static str,
    },
    /// A parameter rule in an allow list (P10). It is ignored.
    #[error("`{rule}` allows nothing: rules on one parameter count in deny and ask only")]
    ParameterInAllow {
        /// The rule.
        rule: String,
    },
    /// A specifier for `WebFetch` that names no host (P9).
    #[error("`{rule}` matches nothing: write `WebFetch(domain:host)`, without scheme, port and path")]
    NoDomain {
        /// The rule.
        rule: String,
    },
    /// A path pattern that is no glob: in git it would match nothing (P7).
    #[error(
        "`{rule}` holds a `[` or a `\\` without what it needs: put a `\\` in front of it to mean the letter"
    )]
    Malformed {
        /// The rule.
        rule: String,
    },
    /// A path pattern that starts with `!`, which stands alone and so takes nothing away.
    #[error("`{rule}` matches nothing: a pattern that starts with `!` has no list to take from")]
    Negated {
        /// The rule.
        rule: String,
    },
}

impl RuleWarning {
    /// What to name about a rule in this list.
    #[must_use]
    pub fn of(rule: &Rule, list: RuleList) -> Vec<Self> {
        let mut warnings = Vec::new();
        match list {
            RuleList::Allow if rule.name().is_unanchored_glob() => {
                warnings.push(Self::UnanchoredGlob { rule: rule.to_string() });
            }
            RuleList::Deny | RuleList::Ask => warnings.extend(unknown_tool(rule.tool())),
            RuleList::Allow => {}
        }
        warnings.extend(rule.specifier().and_then(|specifier| of_specifier(rule, specifier, list)));
        warnings
    }
}

fn unknown_tool(tool: &str) -> Option<RuleWarning> {
    let renames = Renames::tools();
    if tool.contains(['_', '*']) || tools::find(renames.current(tool)).is_some() {
        return None;
    }
    Some(RuleWarning::UnknownTool { tool: tool.to_owned(), suggestion: suggest(tool, tools::known()) })
}

fn of_specifier(rule: &Rule, specifier: &str, list: RuleList) -> Option<RuleWarning> {
    let renames = Renames::tools();
    let tool = renames.current(rule.tool());
    let primary = tools::find(tool).map_or(Primary::None, |tool| tool.primary);
    let parameter = Parameter::new(specifier);
    if let (Some(parameter), Some(field)) = (parameter, primary.field())
        && parameter.name == field
    {
        return Some(RuleWarning::PrimaryField { rule: rule.to_string(), field });
    }
    if let Some((_, other)) = COVERED_BY_ANOTHER.iter().find(|(name, _)| *name == tool) {
        let instead = format!("{other}({specifier})");
        return Some(RuleWarning::NeverConsulted { rule: rule.to_string(), tool: tool.to_owned(), instead });
    }
    match primary {
        Primary::Path(..) => of_pattern(rule, &PathPattern::new(specifier)),
        Primary::Domain(_) if parameter.is_none_or(|parameter| parameter.name == "domain") => {
            let possible = DomainPattern::new(specifier).is_some_and(|domain| domain.is_possible());
            (!possible).then(|| RuleWarning::NoDomain { rule: rule.to_string() })
        }
        Primary::None | Primary::Name(_) | Primary::Domain(_) => {
            let idle = list == RuleList::Allow && parameter.is_some();
            idle.then(|| RuleWarning::ParameterInAllow { rule: rule.to_string() })
        }
        Primary::Bash(_) | Primary::PowerShell(_) | Primary::Skill(_) => None,
    }
}

fn of_pattern(rule: &Rule, pattern: &PathPattern) -> Option<RuleWarning> {
    let rule = rule.to_string();
    if pattern.is_negated() {
        return Some(RuleWarning::Negated { rule });
    }
    pattern.is_malformed().then_some(RuleWarning::Malformed { rule })
}
