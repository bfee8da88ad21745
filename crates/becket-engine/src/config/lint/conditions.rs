//! Conditions that no call matches, and groups that are for a tool which no `if` of their handlers covers (P7, P12).

use super::Entry;
use crate::config::handler::If;
use crate::config::rules::idle_condition;
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_rules::MatcherKind;

pub(super) fn lint(entries: &[Entry], report: &mut Report<'_>) {
    entries.iter().for_each(|entry| of_entry(entry, report));
    let mut rest = entries;
    while let Some(first) = rest.first() {
        // The handlers of a group follow each other. A group without a matcher is for every tool.
        let is_of_group = |entry: &Entry| entry.matcher_span == first.matcher_span;
        let length = rest.iter().take_while(|entry| is_of_group(entry)).count();
        let (group, others) = rest.split_at(length);
        rest = others;
        if first.matcher_span != Span::default() {
            of_group(group, report);
        }
    }
}

/// Reports an `if` that no call matches.
fn of_entry(entry: &Entry, report: &mut Report<'_>) {
    let If::Rule(condition) = &entry.handler.condition else { return };
    for remark in condition.alternatives().iter().filter_map(idle_condition) {
        report
            .error(entry.handler.condition_span, remark.code, remark.message)
            .rule(remark.rule)
            .maybe_help(remark.help);
    }
}

fn of_group(group: &[Entry], report: &mut Report<'_>) {
    let Some(first) = group.first() else { return };
    let MatcherKind::Names(names) = first.matcher.kind() else { return };
    let mut covered = Vec::new();
    for entry in group {
        match &entry.handler.condition {
            If::Rule(condition) => {
                covered.extend(condition.alternatives().iter().map(|rule| rule.tool().to_owned()));
            }
            If::Absent | If::NeverRuns(_) => return,
        }
    }
    // A glob or a renamed tool may cover more than its name says.
    if covered.iter().any(|tool| !FILE_TOOLS.contains(&tool.as_str())) {
        return;
    }
    let is_missed =
        |name: &&&str| matches!(**name, "Edit" | "Write") && !covered.iter().any(|tool| tool == **name);
    let texts: Vec<&str> = names.iter().map(|name| &**name).collect();
    let Some(missed) = texts.iter().find(is_missed) else { return };
    let tools = covered.join("`, `");
    let message = format!("the group is for `{missed}`, too, and an `if` on `{tools}` means that tool alone");
    report
        .warning(first.handler.condition_span, "condition-misses-tool", message)
        .help(format!("write the handler once more, with an `if` on `{missed}`"))
        .rule("P7");
}

/// Tools of which people take one name for all.
const FILE_TOOLS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
