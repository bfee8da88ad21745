//! All permission rules of a session, and their decision about a call (P11).

use std::path::PathBuf;

use super::allow;
use super::call::{Call, CommandLine, Scope};
use super::compiled::CompiledRule;
use super::uses::{self, Uses};
use super::warning::RuleWarning;
use crate::rule::{Globs, Rule};
use crate::shell;
use crate::steps::{OutOfSteps, Steps};
use crate::tools::Access;

/// The list that contains a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleList {
    /// `permissions.deny`.
    Deny,
    /// `permissions.ask`.
    Ask,
    /// `permissions.allow`.
    Allow,
}

/// The origin of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOrigin {
    /// The name shown to users: a file, a plugin, the session. Rules are removed and replaced by it (P13).
    pub label: String,
    /// The directory that `/p` in the rule starts from (P7), absolute.
    pub anchor: PathBuf,
}

/// One rule of a [`RuleSet`].
#[derive(Debug, Clone)]
pub struct RuleEntry {
    list: RuleList,
    origin: RuleOrigin,
    compiled: CompiledRule,
}

/// The effect of the rules on a call. Exhaustive on purpose: a match has to handle each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Behavior {
    /// A deny rule matches.
    Deny,
    /// An ask rule matches, and no deny rule.
    Ask,
    /// Allow rules cover the whole call, and no rule restricts it.
    Allow,
    /// No rule decides: the mode does, and without one a person is asked (P11).
    Undecided,
}

/// The decision of the rules about one call, with its reason.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Decision<'r> {
    /// The decision.
    pub behavior: Behavior,
    /// The rule that decided; the first of them if several allow rules cover a command line together.
    pub rule: Option<&'r RuleEntry>,
    /// The reason, lowercase, without a final dot.
    pub why: String,
}

/// Permission rules of every source together. Order never counts: any deny beats any ask beats any allow.
///
/// ```
/// # use becket_rules::{Behavior, Call, NoLinks, RuleList, RuleOrigin, RuleSet, Scope};
/// # use std::path::Path;
/// let mut rules = RuleSet::default();
/// let origin = RuleOrigin { label: "user".to_owned(), anchor: "/home/ann/.claude".into() };
/// rules.add(RuleList::Allow, "Bash(git *)", origin.clone())?;
/// rules.add(RuleList::Deny, "Bash(git push *)", origin)?;
///
/// let anchor = Path::new("/work");
/// let scope = Scope { cwd: anchor, home: None, anchor, links: &NoLinks };
/// let input = serde_json::json!({"command": "git add . && sudo git push"});
/// let call = Call::new("Bash", input.as_object().unwrap());
/// assert_eq!(rules.decide(&call, &scope).behavior, Behavior::Deny);
/// # Ok::<(), becket_rules::RuleError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    deny: Vec<RuleEntry>,
    ask: Vec<RuleEntry>,
    allow: Vec<RuleEntry>,
}

impl RuleList {
    /// All lists, strictest first: the order in which they are consulted.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// Returns the key in a settings file.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

impl RuleEntry {
    /// Returns the list that contains it.
    #[must_use]
    pub fn list(&self) -> RuleList {
        self.list
    }

    /// Returns its origin.
    #[must_use]
    pub fn origin(&self) -> &RuleOrigin {
        &self.origin
    }

    /// Returns the rule itself.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.compiled.rule
    }

    pub(super) fn compiled(&self) -> &CompiledRule {
        &self.compiled
    }
}

impl RuleSet {
    /// Adds a rule and returns the warnings that `check` should print about it.
    ///
    /// # Errors
    /// Errors with [`RuleError`](crate::RuleError) if the text is not a rule; nothing is added then.
    pub fn add(
        &mut self,
        list: RuleList,
        text: &str,
        origin: RuleOrigin,
    ) -> Result<Vec<RuleWarning>, crate::RuleError> {
        Ok(self.add_rule(list, Rule::parse(text)?, origin))
    }

    /// Adds a parsed rule, and returns what `check` should report about it.
    pub fn add_rule(&mut self, list: RuleList, rule: Rule, origin: RuleOrigin) -> Vec<RuleWarning> {
        let warnings = RuleWarning::of(&rule, list);
        self.list_mut(list).push(RuleEntry { list, origin, compiled: CompiledRule::new(rule) });
        warnings
    }

    /// Returns the rules of one list, in the order they were added.
    #[must_use]
    pub fn list(&self, list: RuleList) -> &[RuleEntry] {
        match list {
            RuleList::Deny => &self.deny,
            RuleList::Ask => &self.ask,
            RuleList::Allow => &self.allow,
        }
    }

