//! Conditions that no call matches, and groups that are for a tool which no `if` of their handlers covers (P7, P12).

use super::Entry;
use super::rules::OF_SOME_HOSTS;
use crate::config::handler::If;
use crate::config::rules::idle_condition;
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_base::suggest;
use becket_rules::{Matcher, MatcherKind, Rule, Verdict, tools};

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
    let rules = condition.alternatives();
    let mut is_found = false;
    let named = rules.iter().filter(|rule| !OF_SOME_HOSTS.contains(&rule.tool()));
    for remark in named.filter_map(idle_condition) {
        is_found = true;
        report
            .error(entry.handler.condition_span, remark.code, remark.message)
            .rule(remark.rule)
            .maybe_help(remark.help);
    }
    let is_left_out = |rule: &Rule| is_left_out(rule, &entry.matcher);
    if is_found || is_misspelt(&entry.matcher) || !rules.iter().all(is_left_out) {
        return;
    }
    let Some(tool) = rules.first().map(Rule::tool) else { return };
    let matcher = entry.matcher.text();
    let message = format!("the matcher `{matcher}` is not for `{tool}`, so the handler never runs");
    report
        .error(entry.handler.condition_span, "if-matches-nothing", message)
        .help(format!("write the matcher `{tool}`, or an `if` on a tool of the matcher"))
        .rule("P12");
}

/// Returns whether a matcher has a name that is almost that of a tool, which is a finding of its own.
fn is_misspelt(matcher: &Matcher) -> bool {
    let MatcherKind::Names(names) = matcher.kind() else { return false };
    let known = tools::known();
    names.iter().any(|name| !known.contains(&&**name) && suggest(name, known).is_some())
}

/// Returns whether a matcher certainly leaves out the tool of a rule. A rule on a server, or with a glob, is on several
/// tools.
fn is_left_out(rule: &Rule, matcher: &Matcher) -> bool {
    let tool = rule.tool();
    let is_one = !tool.starts_with("mcp__") && !tool.contains('*');
    is_one && matcher.judge(tool) == Verdict::NoMatch
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
    // A condition on a tool that the matcher leaves out is reported already.
    if !covered.iter().any(|tool| first.matcher.matches(tool)) {
        return;
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
