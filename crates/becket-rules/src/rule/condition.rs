//! A handler's `if` (P12): one rule, or bare tool names as alternatives.

use super::{Rule, RuleError, name};

/// A parsed `if`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Condition {
    text: String,
    alternatives: Vec<Rule>,
}

impl Condition {
    /// Parses an `if`; returns `None` if it is empty, which is not a condition. Bare tool names joined by `|` are
    /// alternatives.
    ///
    /// ```
    /// use becket_rules::Condition;
    /// assert!(Condition::parse("")?.is_none());
    /// assert_eq!(Condition::parse("Write|Edit")?.map(|c| c.alternatives().len()), Some(2));
    /// let joined = Condition::parse("Bash(git push *) || Bash(rm *)").unwrap_err();
    /// assert_eq!(joined.rules().unwrap_or_default(), ["Bash(git push *)", "Bash(rm *)"]);
    /// # Ok::<(), becket_rules::RuleError>(())
    /// ```
    ///
    /// # Errors
    /// Errors with [`RuleError`] for anything else that is not one rule; [`RuleError::rules`] lists joined rules. The
    /// handler then never runs, and its file grants nothing (C7b).
    pub fn parse(text: &str) -> Result<Option<Self>, RuleError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let names: Vec<&str> = text.split('|').map(str::trim).collect();
        let bare = names.iter().all(|name| !name.is_empty() && name.chars().all(name::is_letter));
        let alternatives = if bare {
            names.into_iter().map(|name| Rule::new(name, None)).collect()
        } else {
            vec![Rule::parse(text)?]
        };
        Ok(Some(Self { text: text.to_owned(), alternatives }))
    }

    /// Returns the text as written; two handlers are the same only if it is (H1).
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the rules, of which one has to match: one, or one for each bare name.
    #[must_use]
    pub fn alternatives(&self) -> &[Rule] {
        &self.alternatives
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, rule) in self.alternatives.iter().enumerate() {
            let separator = if index == 0 { "" } else { "|" };
            write!(f, "{separator}{rule}")?;
        }
        Ok(())
    }
}
