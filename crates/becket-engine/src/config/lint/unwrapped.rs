//! Handlers of events that are beside `hooks` instead of in it. None of them is loaded; their own faults come to light
//! only when they are moved, so they are looked at now.

use crate::config::raw::{Entry, ReadContext, hooks_value};
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member, Node};
use becket_model::EventKind;

/// Returns the handlers, and reports the faults of their groups.
pub(super) fn entries(members: &[Member], words: &ReadContext, report: &mut Report<'_>) -> Vec<Entry> {
    let is_event =
        |member: &&Member| member.key.parse::<EventKind>().is_ok() && member.value.as_list().is_some();
    let events: Vec<Member> = members.iter().filter(is_event).cloned().collect();
    let Some(first) = events.first() else { return Vec::new() };
    let node = Node { span: first.key_span, data: Data::Map(events) };
    hooks_value(&node, words, report).entries
}
