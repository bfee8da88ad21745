//! `explain --call` for people: the records about a call, and the hooks that would run today.

use super::planned;
use crate::env::Surroundings;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, NONE, SOURCE, WARNING, indented, plain, styled};
use crate::wrap;
use becket_embed::view::call::{CallEvent, CallReport, RecordedHook};
use std::path::Path;

/// Returns the call, then each of its events.
pub(crate) fn render(report: &CallReport, around: &Surroundings) -> String {
    let mut text = format!("{}\n", plain(&report.headline));
    text.push_str(&format!("{}\n", styled(FAINT, &format!("session {}", plain(&report.session)))));
    for event in &report.events {
        text.push('\n');
        text.push_str(&section(event, around));
    }
    wrap::fit(&text, around.width)
}

fn section(event: &CallEvent, around: &Surroundings) -> String {
    let name = event.plan.as_ref().map_or("event", |plan| plan.event);
    let place = format!("{}:{}", around.short(Path::new(&event.file)), event.line);
    let time = event.time.as_deref().map(|time| format!("  {time}")).unwrap_or_default();
    let mut text = format!(
        "{}  {}{}\n",
        styled(HEAD, name),
        styled(SOURCE, &plain(&place)),
        styled(FAINT, &plain(&time))
    );
    text.push_str(&format!("  {}\n", styled(FAINT, "recorded")));
    if event.recorded.is_empty() {
        text.push_str("    no answers; a hook that passes silently leaves no record\n");
    }
    event.recorded.iter().for_each(|hook| text.push_str(&recorded(hook)));
    text.push_str(&format!("  {}\n", styled(FAINT, "with the configuration of today")));
    match (&event.plan, &event.misfit) {
        (Some(plan), _) => text.push_str(&planned::body(plan, 4, around)),
        (None, why) => {
            let why = plain(why.as_deref().unwrap_or_default());
            text.push_str(&format!("    the recorded input does not fit the event: {why}\n"));
        }
    }
    text
}

fn recorded(hook: &RecordedHook) -> String {
    let style = match (hook.result, hook.exit) {
        ("denied", _) => ERROR,
        ("printed", Some(0)) => GOOD,
        ("printed" | "cancelled", _) => WARNING,
        _ => NONE,
    };
    let exit = hook.exit.map(|exit| format!(", exit {exit}")).unwrap_or_default();
    let time = hook.elapsed_ms.map(|elapsed| format!("  {elapsed:.0} ms")).unwrap_or_default();
    let mut text = format!(
        "    {}{exit}  {}{}\n",
        styled(style, hook.result),
        plain(&hook.command),
        styled(FAINT, &time)
    );
    if let Some(shown) = &hook.text {
        text.push_str(&indented(&plain(shown), 6));
    }
    text
}
