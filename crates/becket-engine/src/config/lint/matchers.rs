//! Matchers that load and never match, or match by accident.

use super::rules::OF_SOME_HOSTS;
use super::{Around, Entry};
use crate::config::fix::{Fix, FixChange};
use crate::config::raw::tool_filter_help;
use crate::config::source::report::Report;
use becket_base::suggest;
use becket_model::EventKind;
use becket_model::table::MatcherSpec;
use becket_rules::{MatcherKind, tools};
use std::collections::HashSet;

pub(super) fn lint(entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let Some(spec) = entry.event.spec().matcher else {
        return;
    };
    if entry.matcher.is_risky() {
        let message = "this expression can't be judged on every tool name in bounded time; where it can't, the hook runs";
        report
            .warning(entry.matcher_span, "risky-matcher", message)
            .help("write it without back-references")
            .rule("M3");
    }
    match entry.matcher.kind() {
        MatcherKind::Everything => {}
        MatcherKind::Names([]) => {
            let message = "this matcher names nothing, so it never matches";
            report
                .never_works(is_guard(entry.event), entry.matcher_span, "empty-matcher", message)
                .rule("M2");
        }
        MatcherKind::Names(names) => {
            for name in names {
                one_name(MatcherName { name, is_only: names.len() == 1 }, spec, entry, around, report);
            }
        }
        MatcherKind::Expression(text) => expression(text, spec, entry, around, report),
    }
}

/// A name in a matcher.
#[derive(Clone, Copy)]
struct MatcherName<'a> {
    name: &'a str,
    /// Set if the matcher has no other name.
    is_only: bool,
}

/// Checks a name that is not a value of the event.
fn one_name(
    matcher: MatcherName<'_>,
    spec: MatcherSpec,
    entry: &Entry,
    around: &Around<'_>,
    report: &mut Report<'_>,
) {
    if spec.field == "tool_name" {
        return tool_name(matcher, entry, around, report);
    }
    let name = matcher.name;
    if name.parse::<EventKind>().is_ok() && !spec.values.contains(&name) {
        let message = format!("`{name}` is an event; this matcher is tested against `{}`", spec.field);
        report
            .never_works(matcher.is_only, entry.matcher_span, "never-matches", message)
            .help("leave the matcher out for every value")
            .rule("M6");
        return;
    }
    if spec.values.is_empty() || spec.values.contains(&name) {
        return;
    }
    let near = suggest(name, spec.values).map(|near| format!("did you mean `{near}`?"));
    let elsewhere = value_of_other_event(name).map(|other| {
        let field = other.spec().matcher.map_or("value", |spec| spec.field);
        format!("`{name}` is a `{field}` of `{other}`: move the group there")
    });
    let help = elsewhere.or(near).unwrap_or_else(|| format!("known values: {}", spec.values.join(", ")));
    let message = format!("`{name}` is not a `{}` of `{}`, so this never matches", spec.field, entry.event);
    report.warning(entry.matcher_span, "never-matches", message).help(help).rule("M6");
}

/// Returns the only event that has a value of this name.
fn value_of_other_event(name: &str) -> Option<EventKind> {
    let has = |event: &EventKind| event.spec().matcher.is_some_and(|spec| spec.values.contains(&name));
    let mut events = EventKind::ALL.into_iter().filter(has);
    let first = events.next()?;
    events.next().is_none().then_some(first)
}

/// Returns whether a group on this event is a guard, which is missing if the group never matches.
fn is_guard(event: EventKind) -> bool {
    matches!(event, EventKind::PreToolUse | EventKind::PermissionRequest)
}

