//! One handler: its kind, its common keys, and the keys of its kind (H2, H5–H8, H10, H11, O10, Q1).
//!
//! `type` is read by hand: a tagged enum would lose the places that messages need.

use super::action;
use super::dialect;
use super::fields::{At, Fields};
use super::sheet::Wording;
use crate::config::rules;
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Node, Span, members_to_json};
use crate::handler::{Action, Background, If};
use becket_model::table::{HandlerKind, OnFailureEffect, on_failure_events};
use becket_model::{EventKind, OnFailure};
use becket_rules::suggest;
use std::sync::Arc;
use std::time::Duration;

/// A handler as a file has it: checked and compiled by itself, but knowing nothing of other files.
#[derive(Debug, Clone)]
pub(crate) struct RawHandler {
    pub(crate) label: Arc<str>,
    pub(crate) condition: If,
    pub(crate) timeout: Option<At<Duration>>,
    pub(crate) status_message: Option<Arc<str>>,
    pub(crate) once: Option<Span>,
    pub(crate) background: Background,
    pub(crate) background_span: Span,
    pub(crate) on_failure: OnFailure,
    pub(crate) on_failure_span: Span,
    pub(crate) questions: bool,
    pub(crate) order: i64,
    pub(crate) action: Action,
    /// The place of the command, URL or prompt.
    pub(crate) action_span: Span,
}

/// Keys that every kind has.
pub(crate) const COMMON_KEYS: &[&str] =
    &["type", "if", "timeout", "statusMessage", "once", "onFailure", "order"];

/// The longest limit that is taken as meant, in seconds: about 31 years.
const LONGEST: f64 = 1e9;

/// Reads a handler; `None`: it has an error and is not loaded (C7).
pub(crate) fn read(
    event: EventKind,
    node: &Node,
    words: &Wording,
    report: &mut Report<'_>,
) -> Option<RawHandler> {
    let Some(map) = node.as_map() else {
        let message = format!("a handler must be an object, not {}", node.kind());
        report
            .error(node.span, "wrong-type", message)
            .help("write `{\"type\": \"command\", \"command\": \"…\"}`")
            .rule("C1");
        return None;
    };
    let mut fields = Fields::new(node, map, "handler", report);
    let kind = kind(event, node, words, &mut fields)?;
    let known: Vec<&str> = COMMON_KEYS.iter().chain(action::keys(kind)).copied().collect();
    fields.warn_unknown(&known, |key| action::misplaced(key, kind).or_else(|| hint(key)));
    let mut handler = common(event, kind, node, &mut fields);
    let action = action::read(kind, &mut fields, words);
    if !fields.is_sound() {
        return None;
    }
    (handler.action, handler.action_span) = action?;
    handler.label = label(node).unwrap_or_else(|| kind.name().to_owned()).into();
    Some(handler)
}

/// What people know a handler by: its command, URL, tool or prompt.
pub(crate) fn label(node: &Node) -> Option<String> {
    let text = |key: &str| node.get(key).and_then(|member| member.value.as_text()).map(str::to_owned);
    if let (Some(server), Some(tool)) = (text("server"), text("tool")) {
        return Some(format!("{server}/{tool}"));
    }
    let command = text("command").map(|command| {
        let args = node.get("args").and_then(|member| member.value.as_list()).unwrap_or_default();
        args.iter().filter_map(Node::as_text).fold(command, |line, arg| format!("{line} {arg}"))
    });
    let label = command.or_else(|| text("url")).or_else(|| text("prompt"))?;
    Some(label.trim().to_owned()).filter(|label| !label.is_empty())
}

fn hint(key: &str) -> Option<String> {
    dialect::foreign_key(key).map(str::to_owned)
}

