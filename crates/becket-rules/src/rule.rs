//! One permission rule as text: `Tool` or `Tool(specifier)` (protocol.md P1), and a handler's `if` (P12).
//!
//! The grammar is the same everywhere. A text that can't be parsed completely is an error: a rule that is half
//! understood would deny less, or allow more, than its author meant.
//!
//! INVARIANT: the text that [`Rule`] displays parses to an equal rule.

mod condition;
mod error;
mod joined;
mod name;

use std::fmt;

pub use condition::Condition;
pub use error::{RuleError, RuleErrorKind};
pub(crate) use name::{Globs, ToolName};

/// A parsed rule.
///
/// ```
/// use becket_rules::Rule;
/// let rule = Rule::parse("Bash(git push *)")?;
/// assert_eq!((rule.tool(), rule.specifier()), ("Bash", Some("git push *")));
/// assert_eq!(Rule::parse("Bash(*)")?, Rule::parse("Bash")?);
/// # Ok::<(), becket_rules::RuleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rule {
    name: ToolName,
    specifier: Option<String>,
}

impl Rule {
    /// Parses one rule. Blanks around it don't count; `Tool(*)` and `Tool()` are `Tool`. The specifier is the text
    /// between the first `(` and the last `)`, unchanged.
    ///
    /// # Errors
    /// Errors with [`RuleError`], which has the position of the fault; several rules joined by `|`, `||`, `&&` or `,`
    /// are an error too, which lists them separately.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let start = text.len() - text.trim_start().len();
        let trimmed = text.trim();
        let name_length = trimmed.find(|c| !name::is_letter(c)).unwrap_or(trimmed.len());
        let (name, rest) = trimmed.split_at(name_length);
        let fault = |at: usize, kind| Err(RuleError::new(text, start + at, kind));
        if trimmed.is_empty() {
            return fault(0, RuleErrorKind::Empty);
        }
        if let Some(joined) = joined::split(trimmed) {
            let (separator, rules) = (joined.separator, joined.rules);
            return fault(joined.at, RuleErrorKind::Joined { separator, rules });
        }
        let Some(found) = rest.chars().next() else { return Ok(Self::new(name, None)) };
        if name.is_empty() || found != '(' {
            return fault(name_length, RuleErrorKind::BadName { found });
        }
        let Some(inside) = rest.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) else {
            return match trimmed.rfind(')') {
                Some(close) => {
                    fault(close + 1, RuleErrorKind::Trailing { rest: trimmed[close + 1..].to_owned() })
                }
                None => fault(name_length, RuleErrorKind::Unclosed),
            };
        };
        Ok(Self::new(name, Some(inside)))
    }

    /// Creates a rule from a tool's name and its specifier, both unchanged (P13).
    ///
    /// # Errors
    /// Errors with [`RuleError`] if the name is not valid, or if the two, written as one text, would read as something
    /// else.
    pub fn from_parts(tool: &str, specifier: Option<&str>) -> Result<Self, RuleError> {
        let rule = Self::new(tool, specifier);
        let text = rule.to_string();
        match Self::parse(&text)? {
            read if read == rule => Ok(rule),
            _ => Err(RuleError::new(&text, 0, RuleErrorKind::BadName { found: '(' })),
        }
    }

    fn new(name: &str, specifier: Option<&str>) -> Self {
        let specifier = specifier.filter(|text| !matches!(text.trim(), "" | "*")).map(str::to_owned);
        Self { name: ToolName::new(name), specifier }
    }

    /// Returns the tool's name as written: a name, an MCP server (`mcp__server`), or a glob.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.name.text()
    }

    /// Returns the text between the parentheses; `None` if the rule means every call of the tool.
    #[must_use]
    pub fn specifier(&self) -> Option<&str> {
        self.specifier.as_deref()
    }

    pub(crate) fn name(&self) -> &ToolName {
        &self.name
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.specifier {
            Some(specifier) => write!(f, "{}({specifier})", self.tool()),
            None => f.write_str(self.tool()),
        }
    }
}

impl std::str::FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        Self::parse(text)
    }
}
