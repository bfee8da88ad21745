//! Matchers that load and never match, or match by luck.

use super::{Around, Entry};
use crate::config::fix::{Fix, FixChange};
use crate::config::raw::tool_filter_help;
use crate::config::source::report::Report;
use becket_base::suggest;
use becket_model::EventKind;
use becket_model::table::MatcherSpec;
use becket_rules::{MatcherKind, tools};

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
        MatcherKind::Expression(text) => expression(text, spec, entry, report),
    }
}

/// One name of a matcher.
#[derive(Clone, Copy)]
struct MatcherName<'a> {
    name: &'a str,
    /// The matcher has no other.
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
            .warning(entry.matcher_span, "never-matches", message)
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

/// The only event that has a value of this name.
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
    let is_lost = is_only && is_guard(entry.event);
    if let Some(server) = name.strip_prefix("mcp__") {
        if !server.contains("__") {
            let message = format!("`{name}` is the exact name of no tool, so this never matches");
            report
                .never_works(is_lost, entry.matcher_span, "never-matches", message)
                .help(format!("for all tools of the server write `{name}__.*`"))
                .rule("M2")
                .fix(is_only.then(|| write(entry, format!("{name}__.*"))));
        }
        return;
    }
    let known = tools::known();
    let current = around.tools.current(name);
    if known.contains(&current) {
        return;
    }
    let near = suggest(name, known);
    let message = match near {
        Some(_) => format!("there is no tool `{name}`, so this never matches"),
        None => format!("unknown tool `{name}`: unless your agent defines it, this never matches"),
    };
    let help = near.map(|near| format!("did you mean `{near}`? names are case-sensitive"));
    report
        .never_works(is_lost && near.is_some(), entry.matcher_span, "unknown-tool", message)
        .maybe_help(help)
        .rule("M2")
        .fix(near.filter(|_| is_only).map(|near| write(entry, near.to_owned())));
}

/// The fix that writes another matcher.
fn write(entry: &Entry, matcher: String) -> Fix {
    let title = format!("write `{matcher}`");
    Fix::not_safe(entry.matcher_span, title, FixChange::SetValue(matcher.into()))
}

/// Text that is an expression to the engine, and was something else to its author.
fn expression(text: &str, spec: MatcherSpec, entry: &Entry, report: &mut Report<'_>) {
    if spec.field == "tool_name"
        && let Some((tool, rest)) = text.split_once('(')
        && rest.ends_with(')')
        && tools::find(tool).is_some()
    {
        let message = "a matcher holds tool names; this looks like a permission rule, and as an expression it never matches";
        report
            .never_works(is_guard(entry.event), entry.matcher_span, "rule-in-matcher", message)
            .help(format!(
                "write `\"matcher\": \"{tool}\"` on the group and `\"if\": \"{text}\"` on the handler"
            ))
            .rule("M3")
            .fix(Fix::not_safe(
                entry.matcher_span,
                "move the rule to `if`",
                FixChange::RuleToCondition { tool: tool.to_owned(), rule: text.to_owned() },
            ));
        return;
    }
    if spec.field == "tool_name" && text.split('|').all(needs_blank_or_colon) {
        let message = "no tool has a name with a blank or `:` in it, so this expression never matches";
        report
            .never_works(is_guard(entry.event), entry.matcher_span, "never-matches", message)
            .help(tool_filter_help(text).unwrap_or_else(|| {
                "a matcher holds tool names; what a call does is filtered by `if` on the handler".to_owned()
            }))
            .rule("M3");
        return;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '|' | ' ' | ',' | '*');
    if text.contains('*') && text.chars().all(plain) {
        let message = format!(
            "in `{text}` each `*` repeats the character in front of it: this is an expression, no glob"
        );
        report
            .warning(entry.matcher_span, "glob-in-matcher", message)
            .help(format!("for any text write `.*`: `{}`", text.replace('*', ".*")))
            .rule("M3")
            .fix(write(entry, text.replace('*', ".*")));
    }
}

/// Returns whether an alternative of an expression matches only texts with a blank or a colon in them.
fn needs_blank_or_colon(alternative: &str) -> bool {
    let alternative = alternative.trim();
    let mut in_class = false;
    let chars: Vec<char> = alternative.chars().collect();
    chars.iter().enumerate().any(|(at, c)| {
        match c {
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        let is_optional = matches!(chars.get(at + 1), Some('?' | '*' | '{'));
        let is_group_sign = at > 0 && chars.get(at - 1) == Some(&'?');
        matches!(c, ' ' | ':') && !in_class && !is_optional && !is_group_sign
    })
}