/// The kind that `type` names, where the event allows it (H10).
fn kind(
    event: EventKind,
    node: &Node,
    words: &Wording,
    fields: &mut Fields<'_, '_, '_>,
) -> Option<HandlerKind> {
    if !fields.has("type") {
        let help = implied(node).map(|kind| format!("add `\"type\": \"{kind}\"`"));
        let help = help.unwrap_or_else(|| format!("`type` is one of {}", kinds()));
        fields.report.error(node.span, "missing-type", "this handler has no `type`").help(help).rule("C1");
        return None;
    }
    let text = fields.text("type")?;
    let kind = match text.value.as_str() {
        "query" if words.flat => Some(HandlerKind::Prompt),
        name => HandlerKind::ALL.into_iter().find(|kind| kind.name() == name),
    };
    let Some(kind) = kind else {
        unknown_kind(&text, fields.report);
        return None;
    };
    if event.spec().default_timeout(kind).is_none() {
        let allowed: Vec<&str> = event.spec().handlers.iter().map(|(kind, _)| kind.name()).collect();
        let message = format!("`{event}` takes no `{kind}` handlers; this one is not loaded");
        fields
            .report
            .error(text.span, "kind-not-allowed", message)
            .help(format!("it takes {}", listed(&allowed)))
            .rule("H10");
        return None;
    }
    Some(kind)
}

fn unknown_kind(text: &At<String>, report: &mut Report<'_>) {
    let names = HandlerKind::ALL.map(HandlerKind::name);
    let near = match text.value.as_str() {
        "shell" | "script" | "bash" => Some("command"),
        "webhook" | "url" | "https" => Some("http"),
        "query" | "llm" => Some("prompt"),
        "mcp" | "tool" => Some("mcp_tool"),
        other => suggest(other, &names),
    };
    let help = near
        .map_or_else(|| format!("`type` is one of {}", kinds()), |near| format!("did you mean `{near}`?"));
    report
        .error(text.span, "unknown-type", format!("there is no handler of type `{}`", text.value))
        .help(help)
        .rule("C1");
}

fn implied(node: &Node) -> Option<HandlerKind> {
    let has = |key: &str| node.get(key).is_some();
    [
        (has("command"), HandlerKind::Command),
        (has("url"), HandlerKind::Http),
        (has("server") || has("tool"), HandlerKind::McpTool),
        (has("prompt"), HandlerKind::Prompt),
    ]
    .into_iter()
    .find_map(|(there, kind)| there.then_some(kind))
}

