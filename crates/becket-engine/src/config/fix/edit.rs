//! The replacements in the text that a change needs.

use super::FixChange;
use crate::config::source::tree::{Data, Member, Node, Span};
use serde_json::Value;
use std::ops::Range;

/// One replacement in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextEdit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
    /// The key that the edit adds, with the start of its object.
    new_key: Option<(usize, String)>,
}

impl TextEdit {
    fn replace(range: Range<usize>, with: impl Into<String>) -> Self {
        TextEdit { range, with: with.into(), new_key: None }
    }

    /// Records the key that this edit adds to the object.
    fn adds(self, key: &str, map: &Node) -> Self {
        TextEdit { new_key: Some((map.span.start, key.to_owned())), ..self }
    }

    fn insert(at: usize, with: impl Into<String>) -> Self {
        TextEdit::replace(at..at, with)
    }

    fn remove(range: Range<usize>) -> Self {
        TextEdit::replace(range, "")
    }

    /// Returns whether both change the same place, or touch, or both give an object the same key, which would then be
    /// there twice.
    pub(super) fn overlaps(&self, other: &TextEdit) -> bool {
        let touches = self.range.start <= other.range.end && other.range.start <= self.range.end;
        touches || (self.new_key.is_some() && self.new_key == other.new_key)
    }
}

/// Returns the replacements of a change; `None` if the place has another shape than the change expects.
pub(super) fn edits(change: &FixChange, at: Span, text: &str, root: &Node) -> Option<Vec<TextEdit>> {
    match change {
        FixChange::RemoveMember(key) => {
            let (map, nth) = member_around(root, at, |member| member.key == *key)?;
            Some(vec![TextEdit::remove(removal(map, nth, text)?)])
        }
        FixChange::RenameKey(new) => {
            let (map, nth) = member_around(root, at, |member| contains(member.key_span, at))?;
            let is_free = map.as_map()?.iter().all(|member| member.key != *new);
            let key = map.as_map()?.get(nth)?.key_span;
            is_free.then(|| vec![TextEdit::replace(key.range(), quoted(new)).adds(new, map)])
        }
        FixChange::SetValue(value) => {
            let node = node_at(root, at)?;
            Some(vec![TextEdit::replace(node.span.range(), value.to_string())])
        }
        FixChange::AddMember { key, value } => {
            let node = node_at(root, at)?;
            let is_new = node.as_map()?.iter().all(|member| member.key != *key);
            is_new.then(|| add(node, key, value, text)).flatten().map(|edit| vec![edit])
        }
        FixChange::WrapHandler => wrap_handler(node_at(root, at)?, text),
        FixChange::WrapEvents => Some(vec![
            TextEdit::insert(root.span.start, "{\"hooks\": "),
            TextEdit::insert(root.span.end, "}"),
        ]),
        FixChange::RuleToCondition { tool, rule } => rule_to_condition(root, at, tool, rule, text),
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && inner.start < inner.end
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn children(node: &Node) -> Vec<&Node> {
    match &node.data {
        Data::List(nodes) => nodes.iter().collect(),
        Data::Map(members) => members.iter().map(|member| &member.value).collect(),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => Vec::new(),
    }
}

/// Returns the outermost value with exactly this span, or the string around a part of it.
fn node_at(root: &Node, at: Span) -> Option<&Node> {
    let mut node = root;
    while node.span != at {
        match children(node).into_iter().find(|child| contains(child.span, at)) {
            Some(child) => node = child,
            None => return node.as_text().map(|_| node),
        }
    }
    Some(node)
}

/// Returns the innermost map that contains a wanted member around the place, and the position of the member.
fn member_around(root: &Node, at: Span, wanted: impl Fn(&Member) -> bool) -> Option<(&Node, usize)> {
    let mut found = None;
    let mut next = Some(root);
    while let Some(node) = next {
        let members = node.as_map().unwrap_or_default();
        let is_around =
            |member: &Member| contains(Span::new(member.key_span.start, member.value.span.end), at);
        if let Some(nth) = members.iter().position(|member| is_around(member) && wanted(member)) {
            found = Some((node, nth));
        }
        next = children(node).into_iter().find(|child| contains(child.span, at));
    }
    found
}

/// Returns the range of a member with its comma.
fn removal(map: &Node, nth: usize, text: &str) -> Option<Range<usize>> {
    let members = map.as_map()?;
    let member = members.get(nth)?;
    if let Some(next) = members.get(nth + 1) {
        return Some(member.key_span.start..next.key_span.start);
    }
    let end = member.value.span.end;
    match nth.checked_sub(1).and_then(|before| members.get(before)) {
        Some(before) => Some(before.value.span.end..end),
        None => {
            let rest = text.get(end..map.span.end)?;
            Some(map.span.start + 1..end + rest.find('}')?)
        }
    }
}

/// Adds a member in front of the others, with the same whitespace as the first.
fn add(map: &Node, key: &str, value: &Value, text: &str) -> Option<TextEdit> {
    let inside = map.span.start + 1;
    let member = format!("{}: {value}", quoted(key));
    let Some(first) = map.as_map()?.first() else {
        return Some(TextEdit::insert(inside, member).adds(key, map));
    };
    let blanks = text.get(inside..first.key_span.start)?;
    let gap = if blanks.is_empty() { " " } else { "" };
    Some(TextEdit::insert(inside, format!("{blanks}{member},{gap}")).adds(key, map))
}

fn wrap_handler(handler: &Node, text: &str) -> Option<Vec<TextEdit>> {
    let members = handler.as_map()?;
    let (start, end) = (handler.span.start, handler.span.end);
    let after = TextEdit::insert(end, "]}");
    let Some(nth) = members.iter().position(|member| member.key == "matcher") else {
        return Some(vec![TextEdit::insert(start, "{\"hooks\": ["), after]);
    };
    let matcher = text.get(members.get(nth)?.value.span.range())?;
    let removal = removal(handler, nth, text)?;
    if removal.start == start + 1 && members.len() == 1 {
        return None;
    }
    let before = format!("{{\"matcher\": {matcher}, \"hooks\": [");
    let edits = vec![TextEdit::insert(start, before), TextEdit::remove(removal), after];
    let touches = edits.windows(2).any(|pair| matches!(pair, [one, other] if one.overlaps(other)));
    (!touches).then_some(edits)
}

fn rule_to_condition(root: &Node, at: Span, tool: &str, rule: &str, text: &str) -> Option<Vec<TextEdit>> {
    let (group, nth) = member_around(root, at, |member| member.key == "matcher")?;
    let matcher = &group.as_map()?.get(nth)?.value;
    let handlers = group.get("hooks")?.value.as_list()?;
    let mut edits = vec![TextEdit::replace(matcher.span.range(), quoted(tool))];
    for handler in handlers {
        if handler.as_map()?.iter().any(|member| member.key == "if") {
            return None;
        }
        edits.push(add(handler, "if", &Value::from(rule), text)?);
    }
    Some(edits)
}