fn tool_name(matcher: MatcherName<'_>, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let MatcherName { name, is_only } = matcher;
    if let Some(server) = name.strip_prefix("mcp__") {
        if !server.contains("__") {
            let message = format!("no tool has the exact name `{name}`, so this never matches");
            report
                .never_works(is_only, entry.matcher_span, "never-matches", message)
                .help(format!("for all tools of the server write `{name}__.*`"))
                .rule("M2")
                .fix(is_only.then(|| write(entry, format!("{name}__.*"))));
        }
        return;
    }
    let known = tools::known();
    let current = around.tools.current(name);
    // Another agent has its own tools.
    if known.contains(&current) || OF_SOME_HOSTS.contains(&current) || around.agent.is_some() {
        return;
    }
    if name.parse::<EventKind>().is_ok() {
        let message = format!("`{name}` is an event; this matcher is tested against the names of tools");
        report
            .never_works(is_only, entry.matcher_span, "never-matches", message)
            .help(format!("move the group to `{name}`, or leave the matcher out for every tool"))
            .rule("M2");
        return;
    }
    let near = suggest(name, known);
    let message = match near {
        Some(_) => format!("there is no tool `{name}`, so this never matches"),
        None => format!("unknown tool `{name}`: unless your agent defines it, this never matches"),
    };
    let help = near.map(|near| format!("did you mean `{near}`? names are case-sensitive"));
    report
        .never_works(
            is_only && is_guard(entry.event) && near.is_some(),
            entry.matcher_span,
            "unknown-tool",
            message,
        )
        .maybe_help(help)
        .rule("M2")
        .fix(near.filter(|_| is_only).map(|near| write(entry, near.to_owned())));
}

/// Returns the fix that writes another matcher.
fn write(entry: &Entry, matcher: String) -> Fix {
    let title = format!("write `{matcher}`");
    Fix::not_safe(entry.matcher_span, title, FixChange::SetValue(matcher.into()))
}

/// Returns the known tool that an expression for one whole name would be in other letters (`^bash$`).
fn near_tool(text: &str) -> Option<&'static str> {
    let name = text.strip_prefix('^')?.strip_suffix('$')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let known = tools::known();
    if !is_name || known.contains(&name) || OF_SOME_HOSTS.contains(&name) {
        return None;
    }
    known.iter().copied().find(|tool| tool.eq_ignore_ascii_case(name))
}

/// Reports a text that is an expression to the engine, and was something else to its author.
fn expression(text: &str, spec: MatcherSpec, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let alternatives = alternatives(text);
    if spec.field == "tool_name"
        && let Some((tool, rule)) = alternatives.iter().find_map(|part| permission_rule(part))
    {
        rule_in_matcher(tool, rule, alternatives.len() == 1, entry, report);
        return;
    }
    if spec.field == "tool_name" && alternatives.iter().all(|part| of_file(part).is_some()) {
        let tools: Vec<&str> = alternatives.iter().filter_map(|part| Some(of_file(part)?.0)).collect();
        let (tool, pattern) = of_file(text).unwrap_or_default();
        let pattern = pattern.split('|').next().unwrap_or_default();
        let message = "a matcher contains tool names; these alternatives also name files, and as an expression they never match";
        let help = format!(
            "write `\"matcher\": \"{}\"`, and on each handler an `if` such as `{tool}({pattern})`",
            without_repetition(tools).join("|")
        );
        report.error(entry.matcher_span, "never-matches", message).help(help).rule("M3");
        return;
    }
    if spec.field == "tool_name"
        && around.agent.is_none()
        && let Some(tool) = near_tool(text)
    {
        let message = format!("no tool matches the expression `{text}`: names are case-sensitive");
        let help = format!("write `{tool}`, which is a name and not an expression");
        report
            .never_works(is_guard(entry.event), entry.matcher_span, "never-matches", message)
            .help(help)
            .rule("M2")
            .fix(Some(write(entry, tool.to_owned())));
        return;
    }
    let strange: Option<Vec<char>> = alternatives.iter().map(|part| strange_character(part)).collect();
    if let Some(first) = strange.as_ref().and_then(|characters| characters.first())
        && spec.field == "tool_name"
    {
        let character = if *first == ' ' { "a blank".to_owned() } else { format!("`{first}`") };
        let message = format!("no tool has a name with {character} in it, so this expression never matches");
        report.error(entry.matcher_span, "never-matches", message).help(names_help(text)).rule("M3");
        return;
    }
    if alternatives.len() > 1 && alternatives.iter().any(|part| part.trim().is_empty()) {
        let message =
            "an alternative of this expression is empty and matches every value: the hooks run on each";
        report.warning(entry.matcher_span, "empty-alternative", message).help(names_help(text)).rule("M3");
        return;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '|' | ' ' | ',' | '*');
    if text.contains('*') && text.chars().all(plain) && !text.split('|').all(is_prefix) {
        let message = format!(
            "in `{text}` each `*` repeats the character in front of it: this is an expression, not a glob"
        );
        report
            .warning(entry.matcher_span, "glob-in-matcher", message)
            .help(format!("for any text write `.*`: `{}`", text.replace('*', ".*")))
            .rule("M3")
            .fix(write(entry, text.replace('*', ".*")));
    }
}

