//! One handler: its kind, its common keys, and the keys of its kind (H2, H5–H8, H10, H11, O10, Q1).
//!
//! `type` is read by hand: a tagged enum would lose the places that messages need.

use super::action;
use super::common::{background, condition, on_failure, questions, timeout, warm, worker};
use super::dialect;
use super::fields::{At, Fields};
use super::rollout::{RawRollout, rollout};
use super::sheet::ReadContext;
use crate::config::fix::{Fix, FixChange};
use crate::config::handler::{Action, Background, If, Warm};
use crate::config::source::report::Report;
use crate::config::source::tree::{Node, Span};
use becket_base::suggest;
use becket_model::table::HandlerKind;
use becket_model::{EventKind, OnFailure};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// A handler as a file contains it: checked and compiled without knowledge of other files.
#[derive(Debug, Clone)]
pub(crate) struct RawHandler {
    pub(crate) label: Arc<str>,
    pub(crate) condition: If,
    /// The place of `if`.
    pub(crate) condition_span: Span,
    pub(crate) timeout: Option<At<Duration>>,
    pub(crate) status_message: Option<Arc<str>>,
    pub(crate) once: Option<Span>,
    pub(crate) background: Background,
    pub(crate) background_span: Span,
    pub(crate) on_failure: OnFailure,
    pub(crate) rollout: RawRollout,
    pub(crate) questions: bool,
    pub(crate) worker: bool,
    pub(crate) warm: Warm,
    pub(crate) order: i64,
    pub(crate) action: Action,
    /// The place of the command, URL or prompt.
    pub(crate) action_span: Span,
}

/// Keys that every kind has.
pub(crate) const COMMON_KEYS: &[&str] =
    &["type", "if", "timeout", "statusMessage", "once", "onFailure", "mode", "observeUntil", "order"];

/// Reads a handler; returns `None` if it has an error and is not loaded (C7).
pub(crate) fn read(
    event: EventKind,
    node: &Node,
    words: &ReadContext,
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
    fields.report_unknown(&[COMMON_KEYS, action::keys(kind)], words, |member| {
        action::misplaced(&member.key, kind).unwrap_or_else(|| dialect::handler_key(member))
    });
    let mut handler = common(event, kind, node, &mut fields);
    let action = action::read(kind, &mut fields, words);
    if !fields.is_sound() {
        return None;
    }
    (handler.action, handler.action_span) = action?;
    handler.label = label(node).unwrap_or(kind.name().into()).into();
    Some(handler)
}

/// Returns the label of a handler: its command, URL, tool or prompt.
pub(crate) fn label(node: &Node) -> Option<Cow<'_, str>> {
    let text = |key: &str| node.get(key).and_then(|member| member.value.as_text());
    if let (Some(server), Some(tool)) = (text("server"), text("tool")) {
        return Some(format!("{server}/{tool}").into());
    }
    let command = text("command").map(|command| {
        let args = node.get("args").and_then(|member| member.value.as_list()).unwrap_or_default();
        let words = args.iter().filter_map(Node::as_text);
        words.fold(Cow::from(command), |line, word| format!("{line} {word}").into())
    });
    let url = || text("url").map(|url| crate::config::url::shown(url.trim()));
    let label = command.or_else(url).or_else(|| text("prompt").map(Cow::from))?;
    let label = match label {
        Cow::Borrowed(label) => Cow::Borrowed(label.trim()),
        Cow::Owned(label) => label.trim().to_owned().into(),
    };
    Some(label).filter(|label| !label.is_empty())
}

/// Returns the kind that `type` names, if the event allows it (H10).
fn kind(
    event: EventKind,
    node: &Node,
    words: &ReadContext,
    fields: &mut Fields<'_, '_, '_>,
) -> Option<HandlerKind> {
    if !fields.has("type") {
        let implied = implied(node);
        let help = implied.map(|kind| format!("add `\"type\": \"{kind}\"`"));
        let help = help.unwrap_or_else(|| format!("`type` is one of {}", kinds()));
        let add = |kind: HandlerKind| FixChange::AddMember { key: "type", value: kind.name().into() };
        let fix = implied.map(|kind| Fix::not_safe(node.span, "add its `type`", add(kind)));
        let message = "this handler has no `type`";
        fields.report.error(node.span, "missing-type", message).help(help).rule("C1").fix(fix);
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
        .rule("C1")
        .fix(near.map(|near| {
            Fix::not_safe(text.span, format!("write `{near}`"), FixChange::SetValue(near.into()))
        }));
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

/// Joins names for a sentence: "`a`, `b` or `c`".
pub(super) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Reads the keys that all kinds share. The action is filled in by the caller.
fn common(event: EventKind, kind: HandlerKind, node: &Node, fields: &mut Fields<'_, '_, '_>) -> RawHandler {
    // On other kinds these keys are reported as misplaced, and have no effect.
    let is_command = kind == HandlerKind::Command;
    let (background, background_span) =
        if is_command { background(fields) } else { (Background::No, Span::default()) };
    let on_failure = on_failure(event, background, fields);
    let status_message = fields.text("statusMessage").map(|text| text.value.into());
    let once = fields.flag("once").filter(|once| once.value).map(|once| once.span);
    RawHandler {
        label: "".into(),
        condition: condition(event, node, fields),
        condition_span: fields.place("if"),
        timeout: timeout(fields),
        status_message,
        once,
        background,
        background_span,
        on_failure,
        rollout: rollout(event, background, fields),
        questions: is_command && questions(background, fields),
        worker: is_command && worker(background, fields),
        warm: if is_command { warm(fields) } else { Warm::Off },
        order: fields.integer("order").map_or(0, |order| order.value),
        action: action::nothing(),
        action_span: Span::default(),
    }
}
