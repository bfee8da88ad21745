//! The commands of status lines: a shell runs them as it runs hooks, so they break in the same ways.

use super::{Around, Entry, commands, fetch, machine_paths, template_marks};
use crate::config::raw::{ReadContext, hooks_value};
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member, Node, Span};
use becket_model::EventKind;

/// Settings whose `command` is drawn.
const SETTINGS: [&str; 2] = ["statusLine", "subagentStatusLine"];

/// Checks the commands at the top of a settings file; those of packages only if none was found before.
pub(super) fn lint(
    members: &[Member],
    words: &ReadContext,
    downloads: bool,
    around: &Around<'_>,
    report: &mut Report<'_>,
) {
    for member in members.iter().filter(|member| SETTINGS.contains(&member.key.as_str())) {
        let command = member.value.get("command").filter(|command| command.value.as_text().is_some());
        let Some(entry) = command.and_then(|command| as_handler(command, words, report)) else { continue };
        commands::lint_outside(&entry, around, report);
        machine_paths::lint(&entry, report);
        template_marks::lint(&entry, around, report);
        if !downloads {
            fetch::lint(&entry, report);
        }
    }
}

/// Returns a command as if it were a handler of an event without fields of its own.
fn as_handler(command: &Member, words: &ReadContext, report: &Report<'_>) -> Option<Entry> {
    let span = command.value.span;
    let text = |text: &str| Node { data: Data::Text(text.to_owned()), span };
    let list = |node: Node| Node { data: Data::List(vec![node]), span };
    let map = |members: Vec<Member>| Node { data: Data::Map(members), span };
    let member =
        |key: &str, value: Node| Member { key: key.to_owned(), key_span: span, value, is_repeated: false };
    let handler = map(vec![member("type", text("command")), command.clone()]);
    let group = map(vec![member("hooks", list(handler))]);
    let hooks = map(vec![member(EventKind::Notification.name(), list(group))]);
    let mut apart = Report::new(report.file().into(), report.source().clone(), "");
    let sheet = hooks_value(&hooks, words, &mut apart);
    sheet.entries.into_iter().next().filter(|entry| entry.span != Span::default())
}