/// Returns the tool and the text of an alternative that is written as a permission rule. `Task(Output|Stop)` is none:
/// it matches two tools.
fn permission_rule(alternative: &str) -> Option<(&str, &str)> {
    let rule = alternative.trim();
    let (tool, rest) = rule.split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let names_tools = inside.split('|').all(|end| tools::find(&format!("{tool}{end}")).is_some());
    (tools::find(tool).is_some() && !names_tools).then_some((tool, rule))
}

/// Reports a permission rule that is a matcher, or an alternative of one.
fn rule_in_matcher(tool: &str, rule: &str, is_only: bool, entry: &Entry, report: &mut Report<'_>) {
    let message = format!(
        "a matcher contains tool names; `{rule}` looks like a permission rule, and as an expression it never matches"
    );
    let place = if is_only { "on the group" } else { "on a group of its own" };
    let fix = is_only.then(|| {
        let change = FixChange::RuleToCondition { tool: tool.to_owned(), rule: rule.to_owned() };
        Fix::not_safe(entry.matcher_span, "move the rule to `if`", change)
    });
    report
        .never_works(is_guard(entry.event), entry.matcher_span, "rule-in-matcher", message)
        .help(format!("write `\"matcher\": \"{tool}\"` {place} and `\"if\": \"{rule}\"` on the handler"))
        .rule("M3")
        .fix(fix);
}

/// Returns whether an alternative matches what it would match as a glob: a name, or `mcp__*`, which is found at the
/// beginning of every longer name.
fn is_prefix(alternative: &str) -> bool {
    let alternative = alternative.trim();
    !alternative.contains('*') || alternative.strip_suffix("_*").is_some_and(|front| !front.contains('*'))
}

/// Returns what to write instead of the filter of another program.
fn names_help(text: &str) -> String {
    // `tool == "Edit" || tool == "Write"`
    let compared = text.split("tool == \"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
    let names = without_repetition(compared.collect());
    if !names.is_empty() {
        return format!(
            "a matcher contains tool names: write `\"matcher\": \"{}\"`; what a call does is filtered by `if` on the handler",
            names.join("|")
        );
    }
    tool_filter_help(text).unwrap_or_else(|| {
        "a matcher contains tool names; what a call does is filtered by `if` on the handler".to_owned()
    })
}

fn without_repetition(mut names: Vec<&str>) -> Vec<&str> {
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

/// Returns the tool and the pattern of `Edit:*.ts`, which does not describe names.
fn of_file(alternative: &str) -> Option<(&str, &str)> {
    let (tool, pattern) = alternative.trim().split_once(':')?;
    let is_file = pattern.contains('*') && pattern.contains(['.', '/']);
    (tools::find(tool).is_some() && is_file).then_some((tool, pattern))
}

/// Returns the alternatives of an expression that are in no group and in no class.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, _) in outside(text).filter(|(_, c)| *c == '|') {
        found.push(text.get(start..at).unwrap_or_default());
        start = at + 1;
    }
    found.push(text.get(start..).unwrap_or_default());
    found
}

/// Returns the characters of an expression that are in no group, in no class and after no `\\`, each with its place.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut depth, mut in_class, mut is_escaped) = (0_usize, false, false);
    text.char_indices().filter(move |(_, c)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match c {
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            _ => return depth == 0 && !in_class,
        }
        false
    })
}

/// Returns the first character that a text needs to match an alternative, and that no name of a tool has.
fn strange_character(alternative: &str) -> Option<char> {
    let alternative = alternative.trim();
    let is_optional =
        |at: usize| alternative.get(at + 1..).is_some_and(|after| after.starts_with(['?', '*', '{']));
    outside(alternative)
        .find(|(at, c)| matches!(c, ' ' | ':' | '"' | '\'' | '=' | '&' | '/') && !is_optional(*at))
        .map(|(_, c)| c)
}
