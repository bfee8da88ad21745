//! Warnings of `check` about rules that parse but don't do what they seem to.

use super::compiled::COVERED_BY_ANOTHER;
use super::set::RuleList;
use crate::domain::DomainPattern;
use crate::matcher::Renames;
use crate::parameter::Parameter;
use crate::path::PathPattern;
use crate::rule::Rule;
use crate::tools::{self, Primary};
use becket_base::suggest;

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
}

impl RuleWarning {
    /// Returns whether the tool differs from a known one only in the case of its letters, which matters.
    #[must_use]
    pub fn is_about_case(&self) -> bool {
        matches!(self, Self::UnknownTool { tool, suggestion: Some(known) } if known.eq_ignore_ascii_case(tool))
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
        Primary::Path(..) => of_pattern(rule, specifier),
        Primary::Domain(_)
            if parameter.is_none_or(|parameter| parameter.name == "domain" || is_url(specifier)) =>
        {
            let possible = DomainPattern::new(specifier).is_some_and(|domain| domain.is_possible());
            (!possible).then(|| RuleWarning::NoDomain { rule: rule.to_string() })
        }
        Primary::None | Primary::Name(_) | Primary::Domain(_) => {
            let idle = list == RuleList::Allow && parameter.is_some();
            idle.then(|| RuleWarning::ParameterInAllow { rule: rule.to_string() })
        }
        Primary::Bash(_) => of_command(rule, specifier),
        Primary::PowerShell(_) | Primary::Skill(_) => None,
    }
}

fn is_url(specifier: &str) -> bool {
    specifier.split_once(':').is_some_and(|(_, rest)| rest.trim_start().starts_with("//"))
}

/// Returns a warning for another kind of syntax: a regular expression, a quoted argument, two rules in one.
fn of_command(rule: &Rule, specifier: &str) -> Option<RuleWarning> {
    let text = specifier.trim();
    let expression = text.starts_with('^')
        || text.ends_with('$')
        || ["\\s", "\\b", "\\d", "(?:"].iter().any(|mark| text.contains(mark));
    let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.split_once(quote));
    let why = if expression {
        let plain = text.trim_start_matches('^').trim_end_matches('$').replace(".*", "*");
        format!("a rule is not a regular expression; `*` matches any text, as in `{}({plain})`", rule.tool())
    } else if let Some((inner, rest)) = quoted.filter(|(inner, _)| is_quoted_line(inner)) {
        format!("a quoted word is the name of one program; write `{}({inner}{rest})`", rule.tool())
    } else if let Some(words) = words_joined_by_colons(text) {
        format!(
            "words are separated by spaces, and `:` is a part of a word; write `{}({words})`",
            rule.tool()
        )
    } else if let Some(word) = keyword(text) {
        format!("`{word}` is a keyword of the shell, not a command; write a rule for each command inside it")
    } else if let Some(front) = open_quote(text) {
        format!(
            "the quote before the final `*` is not closed, so no command matches; write `{}({front} *)`",
            rule.tool()
        )
    } else if SQL.iter().any(|verb| text.starts_with(verb)) {
        format!(
            "SQL is an argument of a program, not a command; write a rule for the program, such as `{}(psql *)`",
            rule.tool()
        )
    } else if text.contains(")(") {
        "a rule has one pair of parentheses; write each rule as an entry of its own".to_owned()
    } else {
        return None;
    };
    Some(RuleWarning::NeverMatches { rule: rule.to_string(), why })
}

/// Returns whether the quotes of a first word contain a command with its arguments, and not the path of a program.
fn is_quoted_line(inner: &str) -> bool {
    inner.split_once(' ').is_some_and(|(program, _)| !program.contains(['/', '\\']))
}

/// Beginnings of SQL statements.
const SQL: [&str; 6] = ["DROP ", "DELETE FROM", "TRUNCATE ", "ALTER TABLE", "INSERT INTO", "CREATE TABLE"];

/// The beginning of a path in the examples of manuals.
const PLACEHOLDER: &str = "/path/to/";

/// Returns the shell keyword that a rule begins with. A rule for a complete loop or condition is not reported.
fn keyword(text: &str) -> Option<&str> {
    const INNER: [&str; 7] = ["do", "done", "then", "else", "elif", "fi", "esac"];
    const FIRST: [&str; 5] = ["for", "while", "until", "if", "case"];
    let word = text.split([' ', ':']).next()?;
    let is_open = || !text.contains([';', '\n']);
    (INNER.contains(&word) || FIRST.contains(&word) && is_open()).then_some(word)
}

/// Returns the words before a quote that is still open at the end of a rule: `python -c ":*`.
fn open_quote(text: &str) -> Option<&str> {
    let front = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"))?;
    let quote = front.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
    let words = front.strip_suffix(quote)?.strip_suffix(' ')?;
    (front.matches(quote).count() % 2 == 1).then(|| words.trim_end())
}

/// Fields of a shell call that a rule may name before a `:`.
const SHELL_CALL_FIELDS: [&str; 5] =
    ["command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox"];

/// Returns the words of a rule such as `rm:-rf:/` separated by spaces, if no program has a name like its first word.
fn words_joined_by_colons(text: &str) -> Option<String> {
    let (core, end) = text.strip_suffix(":*").map_or((text, ""), |core| (core, ":*"));
    let (first, rest) = core.split_once(' ').unwrap_or((core, ""));
    let (program, argument) = first.split_once(':')?;
    // One letter is a drive of Windows.
    let is_program = program.len() > 1
        && program.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_other = argument.is_empty() || argument.starts_with(['*', '\\']) || argument.starts_with("//");
    if !is_program || is_other || SHELL_CALL_FIELDS.contains(&program) {
        return None;
    }
    let words = [first.replace(':', " "), rest.to_owned()].join(" ");
    Some(format!("{}{end}", words.trim_end()))
}

/// Directories of the root that an absolute path starts with.
const OF_THE_ROOT: [&str; 26] = [
    "etc",
    "usr",
    "var",
    "home",
    "root",
    "tmp",
    "opt",
    "bin",
    "sbin",
    "lib",
    "lib64",
    "boot",
    "dev",
    "proc",
    "sys",
    "mnt",
    "media",
    "srv",
    "run",
    "Users",
    "Library",
    "System",
    "Applications",
    "Volumes",
    "private",
    "nix",
];

fn of_pattern(rule: &Rule, specifier: &str) -> Option<RuleWarning> {
    let pattern = &PathPattern::new(specifier);
    let path = specifier.trim();
    let first = path.strip_prefix('/').and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if OF_THE_ROOT.contains(&first) {
        let instead = format!("{}(/{path})", rule.tool());
        return Some(RuleWarning::StartsAtSettings {
            rule: rule.to_string(),
            path: path.to_owned(),
            instead,
        });
    }
    let rule = rule.to_string();
    if pattern.is_negated() {
        return Some(RuleWarning::Negated { rule });
    }
    pattern.is_malformed().then_some(RuleWarning::Malformed { rule })
}
