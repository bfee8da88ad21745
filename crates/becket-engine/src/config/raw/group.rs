//! Events, matcher groups and flat entries (C1, C2): the structure around the handlers.
//!
//! INVARIANT (C7): an error in one entry never prevents the other entries of the file from being read.

use super::Entry;
use super::dialect::{self, Dialect};
use super::fields::{At, Fields};
use super::handler;
use super::sheet::{ReadContext, Sheet};
use crate::config::fix::{Fix, FixChange};
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member, Node, Span};
use becket_base::suggest;
use becket_model::EventKind;
use becket_rules::Matcher;

/// Keys of a matcher group.
pub(crate) const GROUP_KEYS: &[&str] = &["matcher", "hooks"];
/// Keys of an entry in the flat layout.
const FLAT_KEYS: &[&str] = &["event", "matcher", "config"];

/// Reads the value of `hooks` in either layout; of the events only those that `is_read` selects.
pub(crate) fn hooks(
    node: &Node,
    is_read: impl Fn(&Member) -> bool,
    words: &ReadContext,
    sheet: &mut Sheet,
    report: &mut Report<'_>,
) {
    match &node.data {
        Data::Map(events) => {
            for member in events.iter().filter(|member| is_read(member)) {
                one_event(member, words, sheet, report);
            }
        }
        Data::List(entries) => {
            for entry in entries {
                flat(entry, words, sheet, report);
            }
        }
        Data::Null => {}
        Data::Bool(_) | Data::Number(_) | Data::Text(_) => {
            report
                .error(node.span, "wrong-type", format!("`hooks` must be an object, not {}", node.kind()))
                .help("write `\"hooks\": {\"PreToolUse\": [{\"hooks\": [ … ]}]}`")
                .rule("C1");
            // It may have been meant as a guard.
            sheet.lose(Some(EventKind::PreToolUse), "hooks", node.span, report);
        }
    }
}

