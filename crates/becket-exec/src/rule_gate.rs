//! The decision about one executed program, from the readings of its arguments. Pure.

use std::collections::HashSet;

use becket_rules::{Behavior, RuleEntry, RuleSet};

use crate::matched_rule::MatchedRule;

/// Rules and conditions that programs are compared with.
#[derive(Debug, Default)]
pub(crate) struct RuleGate {
    pub(crate) rules: RuleSet,
    /// Conditions of hooks, as ask rules.
    pub(crate) conditions: RuleSet,
    /// Commands that were already decided as text.
    pub(crate) decided: HashSet<String>,
}

/// The decision about an executed program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// The program runs. `named` is true if a rule names the program, with other arguments.
    Run { named: bool },
    /// The program does not run.
    Deny(MatchedRule),
    /// The program waits for an approval.
    Hold(HoldReason),
}

/// The reason why a program waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HoldReason {
    /// The reading that matches.
    pub(crate) command: String,
    pub(crate) rule: Option<MatchedRule>,
    pub(crate) is_for_hooks: bool,
}

impl Ruling {
    /// Returns the stricter of two decisions, or the first of equal ones.
    pub(crate) fn stricter(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Deny(_), _) => self,
            (_, Self::Deny(_)) => other,
            (Self::Hold(_), _) => self,
            (_, Self::Hold(_)) => other,
            (Self::Run { named }, Self::Run { named: other }) => Self::Run { named: *named || *other },
        }
    }
}

/// The readings of a program: each a name and arguments, joined by blanks.
pub(crate) struct Readings {
    /// The argument list as it was written.
    pub(crate) written: String,
    /// The same with only the last component of its name.
    pub(crate) short: String,
    pub(crate) all: Vec<String>,
}

impl RuleGate {
    pub(crate) fn new(rules: RuleSet) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Returns the names of the programs in rules and conditions.
    pub(crate) fn program_names(&self) -> impl Iterator<Item = &str> {
        let entries = self.rules.for_programs().chain(self.conditions.for_programs());
        entries.filter_map(RuleEntry::program)
    }

    /// Decides about a program.
    pub(crate) fn decide(&self, readings: &Readings) -> Ruling {
        let found = self.rules.decide_executed(&readings.all);
        if let (Behavior::Deny, Some(rule)) = (found.behavior, found.rule) {
            return Ruling::Deny(matched(rule));
        }
        let ask_match = self.held(&self.rules, readings);
        let hook_match = self.held(&self.conditions, readings);
        let command = ask_match.as_ref().or(hook_match.as_ref()).map(|(command, _)| (*command).to_owned());
        match command {
            Some(command) => Ruling::Hold(HoldReason {
                command,
                rule: ask_match.map(|(_, rule)| rule),
                is_for_hooks: hook_match.is_some(),
            }),
            None => Ruling::Run { named: self.names(readings) },
        }
    }

    /// Returns the first reading that an ask rule matches and that was not decided as text.
    fn held<'r>(&self, rules: &RuleSet, readings: &'r Readings) -> Option<(&'r str, MatchedRule)> {
        readings.all.iter().filter(|reading| !self.is_decided(readings, reading)).find_map(|reading| {
            let found = rules.decide_executed(std::slice::from_ref(reading));
            found.rule.map(|rule| (reading.as_str(), matched(rule)))
        })
    }

    /// Returns whether the text has shown this reading. A name that only the identity of the file reveals was not
    /// shown.
    fn is_decided(&self, readings: &Readings, reading: &str) -> bool {
        let is_short = reading == readings.short && self.decided.contains(&readings.written);
        is_short || self.decided.contains(reading)
    }

    fn names(&self, readings: &Readings) -> bool {
        let heads = || readings.all.iter().filter_map(|reading| reading.split(' ').next());
        self.program_names().any(|name| heads().any(|head| head == name))
    }
}

fn matched(entry: &RuleEntry) -> MatchedRule {
    MatchedRule { text: entry.rule().to_string(), origin: entry.origin().label.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_rules::{RuleList, RuleOrigin};

    fn set(list: RuleList, text: &str) -> RuleSet {
        let mut rules = RuleSet::default();
        let origin = RuleOrigin { label: "user".to_owned(), anchor: "/".into() };
        rules.add(list, text, origin).unwrap();
        rules
    }

    fn readings(written: &str, others: &[&str]) -> Readings {
        let short = written.rsplit_once('/').map_or(written, |(_, short)| short).to_owned();
        let all = [written, &short].into_iter().chain(others.iter().copied()).map(str::to_owned).collect();
        Readings { written: written.to_owned(), short, all }
    }

    // rule: E4
    #[test]
    fn what_a_text_has_shown_is_not_held_again_but_denied_again() {
        let mut gate = RuleGate::new(set(RuleList::Ask, "Bash(git push *)"));
        gate.conditions = set(RuleList::Ask, "Bash(git *)");
        gate.decided = ["git push a", "/bin/git push b", "./x push c"].map(str::to_owned).into();
        let is_held = |readings: &Readings| matches!(gate.decide(readings), Ruling::Hold(_));
        assert!(!is_held(&readings("git push a", &[])));
        assert!(!is_held(&readings("/bin/git push b", &[])));
        // The text has shown a file with another name.
        assert!(is_held(&readings("./x push c", &["git push c"])));
        assert!(is_held(&readings("git push d", &[])));
        gate.rules = set(RuleList::Deny, "Bash(git push *)");
        assert!(matches!(gate.decide(&readings("git push a", &[])), Ruling::Deny(_)));
    }

    // rule: E4
    #[test]
    fn a_program_is_held_for_rules_for_hooks_or_for_both() {
        let mut gate = RuleGate::new(set(RuleList::Ask, "Bash(git push *)"));
        gate.conditions = set(RuleList::Ask, "Bash(git *)");
        let held = |text: &str| match gate.decide(&readings(text, &[])) {
            Ruling::Hold(HoldReason { rule, is_for_hooks, .. }) => Some((rule.is_some(), is_for_hooks)),
            Ruling::Run { .. } | Ruling::Deny(_) => None,
        };
        assert_eq!(held("git push x"), Some((true, true)));
        assert_eq!(held("git pull"), Some((false, true)));
        assert_eq!(held("ls"), None);
    }
}
