//! The rules and conditions that the programs of a shell line are compared with (E1, E4).

use crate::config::handler::{Handler, If};
use crate::engine::host_operations::HostOperations;
use crate::plan::candidates::Part;
use becket_model::EventKind;
use becket_rules::shell::CommandPattern;
use becket_rules::{Rule, RuleEntry, RuleList, RuleOrigin, RuleSet};
use std::path::PathBuf;

/// The tool whose rules programs are compared with.
const BASH: &str = "Bash";

/// The rules and conditions for the programs of a shell line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramRules {
    /// Rules whose programs never run.
    pub deny: Vec<ProgramRule>,
    /// Rules whose programs wait for an approval. A rule about every command is not among them: it applies to the call.
    pub ask: Vec<ProgramRule>,
    /// Conditions (`if`) of the hooks that see calls of Bash; one about every command is not among them, either.
    pub conditions: Vec<ProgramRule>,
}

/// A rule or a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramRule {
    /// Its text.
    pub text: String,
    /// Its source, with file and line.
    pub origin: String,
    /// The directory that paths in it start from.
    pub anchor: PathBuf,
}

impl ProgramRules {
    /// Returns whether there are no rules and no conditions.
    pub fn is_empty(&self) -> bool {
        self.deny.is_empty() && self.ask.is_empty() && self.conditions.is_empty()
    }
}

impl HostOperations<'_> {
    /// Returns the rules and conditions in force for the programs of a shell line.
    pub fn program_rules(self) -> ProgramRules {
        let inner = self.inner();
        let snapshot = inner.snapshot();
        let mut found = ProgramRules::default();
        for entry in snapshot.rules.for_programs() {
            match entry.list() {
                RuleList::Deny => found.deny.push(program_rule(entry)),
                RuleList::Ask if is_about_some(entry.rule()) => found.ask.push(program_rule(entry)),
                RuleList::Ask | RuleList::Allow => {}
            }
        }
        let registered = inner.registered.read();
        let parts = std::iter::once(&*snapshot.part).chain(registered.iter().map(|(_, part)| part));
        found.conditions = parts.flat_map(conditions).collect();
        found
    }
}

/// Returns the conditions of the handlers of a part that see calls of Bash.
fn conditions(part: &Part) -> Vec<ProgramRule> {
    let found = part.candidates(EventKind::PreToolUse, Some(BASH), &[]);
    found.runs.iter().flat_map(|run| of_handler(&run.handler)).collect()
}

fn of_handler(handler: &Handler) -> Vec<ProgramRule> {
    let If::Rule(condition) = &handler.condition else { return Vec::new() };
    let label = format!("{} ({})", handler.place.source, handler.location);
    let mut set = RuleSet::default();
    for rule in condition.alternatives().iter().filter(|rule| is_about_some(rule)) {
        let origin = RuleOrigin { label: label.clone(), anchor: handler.anchor.clone() };
        // INVARIANT: the rule was parsed once, as a part of the condition.
        let _ = set.add(RuleList::Ask, &rule.to_string(), origin);
    }
    set.for_programs().map(program_rule).collect()
}

fn program_rule(entry: &RuleEntry) -> ProgramRule {
    let origin = entry.origin();
    ProgramRule {
        text: entry.rule().to_string(),
        origin: origin.label.clone(),
        anchor: origin.anchor.clone(),
    }
}

/// Returns whether a rule is about some commands, and not about all of them.
fn is_about_some(rule: &Rule) -> bool {
    rule.specifier().is_some_and(|text| !CommandPattern::new(text).is_everything())
}
