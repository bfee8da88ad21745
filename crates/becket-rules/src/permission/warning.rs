//! Warnings of `check` about rules that parse but don't do what they seem to.

mod alternatives;
mod command;
mod path;

use super::compiled::COVERED_BY_ANOTHER;
use super::set::RuleList;
use crate::domain::DomainPattern;
use crate::matcher::Renames;
use crate::parameter::Parameter;
use crate::rule::Rule;
use crate::tools::{self, Primary};
use becket_base::suggest;
use command::CommandText;

/// A rule that does less than it seems to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleWarning {
    /// An allow rule whose glob is not after `mcp__<server>__` (P1). It is skipped.
    #[error(
        "`{rule}` allows nothing: in an allow rule a `*` in the tool's name must stand behind `mcp__<server>__`"
    )]
    UnanchoredGlob {
        /// The rule.
        rule: String,
    },
    /// An allow rule for the tool of an MCP server, with a character that no such tool's name has (X5).
    #[error("`{rule}` allows nothing: no tool has this name; write `{instead}`")]
    NoToolName {
        /// The rule.
        rule: String,
        /// The rule to write instead.
        instead: String,
    },
    /// A deny or ask rule for a tool that is not known (P1). It counts if there is such a tool.
    #[error("`{tool}` is not a known tool{}", suggestion.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default())]
    UnknownTool {
        /// The name.
        tool: String,
        /// The nearest known one.
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
    /// A specifier for `WebFetch` without a host (P9).
    #[error("`{rule}` matches nothing: write `WebFetch(domain:host)`, without scheme, port and path")]
    NoDomain {
        /// The rule.
        rule: String,
    },
    /// A specifier for Bash that no command can match (P3).
    #[error("`{rule}` matches no command: {why}")]
    NeverMatches {
        /// The rule.
        rule: String,
        /// The fault, and the correct form.
        why: String,
    },
    /// A deny or ask rule for Bash that matches only a command with the same unusual spelling (P3).
    #[error("`{rule}` does not match the commands that it is for: {why}")]
    Misses {
        /// The rule.
        rule: String,
        /// The fault, and the correct form.
        why: String,
    },
    /// A path rule that is not a pattern of gitignore (P7).
    #[error("`{rule}` matches no file: {why}")]
    NoFile {
        /// The rule.
        rule: String,
        /// The fault, and the correct form.
        why: String,
    },
    /// A specifier, other than a parameter, for a tool that has none (P10).
    #[error(
        "`{rule}` matches nothing: only rules on one field are for `{tool}`, as in `{tool}(field:value)`"
    )]
    NoSpecifier {
        /// The rule.
        rule: String,
        /// Its tool.
        tool: String,
    },
    /// A name that is meant for the tool of an MCP server, and lacks the second `_` (P2).
    #[error("no tool is called `{tool}`: the name of a tool of an MCP server is `mcp__SERVER__TOOL`")]
    NoMcpName {
        /// The name.
        tool: String,
    },
    /// A rule with the placeholder path of an example.
    #[error("`{rule}` contains the placeholder `/path/to/`: write the actual path")]
    Placeholder {
        /// The rule.
        rule: String,
    },
    /// A path that looks absolute and starts at the directory of the settings file (P7).
    #[error(
        "`{rule}` starts at the directory of its settings file: write `{instead}` if you mean `{path}` of the file system"
    )]
    StartsAtSettings {
        /// The rule.
        rule: String,
        /// The path as it looks.
        path: String,
        /// The rule to write for that path.
        instead: String,
    },
    /// A path pattern that is not a valid glob: in git it would match nothing (P7).
    #[error(
        "`{rule}` holds a `[` or a `\\` without what it needs: put a `\\` in front of it to mean the letter"
    )]
    Malformed {
        /// The rule.
        rule: String,
    },
    /// A path pattern that starts with `!`. A rule stands alone, so it has nothing to exclude from.
    #[error("`{rule}` matches nothing: a pattern that starts with `!` has no list to take from")]
    Negated {
        /// The rule.
        rule: String,
    },
}

impl RuleWarning {
    /// Returns the warnings about a rule in this list.
    #[must_use]
    pub fn of(rule: &Rule, list: RuleList) -> Vec<Self> {
        let mut warnings = Vec::new();
        if is_short_of_an_underscore(rule.tool()) {
            warnings.push(Self::NoMcpName { tool: rule.tool().to_owned() });
        }
        match list {
            RuleList::Allow if rule.name().is_unanchored_glob() => {
                warnings.push(Self::UnanchoredGlob { rule: rule.to_string() });
            }
            RuleList::Deny | RuleList::Ask => warnings.extend(unknown_tool(rule.tool())),
            RuleList::Allow => {
                if let Some(name) = rule.name().folded() {
                    let text = rule.to_string();
                    let specifier = text.find('(').and_then(|at| text.get(at..)).unwrap_or_default();
                    let instead = format!("{name}{specifier}");
                    warnings.push(Self::NoToolName { rule: text, instead });
                }
                let wrong_case = |warning: &Self| warning.is_about_case();
                warnings.extend(unknown_tool(rule.tool()).filter(wrong_case));
            }
        }
        warnings.extend(rule.specifier().and_then(|specifier| of_specifier(rule, specifier, list)));
        warnings
    }

