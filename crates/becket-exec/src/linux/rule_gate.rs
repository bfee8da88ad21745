//! The decision about one executed program.

use becket_rules::{Behavior, Decision, RuleEntry, RuleSet};

use super::program::{ExecutedProgram, Files};
use crate::denial::DenialCause;

/// The decision about an executed program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// It runs. `named` is true if a rule is about the program, with other arguments.
    Run { named: bool },
    /// It does not run.
    Deny(DenialCause),
    /// It waits for an approval.
    Ask { rule: String, origin: String },
}

/// Decides about a program by the rules for Bash.
pub(crate) fn decide(rules: &RuleSet, program: &ExecutedProgram, files: &dyn Files) -> Ruling {
    let forms = program.forms(files);
    let Decision { behavior, rule, .. } = rules.decide_executed(&forms);
    let Some(entry) = rule else {
        let names: Vec<&str> = rules.for_programs().filter_map(RuleEntry::program).collect();
        let is_named = |form: &String| form.split(' ').next().is_some_and(|name| names.contains(&name));
        return Ruling::Run { named: forms.iter().any(is_named) };
    };
    let (rule, origin) = (entry.rule().to_string(), entry.origin().label.clone());
    match behavior {
        Behavior::Ask => Ruling::Ask { rule, origin },
        Behavior::Deny | Behavior::Allow | Behavior::Undecided => {
            Ruling::Deny(DenialCause::Rule { rule, origin })
        }
    }
}