fn kinds() -> String {
    listed(&HandlerKind::ALL.map(HandlerKind::name))
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The keys that all kinds share. The action is filled in by the caller.
fn common(event: EventKind, kind: HandlerKind, node: &Node, fields: &mut Fields<'_, '_, '_>) -> RawHandler {
    // Elsewhere these keys are reported as misplaced, and mean nothing.
    let is_command = kind == HandlerKind::Command;
    let (background, background_span) =
        if is_command { background(fields) } else { (Background::No, Span::default()) };
    let (on_failure, on_failure_span) = on_failure(event, background, fields);
    let status_message = fields.text("statusMessage").map(|text| text.value.into());
    let once = fields.flag("once").filter(|once| once.value).map(|once| once.span);
    RawHandler {
        label: "".into(),
        condition: condition(event, node, fields),
        timeout: timeout(fields),
        status_message,
        once,
        background,
        background_span,
        on_failure,
        on_failure_span,
        questions: is_command && questions(background, fields),
        order: fields.integer("order").map_or(0, |order| order.value),
        action: action::nothing(),
        action_span: Span::default(),
    }
}

/// The `if` (P12).
fn condition(event: EventKind, node: &Node, fields: &mut Fields<'_, '_, '_>) -> If {
    let Some(text) = fields.text("if") else {
        return If::Absent;
    };
    match rules::condition(&text.value) {
        Ok(None) => If::Absent,
        Ok(Some(_)) if !event.spec().condition => {
            let message =
                format!("`if` is only looked at on tool events: on `{event}` this handler never runs");
            fields.report.warning(text.span, "if-never-runs", message).help("remove `if`").rule("P12");
            If::NeverRuns(text.value.into())
        }
        Ok(Some(condition)) => If::Rule(condition),
        Err((fault, rules)) => {
            let help = (!rules.is_empty()).then(|| once_per_rule(node, &rules)).or(fault.help);
            fields.report.error(text.span, fault.code, fault.message).maybe_help(help).rule(fault.rule);
            fields.spoil();
            If::Absent
        }
    }
}

/// The same handler, written once for each rule (P12).
fn once_per_rule(node: &Node, rules: &[String]) -> String {
    let mut handler = members_to_json(node.as_map().unwrap_or_default());
    let copies: Vec<String> = rules
        .iter()
        .map(|rule| {
            handler.insert("if".to_owned(), rule.as_str().into());
            serde_json::Value::Object(handler.clone()).to_string()
        })
        .collect();
    format!("write the handler once per rule: {}", copies.join(", "))
}

/// The `timeout` in seconds (H11).
fn timeout(fields: &mut Fields<'_, '_, '_>) -> Option<At<Duration>> {
    let member = fields.member("timeout")?;
    let seconds = match &member.value.data {
        Data::Number(number) => number.as_f64(),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    };
    let span = member.value.span;
    let Some(seconds) = seconds else {
        let help = member.value.as_text().and_then(|text| text.trim().parse::<f64>().ok());
        let message = format!("`timeout` must be a number of seconds, not {}", member.value.kind());
        fields
            .report
            .error(span, "invalid-timeout", message)
            .maybe_help(help.map(|number| format!("write `\"timeout\": {number}`, without quotes")))
            .rule("H11");
        fields.spoil();
        return None;
    };
    if seconds <= 0.0 {
        fields
            .report
            .error(span, "invalid-timeout", format!("`timeout` must be above 0, not {seconds}"))
            .help("leave it out for the event's default")
            .rule("H11");
        fields.spoil();
        return None;
    }
    Some(At { value: Duration::from_secs_f64(seconds.min(LONGEST)), span })
}

/// `async` and `asyncRewake` (A1, A4).
fn background(fields: &mut Fields<'_, '_, '_>) -> (Background, Span) {
    let plain = fields.flag("async");
    let rewake = fields.flag("asyncRewake");
    match (plain, rewake) {
        (_, Some(At { value: true, span })) => (Background::AsyncRewake, span),
        (Some(At { value: true, span }), _) => (Background::Async, span),
        (None | Some(At { value: false, .. }), None | Some(At { value: false, .. })) => {
            (Background::No, Span::default())
        }
    }
}

/// `onFailure` (O10).
fn on_failure(
    event: EventKind,
    background: Background,
    fields: &mut Fields<'_, '_, '_>,
) -> (OnFailure, Span) {
    let Some(text) = fields.text("onFailure") else {
        return (OnFailure::Open, Span::default());
    };
    let value = match text.value.as_str() {
        "block" => OnFailure::Block,
        "open" => OnFailure::Open,
        other => {
            let message = format!("`onFailure` is `block` or `open`, not `{other}`");
            let help = suggest(other, &["block", "open"]).map(|near| format!("did you mean `{near}`?"));
            fields.report.error(text.span, "invalid-on-failure", message).maybe_help(help).rule("O10");
            fields.spoil();
            OnFailure::Block
        }
    };
    if value == OnFailure::Block {
        if event.spec().on_failure == OnFailureEffect::Nothing {
            let counts: Vec<&str> = on_failure_events().map(EventKind::name).collect();
            let message = format!("`onFailure` has no effect on `{event}`");
            fields
                .report
                .warning(text.span, "on-failure-without-effect", message)
                .help(format!("it counts on {}", listed(&counts)))
                .rule("O10");
        } else if background != Background::No {
            let message = "`onFailure` has no effect beside `async`: nothing waits for the hook";
            fields.report.warning(text.span, "on-failure-without-effect", message).rule("O10");
        }
    }
    (value, text.span)
}

/// `questions` (Q1).
fn questions(background: Background, fields: &mut Fields<'_, '_, '_>) -> bool {
    let Some(flag) = fields.flag("questions") else {
        return false;
    };
    if flag.value && background != Background::No {
        fields
            .report
            .error(flag.span, "questions-beside-async", "a hook in the background can't ask questions")
            .help("remove `questions` or `async`")
            .rule("Q1");
        fields.spoil();
    }
    flag.value
}