/// Reads an event's name; an unknown one is reported with the one that was probably meant.
fn event(name: &str, at: Span, sheet: &mut Sheet, report: &mut Report<'_>) -> Option<EventKind> {
    if let Ok(event) = name.parse() {
        return Some(event);
    }
    // With so many faults no name is compared with the known ones: each may have been meant as a guard.
    let near = if report.is_full() { Some(EventKind::PreToolUse) } else { nearest(name) };
    let help = near.map_or_else(
        || "`becket events` lists them all".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    report
        .error(at, "unknown-event", format!("there is no event `{name}`; its hooks are not loaded"))
        .help(help)
        .rule("C7")
        .fix(near.map(|near| rename(at, near.name())));
    sheet.reject(near, name, at, report);
    None
}

/// Keeps the handlers of a group that is not loaded for those who look at texts alone.
fn not_loaded(
    event: EventKind,
    handlers: &[Node],
    words: &ReadContext,
    sheet: &mut Sheet,
    report: &mut Report<'_>,
) {
    let Ok(matcher) = words.matcher(event, None) else { return };
    for node in handlers {
        if report.is_full() {
            return;
        }
        if let Some(handler) = handler::read(event, node, words, report) {
            let matcher_span = Span::default();
            sheet.not_loaded.push(Entry {
                event,
                matcher: matcher.clone(),
                matcher_span,
                span: node.span,
                handler,
            });
        }
    }
}

/// Looks at the handlers under an event that does not exist, as those of the one that it resembles.
fn below_unknown_event(member: &Member, words: &ReadContext, sheet: &mut Sheet, report: &mut Report<'_>) {
    let near = if report.is_full() { None } else { nearest(&member.key) };
    let Some(near) = near else { return };
    for group in member.value.as_list().unwrap_or_default() {
        let handlers = group.get("hooks").and_then(|hooks| hooks.value.as_list()).unwrap_or_default();
        not_loaded(near, handlers, words, sheet, report);
    }
}

fn rename(at: Span, name: &str) -> Fix {
    Fix::not_safe(at, format!("rename it to `{name}`"), FixChange::RenameKey(name.to_owned()))
}

fn nearest(name: &str) -> Option<EventKind> {
    let names: Vec<&str> = EventKind::ALL.iter().map(|event| event.name()).collect();
    suggest(name, &names).and_then(|near| near.parse().ok())
}

fn one_event(member: &Member, words: &ReadContext, sheet: &mut Sheet, report: &mut Report<'_>) {
    let Some(event) = event(&member.key, member.key_span, sheet, report) else {
        return below_unknown_event(member, words, sheet, report);
    };
    let groups = match &member.value.data {
        Data::List(groups) => groups,
        Data::Null => return,
        Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => {
            let message = format!("`{event}` must be a list of matcher groups, not {}", member.value.kind());
            report
                .error(member.value.span, "wrong-type", message)
                .help(format!("write `\"{event}\": [{{\"hooks\": [ … ]}}]`"))
                .rule("C1");
            sheet.lose(Some(event), event.name(), member.value.span, report);
            return;
        }
    };
    for (index, node) in groups.iter().enumerate() {
        group(event, index, node, (words, sheet, report));
    }
}

fn group(event: EventKind, index: usize, node: &Node, on: (&ReadContext, &mut Sheet, &mut Report<'_>)) {
    let (words, sheet, report) = on;
    let label = || format!("{event}[{index}]");
    let Some(map) = node.as_map() else {
        let message = format!("a matcher group must be an object, not {}", node.kind());
        report.error(node.span, "wrong-type", message).rule("C1");
        sheet.reject(Some(event), &label(), node.span, report);
        return;
    };
    if node.get("hooks").is_none() {
        no_hooks(event, &label(), node, sheet, report);
        return;
    }
    let mut fields = Fields::new(node, map, "matcher group", report);
    fields.report_unknown(&[GROUP_KEYS], words, dialect::group_key);
    let matcher = matcher(event, &mut fields, words);
    let handlers = handlers(&mut fields);
    let (Some(matcher), Some(handlers)) = (matcher, handlers) else {
        sheet.reject(Some(event), &label(), node.span, report);
        not_loaded(event, handlers.unwrap_or_default(), words, sheet, report);
        return;
    };
    for (at, handler) in handlers.iter().enumerate() {
        let label = || format!("{}.hooks[{at}]", label());
        take(event, &matcher, label, handler, (words, sheet, report));
    }
}

/// Returns the handlers of a group.
fn handlers<'n>(fields: &mut Fields<'n, '_, '_>) -> Option<&'n [Node]> {
    let list = &fields.member("hooks")?.value;
    let handlers = list.as_list();
    if handlers.is_none() {
        let message = format!("`hooks` must be a list of handlers, not {}", list.kind());
        fields
            .report
            .error(list.span, "wrong-type", message)
            .help("write `\"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]`")
            .rule("C1");
    }
    handlers
}

