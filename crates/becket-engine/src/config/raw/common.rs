//! The keys that handlers of all kinds share, and those that decide whether an event waits for a command (H11, P12,
//! O10, A1, A4, Q1).

use super::fields::{At, Fields};
use super::handler::listed;
use crate::config::handler::{Background, If, Warm};
use crate::config::rules;
use crate::config::source::tree::{Data, Node, Span, members_to_json};
use becket_base::suggest;
use becket_model::table::{OnFailureEffect, on_failure_events};
use becket_model::{EventKind, OnFailure};
use std::time::Duration;

/// The longest limit that is plausible, in seconds: about 31 years.
const LONGEST: f64 = 1e9;

/// Reads the `if` (P12).
pub(super) fn condition(event: EventKind, node: &Node, fields: &mut Fields<'_, '_, '_>) -> If {
    let Some(text) = fields.text("if") else {
        return If::Absent;
    };
    match rules::condition(&text.value) {
        Ok(None) => If::Absent,
        Ok(Some(_)) if !event.spec().condition => {
            let message =
                format!("`if` is only evaluated on tool events: on `{event}` this handler never runs");
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

/// Returns the same handler, written once for each rule (P12).
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

/// Reads the `timeout` in seconds (H11).
pub(super) fn timeout(fields: &mut Fields<'_, '_, '_>) -> Option<At<Duration>> {
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

/// Reads `async` and `asyncRewake` (A1, A4).
pub(super) fn background(fields: &mut Fields<'_, '_, '_>) -> (Background, Span) {
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

/// Reads `onFailure` (O10). An invalid value is read as the stricter one, and the handler runs.
pub(super) fn on_failure(
    event: EventKind,
    background: Background,
    fields: &mut Fields<'_, '_, '_>,
) -> OnFailure {
    let Some(member) = fields.written("onFailure") else {
        return OnFailure::Continue;
    };
    let span = member.value.span;
    match member.value.as_text() {
        Some("continue") => return OnFailure::Continue,
        Some("block") => {}
        Some("open") => {
            fields
                .report
                .error(span, "invalid-on-failure", "`onFailure` is `block` or `continue`; `open` is read as `continue`")
                .help("write `\"continue\"`, or leave it out: Claude Code ignores the whole file for any other word")
                .rule("O10");
            return OnFailure::Continue;
        }
        other => {
            let written = other.map_or_else(|| member.value.kind().to_owned(), |word| format!("`{word}`"));
            let message =
                format!("`onFailure` is `block` or `continue`, not {written}; it is read as `block`");
            let near = other.and_then(|word| suggest(&word.to_ascii_lowercase(), &["block", "continue"]));
            let help = near.unwrap_or("block");
            fields
                .report
                .error(span, "invalid-on-failure", message)
                .help(format!(
                    "did you mean `\"{help}\"`? Claude Code ignores the whole file for any other value"
                ))
                .rule("O10");
        }
    }
    warn_without_effect(event, background, span, fields);
    OnFailure::Block
}

fn warn_without_effect(
    event: EventKind,
    background: Background,
    span: Span,
    fields: &mut Fields<'_, '_, '_>,
) {
    if event.spec().on_failure == OnFailureEffect::Nothing {
        let counts: Vec<&str> = on_failure_events().map(EventKind::name).collect();
        let message = format!("`onFailure` has no effect on `{event}`");
        fields
            .report
            .warning(span, "on-failure-without-effect", message)
            .help(format!("it counts on {}", listed(&counts)))
            .rule("O10");
    } else if background != Background::No {
        let message = "`onFailure` has no effect beside `async`: nothing waits for the hook";
        fields.report.warning(span, "on-failure-without-effect", message).rule("O10");
    }
}

/// Reads `questions` (Q1).
pub(super) fn questions(background: Background, fields: &mut Fields<'_, '_, '_>) -> bool {
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

/// Reads `worker`: one process of the command answers many events, one after another.
pub(super) fn worker(background: Background, fields: &mut Fields<'_, '_, '_>) -> bool {
    let Some(flag) = fields.flag("worker") else {
        return false;
    };
    let beside = match background {
        Background::No if !fields.has("questions") => None,
        Background::No => Some("`questions`"),
        Background::Async | Background::AsyncRewake => Some("`async`"),
    };
    if let Some(beside) = beside.filter(|_| flag.value) {
        let message = format!("`worker` has no effect beside {beside}: the hook is started for each event");
        fields.report.warning(flag.span, "worker-without-effect", message);
        return false;
    }
    flag.value
}

/// Reads `warm`: whether the command may be started ahead of its event. A value that can't be read starts nothing ahead.
pub(super) fn warm(fields: &mut Fields<'_, '_, '_>) -> Warm {
    let Some(member) = fields.written("warm") else {
        return Warm::Off;
    };
    let (span, text) = (member.value.span, member.value.as_text());
    match text {
        Some("auto") => return Warm::Auto,
        Some("off") => return Warm::Off,
        Some(_) | None => {}
    }
    let written = text.map_or_else(|| member.value.kind().to_owned(), |word| format!("`{word}`"));
    let near = text.and_then(|word| suggest(&word.to_ascii_lowercase(), &["auto", "off"])).unwrap_or("off");
    let message = format!("`warm` is `auto` or `off`, not {written}; it is read as `off`");
    fields.report.error(span, "invalid-warm", message).help(format!("did you mean `\"{near}\"`?")).rule("H3");
    Warm::Off
}