    /// Decides a call: deny first, then ask, then allow.
    #[must_use]
    pub fn decide(&self, call: &Call<'_>, scope: &Scope<'_>) -> Decision<'_> {
        self.decide_beside(call, scope, &|_| Vec::new())
    }

    /// Decides a call to a shell whose line may have commands that need no rule. `harmless` returns their indices in
    /// [`Line::commands`](shell::Line::commands), and is only called if rules cover a part of the line (P4, P14).
    ///
    /// ```
    /// # use becket_rules::{Behavior, Call, NoLinks, RuleList, RuleOrigin, RuleSet, Scope};
    /// # use std::path::Path;
    /// # let origin = RuleOrigin { label: "user".to_owned(), anchor: "/home/ann/.claude".into() };
    /// let mut rules = RuleSet::default();
    /// rules.add(RuleList::Allow, "Bash(npm test)", origin)?;
    /// # let anchor = Path::new("/work");
    /// # let scope = Scope { cwd: anchor, home: None, anchor, links: &NoLinks };
    ///
    /// let input = serde_json::json!({"command": "npm test && echo done"});
    /// let call = Call::new("Bash", input.as_object().unwrap());
    /// assert_eq!(rules.decide(&call, &scope).behavior, Behavior::Undecided);
    /// let decision = rules.decide_beside(&call, &scope, &|line| {
    ///     let commands = line.commands().iter().enumerate();
    ///     commands.filter(|(_, command)| command.text() == "echo done").map(|(index, _)| index).collect()
    /// });
    /// assert_eq!(decision.behavior, Behavior::Allow);
    /// assert_eq!(decision.why, "it covers `npm test`, and `echo done` only reads");
    /// # Ok::<(), becket_rules::RuleError>(())
    /// ```
    #[must_use]
    pub fn decide_beside(
        &self,
        call: &Call<'_>,
        scope: &Scope<'_>,
        harmless: &dyn Fn(&shell::Line) -> Vec<usize>,
    ) -> Decision<'_> {
        scope.remembering(|scope| self.decide_at(call, scope, harmless))
    }

    fn decide_at(
        &self,
        call: &Call<'_>,
        scope: &Scope<'_>,
        harmless: &dyn Fn(&shell::Line) -> Vec<usize>,
    ) -> Decision<'_> {
        let steps = Steps::default();
        let mut restricting = self.deny.iter().chain(&self.ask);
        let looks = !call.is_bash() || restricting.any(RuleEntry::is_about_files);
        let uses = if looks { Uses::of(call, scope, uses::Globs::Directory) } else { Uses::default() };
        let mut uncompared = None;
        for (entries, behavior) in [(&self.deny, Behavior::Deny), (&self.ask, Behavior::Ask)] {
            for entry in entries {
                match entry.restricts(call, &uses, scope, &steps) {
                    Ok(Some(why)) => return Decision { behavior, rule: Some(entry), why },
                    Ok(None) => {}
                    Err(OutOfSteps) => _ = uncompared.get_or_insert(entry),
                }
            }
        }
        // A rule that was not compared may match (P6).
        if let Some(entry) = uncompared {
            let why = "the call is too long, or names too many files, to be compared with it".to_owned();
            return Decision { behavior: Behavior::Ask, rule: Some(entry), why };
        }
        // The same holds for a rule about a line that was not read to its end, of which only the words are known (P4).
        if let Some(reason) = call.line().and_then(CommandLine::unread)
            && let Some(entry) = self.deny.iter().chain(&self.ask).find(|entry| entry.is_about_tool(call))
        {
            let why = format!("only the words of the line could be compared with it: {reason}");
            return Decision { behavior: Behavior::Ask, rule: Some(entry), why };
        }
        match allow::covering(&self.allow, call, &uses, &allow::Beside { scope, steps: &steps, harmless }) {
            Ok((entry, why)) => Decision { behavior: Behavior::Allow, rule: Some(entry), why },
            Err(why) => Decision { behavior: Behavior::Undecided, rule: None, why },
        }
    }

    /// Returns the deny rule that removes a tool from those offered to the model (P1), for each offered tool that has
    /// one.
    pub fn tools_denied<'t>(
        &'t self,
        offered: impl IntoIterator<Item = &'t str>,
        renames: &'t crate::Renames,
    ) -> impl Iterator<Item = (&'t str, &'t RuleEntry)> {
        offered.into_iter().filter_map(move |tool| {
            let whole = |entry: &&RuleEntry| {
                let compiled = entry.compiled();
                compiled.specifier.is_none() && compiled.rule.name().matches(tool, Globs::Anywhere, renames)
            };
            self.deny.iter().find(whole).map(|entry| (tool, entry))
        })
    }

    /// Returns the deny rule for a path that no tool call names: a `@file` in a prompt, or one result of a search (P7).
    #[must_use]
    pub fn path_denied(&self, access: Access, path: &str, scope: &Scope<'_>) -> Option<&RuleEntry> {
        let mut uses = Uses::default();
        uses.add(access, path, false, scope);
        let tool = match access {
            Access::Read => "Read",
            Access::Edit => "Edit",
        };
        let nothing = serde_json::Map::new();
        let call = Call::new(tool, &nothing);
        let steps = Steps::unbounded();
        self.deny.iter().find(|entry| !matches!(entry.restricts(&call, &uses, scope, &steps), Ok(None)))
    }

    /// Returns the allow rule for a path that is read or written, with no deny or ask rule about it; for modes that
    /// check the parts of a command line themselves (P14).
    #[must_use]
    pub fn path_allowed(&self, access: Access, path: &str, scope: &Scope<'_>) -> Option<&RuleEntry> {
        let mut uses = Uses::default();
        uses.add(access, path, false, scope);
        if self.path_denied(access, path, scope).is_some() {
            return None;
        }
        uses.files.first().and_then(|file| allow::file_rule(&self.allow, file, scope))
    }

    pub(crate) fn list_mut(&mut self, list: RuleList) -> &mut Vec<RuleEntry> {
        match list {
            RuleList::Deny => &mut self.deny,
            RuleList::Ask => &mut self.ask,
            RuleList::Allow => &mut self.allow,
        }
    }
}