    /// Returns the warning about a handler's `if` that no call can match, so that the handler never runs (P12).
    #[must_use]
    pub fn of_condition(rule: &Rule) -> Option<Self> {
        let Some(tool) = tools::find(Renames::tools().current(rule.tool())) else {
            // A host may have tools of its own, but none with nearly the same name.
            let is_near = |warning: &Self| matches!(warning, Self::UnknownTool { suggestion: Some(_), .. });
            return unknown_tool(rule.tool()).filter(is_near);
        };
        let specifier = rule.specifier()?;
        if specifier.contains(PLACEHOLDER) {
            return Some(Self::Placeholder { rule: rule.to_string() });
        }
        match tool.primary {
            Primary::Bash(_) => of_command(rule, specifier, RuleList::Ask),
            Primary::Path(..) => {
                path::warning(rule, specifier).filter(|warning| matches!(warning, Self::NoFile { .. }))
            }
            Primary::PowerShell(_)
            | Primary::Domain(_)
            | Primary::Name(_)
            | Primary::Skill(_)
            | Primary::None => None,
        }
    }
}

impl RuleWarning {
    /// Returns whether the tool differs from a known one only in the case of its letters, which matters.
    #[must_use]
    pub fn is_about_case(&self) -> bool {
        matches!(self, Self::UnknownTool { tool, suggestion: Some(known) } if known.eq_ignore_ascii_case(tool))
    }
}

fn is_short_of_an_underscore(tool: &str) -> bool {
    tool.strip_prefix("mcp_").is_some_and(|rest| !rest.starts_with('_'))
}

fn unknown_tool(tool: &str) -> Option<RuleWarning> {
    let renames = Renames::tools();
    if tool.contains(['_', '*']) || tools::find(renames.current(tool)).is_some() {
        return None;
    }
    Some(RuleWarning::UnknownTool { tool: tool.to_owned(), suggestion: suggest(tool, tools::known()) })
}

fn of_specifier(rule: &Rule, specifier: &str, list: RuleList) -> Option<RuleWarning> {
    if specifier.contains(PLACEHOLDER) {
        return Some(RuleWarning::Placeholder { rule: rule.to_string() });
    }
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
        Primary::Path(..) => path::warning(rule, specifier),
        Primary::Domain(_)
            if parameter.is_none_or(|parameter| parameter.name == "domain" || is_url(specifier)) =>
        {
            let possible = DomainPattern::new(specifier).is_some_and(|domain| domain.is_possible());
            (!possible).then(|| RuleWarning::NoDomain { rule: rule.to_string() })
        }
        Primary::None if parameter.is_none() && has_no_specifier(tool) => {
            Some(RuleWarning::NoSpecifier { rule: rule.to_string(), tool: rule.tool().to_owned() })
        }
        Primary::None | Primary::Name(_) | Primary::Domain(_) => {
            let idle = list == RuleList::Allow && parameter.is_some();
            idle.then(|| RuleWarning::ParameterInAllow { rule: rule.to_string() })
        }
        Primary::Bash(_) => of_command(rule, specifier, list),
        Primary::PowerShell(_) | Primary::Skill(_) => None,
    }
}

/// Returns whether the input of the tool is known to have no field that a specifier is compared with.
fn has_no_specifier(tool: &str) -> bool {
    tool.starts_with("mcp__") || tools::find(tool).is_some()
}

fn is_url(specifier: &str) -> bool {
    specifier.split_once(':').is_some_and(|(_, rest)| rest.trim_start().starts_with("//"))
}

fn of_command(rule: &Rule, specifier: &str, list: RuleList) -> Option<RuleWarning> {
    let text = CommandText::new(rule, specifier);
    let never = |why| RuleWarning::NeverMatches { rule: rule.to_string(), why };
    let misses = |why| RuleWarning::Misses { rule: rule.to_string(), why };
    let narrow = || text.narrow_fault().filter(|_| list != RuleList::Allow);
    text.fault().map(never).or_else(|| narrow().map(misses))
}

/// The beginning of a path in the examples of manuals.
const PLACEHOLDER: &str = "/path/to/";