/// Reads a handler into the sheet, or records why it can't be read.
fn take(
    event: EventKind,
    matcher: &At<Matcher>,
    label: impl FnOnce() -> String,
    node: &Node,
    on: (&ReadContext, &mut Sheet, &mut Report<'_>),
) {
    let (words, sheet, report) = on;
    match handler::read(event, node, words, report) {
        Some(handler) => sheet.entries.push(Entry {
            event,
            matcher: matcher.value.clone(),
            matcher_span: matcher.span,
            span: node.span,
            handler,
        }),
        None => {
            let label = handler::label(node).unwrap_or_else(|| label().into());
            sheet.reject(Some(event), &label, node.span, report);
        }
    }
}

/// Reports a group without `hooks`: most often a handler in place of a group, as other agents write it.
fn no_hooks(event: EventKind, label: &str, node: &Node, sheet: &mut Sheet, report: &mut Report<'_>) {
    let handler_like =
        ["command", "url", "prompt", "bash", "type"].iter().find(|key| node.get(key).is_some());
    let is_handler = node.get("command").is_some() || node.get("type").is_some();
    let help = match handler_like {
        Some(_) => "it looks like a handler without its group, as Cursor and Copilot write it: wrap it as \
                    `{\"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}`"
            .to_owned(),
        None => node
            .as_map()
            .into_iter()
            .flatten()
            .find(|member| suggest(&member.key, &["hooks"]).is_some())
            .map_or("write `\"hooks\": [ … ]` beside `matcher`".to_owned(), |near| {
                format!("did you mean `hooks` instead of `{}`?", near.key)
            }),
    };
    report
        .error(
            node.span,
            "missing-hooks",
            format!("this group under `{event}` has no `hooks`, so nothing of it runs"),
        )
        .help(help)
        .rule("C1")
        .fix(is_handler.then(|| Fix::not_safe(node.span, "put a group around it", FixChange::WrapHandler)));
    sheet.reject(Some(event), label, node.span, report);
}

/// Compiles a group's matcher. Returns `None` if it is not a matcher, and nothing of the group can run (M4).
fn matcher(event: EventKind, fields: &mut Fields<'_, '_, '_>, words: &ReadContext) -> Option<At<Matcher>> {
    let text = fields.text("matcher");
    if !fields.is_sound() {
        return None;
    }
    let span = text.as_ref().map_or(Span::default(), |text| text.span);
    let text = text.as_ref().map(|text| text.value.as_str());
    if event.spec().matcher.is_none() && text.is_some_and(|text| !["", "*", ".*"].contains(&text)) {
        let message = format!("`{event}` has no matcher: this one is ignored, and the hooks always run");
        fields.report.warning(span, "ignored-matcher", message).help("remove it").rule("M6").fix(Fix::safe(
            span,
            "remove `matcher`",
            FixChange::RemoveMember("matcher"),
        ));
    }
    match words.matcher(event, text) {
        Ok(value) => Some(At { value, span }),
        Err(error) => {
            let help = text.and_then(dialect::tool_filter_help);
            fields
                .report
                .error(span, "invalid-matcher", format!("{error}; the hooks of this group never run"))
                .maybe_help(help)
                .rule("M4");
            None
        }
    }
}

/// Reads one entry of the flat layout (C2).
fn flat(node: &Node, words: &ReadContext, sheet: &mut Sheet, report: &mut Report<'_>) {
    let Some(map) = node.as_map() else {
        let message = format!("an entry of `hooks` must be an object, not {}", node.kind());
        report.error(node.span, "wrong-type", message).rule("C2");
        sheet.reject(Some(EventKind::PreToolUse), "hooks", node.span, report);
        return;
    };
    let mut fields = Fields::new(node, map, "entry of the flat layout", report);
    fields.report_unknown(&[FLAT_KEYS], words, dialect::flat_key);
    let name = fields.required_text("event", "write `{\"event\": \"PreToolUse\", \"config\": { … }}`");
    let Some(name) = name else {
        // The intended event is unknown, so the entry may have been a guard.
        sheet.reject(Some(EventKind::PreToolUse), "hooks", node.span, report);
        return;
    };
    let Some(event) = event(&name.value, name.span, sheet, report) else {
        return;
    };
    let mut fields = Fields::new(node, map, "entry of the flat layout", report);
    let matcher = matcher(event, &mut fields, words);
    let config = fields.map("config").is_some();
    if !config && fields.is_sound() {
        report
            .error(node.span, "missing-field", "this entry has no `config`, so nothing of it runs")
            .help("write the handler as `\"config\": {\"type\": \"command\", \"command\": \"…\"}`")
            .rule("C2");
    }
    match (matcher, node.get("config").filter(|_| config)) {
        (Some(matcher), Some(member)) => {
            take(event, &matcher, || event.name().to_owned(), &member.value, (words, sheet, report));
        }
        (None | Some(_), None | Some(_)) => sheet.reject(Some(event), event.name(), node.span, report),
    }
}

/// The agent whose handlers a file holds.
pub(crate) fn dialect_of_handlers(events: &[Member]) -> Option<Dialect> {
    let groups = events.iter().flat_map(|member| member.value.as_list().unwrap_or_default());
    let mut handlers = groups.filter_map(|group| group.get("hooks")?.value.as_list()).flatten();
    handlers.find_map(dialect::of_handler)
}

/// Returns the agent whose layout a whole file seems to have, by its events.
pub(crate) fn dialect_of(events: &[Member]) -> Option<Dialect> {
    events.iter().find_map(|member| dialect::foreign_event(&member.key)).map(|(dialect, _)| dialect)
}
