//! The `allowed-tools` of a skill: allow rules for the turn in which it is used.
//!
//! A grant is held back if its file may not grant anything (`protocol.md` G3, C7b), and a grant is never more than an
//! allow rule: deny and ask rules, hooks and critical removals override it.

use super::skill::Skill;
use becket_engine::Engine;
use becket_rules::{Change, Destination, PermissionUpdate, Rule, RuleList};
use std::sync::{Mutex, PoisonError};

/// The rules that skills have added, removed on drop.
#[derive(Debug)]
pub(super) struct Grants {
    engine: Engine,
    added: Mutex<Vec<Rule>>,
}

impl Grants {
    pub(super) fn new(engine: Engine) -> Self {
        Self { engine, added: Mutex::default() }
    }

    /// Adds the rules that a skill requests; returns warnings about those that do not count.
    pub(super) fn add(&self, skill: &Skill, broken_guard: Option<&str>) -> Vec<String> {
        if skill.allowed_tools.is_empty() {
            return Vec::new();
        }
        let name = &skill.name;
        if let Some(why) = broken_guard {
            return vec![format!(
                "`allowed-tools` of `{name}` does not count, since a guard of this file is broken: {why}"
            )];
        }
        if skill.owner.is_of_project() && !self.engine.config().trust.this_folder_trusted {
            return vec![format!("`allowed-tools` of `{name}` is held back until this folder is trusted")];
        }
        let (mut rules, mut warnings) = (Vec::new(), Vec::new());
        for text in &skill.allowed_tools {
            match Rule::parse(text) {
                Ok(rule) => rules.push(rule),
                Err(error) => {
                    warnings.push(format!("`{text}` in `allowed-tools` of `{name}` does not count: {error}"));
                }
            }
        }
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        // Rules that exist already must not be removed together with this skill's.
        let holds = self.holding();
        rules.retain(|rule| !holds.contains(rule) && !added.contains(rule));
        warnings.extend(self.change(Change::AddRules(RuleList::Allow, rules.clone())));
        added.extend(rules);
        warnings
    }

    /// Removes the added rules at the end of the turn.
    pub(super) fn end(&self) {
        let rules = std::mem::take(&mut *self.added.lock().unwrap_or_else(PoisonError::into_inner));
        let _ = self.change(Change::RemoveRules(RuleList::Allow, rules));
    }

    fn change(&self, change: Change) -> Vec<String> {
        let is_nothing = match &change {
            Change::AddRules(_, rules) | Change::RemoveRules(_, rules) => rules.is_empty(),
            Change::ReplaceRules(..)
            | Change::SetMode(_)
            | Change::AddDirectories(_)
            | Change::RemoveDirectories(_) => false,
        };
        if is_nothing {
            return Vec::new();
        }
        self.engine.host().apply(&[PermissionUpdate { destination: Destination::Session, change }]).warnings
    }

    /// Returns the current allow rules.
    fn holding(&self) -> Vec<Rule> {
        let config = self.engine.config();
        let allow = config.permissions.iter().filter(|rule| rule.list == RuleList::Allow);
        allow.filter_map(|rule| Rule::parse(&rule.text).ok()).collect()
    }
}

impl Drop for Grants {
    fn drop(&mut self) {
        self.end();
    }
}
