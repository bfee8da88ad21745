//! Decisions about a program that is really executed: its argument list is compared instead of the text of a line
//! (protocol.md E1).
//!
//! Only deny and ask rules for Bash count. An allow rule covers a whole line, and rules on files apply to its text.

use super::set::{Behavior, Decision, RuleEntry, RuleSet};
use crate::Call;
use crate::rule::Globs;

impl RuleEntry {
    /// Returns the name of the program that the rule is about, if its text determines it: `git` for
    /// `Bash(git push *)`, nothing for `Bash(git*)` and `Bash`.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        let command = &self.compiled().specifier.as_ref()?.command;
        let head = command.head();
        let (word, complete) = match head.split_once(' ') {
            Some((word, _)) => (word, true),
            None => (head, !command.is_prefix() || command.ends_at_word()),
        };
        let name = word.rsplit('/').next().unwrap_or(word);
        Some(name).filter(|name| complete && !name.is_empty())
    }

    /// Returns whether the rule applies to commands of the Bash tool.
    fn is_about_programs(&self) -> bool {
        let nothing = serde_json::Map::new();
        self.compiled().matches(&Call::new("Bash", &nothing), Globs::Anywhere)
    }

    fn matches_any(&self, forms: &[String]) -> Option<String> {
        match &self.compiled().specifier {
            None => Some("the rule is about every command".to_owned()),
            Some(specifier) => {
                let form = forms.iter().find(|form| specifier.command.matches(form))?;
                Some(format!("it runs `{form}`"))
            }
        }
    }
}

impl RuleSet {
    /// Decides about a program that is executed. `forms` are the readings of its argument list, each a name and
    /// arguments joined by blanks; a rule matches if it matches one of them.
    ///
    /// ```
    /// # use becket_rules::{Behavior, RuleList, RuleOrigin, RuleSet};
    /// let mut rules = RuleSet::default();
    /// let origin = RuleOrigin { label: "user".to_owned(), anchor: "/home/ann/.claude".into() };
    /// rules.add(RuleList::Deny, "Bash(git push *)", origin)?;
    ///
    /// let forms = ["/usr/bin/git push origin", "git push origin"].map(str::to_owned);
    /// assert_eq!(rules.decide_executed(&forms).behavior, Behavior::Deny);
    /// # Ok::<(), becket_rules::RuleError>(())
    /// ```
    #[must_use]
    pub fn decide_executed(&self, forms: &[String]) -> Decision<'_> {
        for entry in self.for_programs() {
            if let Some(why) = entry.matches_any(forms) {
                let behavior = match entry.list() {
                    super::RuleList::Deny => Behavior::Deny,
                    super::RuleList::Ask | super::RuleList::Allow => Behavior::Ask,
                };
                return Decision { behavior, rule: Some(entry), why };
            }
        }
        Decision { behavior: Behavior::Undecided, rule: None, why: "no rule is about it".to_owned() }
    }

    /// Returns the rules that [`RuleSet::decide_executed`] compares: deny rules for Bash, then ask rules.
    pub fn for_programs(&self) -> impl Iterator<Item = &RuleEntry> {
        let lists = [super::RuleList::Deny, super::RuleList::Ask];
        lists.into_iter().flat_map(|list| self.list(list)).filter(|entry| entry.is_about_programs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RuleList, RuleOrigin};

    fn rules(list: RuleList, texts: &[&str]) -> RuleSet {
        let mut set = RuleSet::default();
        for text in texts {
            let origin = RuleOrigin { label: "user".to_owned(), anchor: "/".into() };
            set.add(list, text, origin).unwrap();
        }
        set
    }

    // rule: E1
    #[test]
    fn a_rule_names_its_program_if_its_first_word_is_whole() {
        let program = |text: &str| {
            let set = rules(RuleList::Deny, &[text]);
            set.for_programs().next().and_then(RuleEntry::program).map(str::to_owned)
        };
        for (text, name) in [
            ("Bash(git push *)", Some("git")),
            ("Bash(git:*)", Some("git")),
            ("Bash(git)", Some("git")),
            ("Bash(git * --force)", Some("git")),
            ("Bash(/usr/bin/git push)", Some("git")),
            ("Bash(git*)", None),
            ("Bash(*git push)", None),
            ("Bash", None),
            ("Read(git)", None),
        ] {
            assert_eq!(program(text).as_deref(), name, "{text}");
        }
    }

    // rule: E1
    #[test]
    fn arguments_are_compared_as_rules_for_bash_are() {
        let deny = rules(RuleList::Deny, &["Bash(git push *)", "Bash(rm -rf /)", "Edit(git push *)"]);
        let behavior = |form: &str| deny.decide_executed(&[form.to_owned()]).behavior;
        for form in ["git push", "git push origin main", "git  push\tx", "rm -rf /"] {
            assert_eq!(behavior(form), Behavior::Deny, "{form}");
        }
        for form in ["git pushes", "git stash push", "echo git push", "rm -rf /tmp", "git"] {
            assert_eq!(behavior(form), Behavior::Undecided, "{form}");
        }
    }

    // rule: E1
    #[test]
    fn a_deny_beats_an_ask_and_a_rule_for_all_of_bash_is_about_every_program() {
        let mut set = rules(RuleList::Ask, &["Bash(git *)"]);
        assert_eq!(set.decide_executed(&["git push".to_owned()]).behavior, Behavior::Ask);
        let origin = RuleOrigin { label: "user".to_owned(), anchor: "/".into() };
        set.add(RuleList::Deny, "Bash", origin).unwrap();
        assert_eq!(set.decide_executed(&["ls".to_owned()]).behavior, Behavior::Deny);
        assert_eq!(set.decide_executed(&["git push".to_owned()]).behavior, Behavior::Deny);
    }
}
