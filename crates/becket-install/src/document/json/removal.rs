//! Removal of own entries from a text, with the blanks before them and one comma each.

use super::{HOOKS, JsonText, checked, handlers, is_grouped, is_own_entry, meaning};
use crate::agent::{ConfigForm, ListEntry};
use crate::command::is_own;
use crate::document::layout::Gap;
use crate::document::splice::without;
use crate::document::{DocumentError, EditedText, Insertion, without_insertions};
use jsonc_parser::ast::{Array, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use serde_json::Value;

/// Removes the own entries, and the parts of `created` that are then empty. If the `insertions` that added them are
/// unchanged, only they are removed.
pub(in crate::document) fn remove(
    form: ConfigForm,
    text: &str,
    created: &[Vec<String>],
    insertions: &[Insertion],
) -> Result<EditedText, DocumentError> {
    let parsed = JsonText::of(form, text)?;
    let mut removal = Removal::of(form, text);
    removal.check_no_comments(&parsed)?;
    let mut keys: Vec<String> = Vec::new();
    let mut takes_all = false;
    if let (Some(root), Some(hooks)) = (&parsed.root, parsed.hooks()?) {
        let is_created = |path: &[&str]| created.iter().any(|known| known == path);
        let mut gone = Vec::new();
        for (index, event) in hooks.properties.iter().enumerate() {
            let Node::Array(list) = &event.value else { continue };
            let own: Vec<usize> = removal.own_elements(list);
            let is_empty = !own.is_empty() && own.len() == list.elements.len();
            if is_empty && is_created(&[HOOKS, event.name.as_str()]) && removal.is_plain(list) {
                gone.push(index);
                keys.push(event.name.as_str().to_owned());
            } else {
                removal.children(list.range, &ranges(&list.elements), &own);
            }
        }
        let properties: Vec<Range> = hooks.properties.iter().map(|property| property.range).collect();
        let is_empty = !gone.is_empty() && gone.len() == properties.len();
        takes_all = is_empty && is_created(&[HOOKS]) && removal.has_no_comments(hooks.range, &properties);
        if takes_all {
            let all: Vec<Range> = root.properties.iter().map(|property| property.range).collect();
            let index = root.properties.iter().position(|property| property.name.as_str() == HOOKS);
            removal.children(root.range, &all, &index.into_iter().collect::<Vec<_>>());
        } else {
            removal.children(hooks.range, &properties, &gone);
        }
    }
    let mut expected = meaning(form, text)?;
    take_own(form, &mut expected, &keys);
    if takes_all {
        expected.as_object_mut().map(|object| object.shift_remove(HOOKS));
    }
    let edited = |text: String| EditedText { text, inserted: Vec::new(), created: Vec::new() };
    if let Some(left) = without_insertions(text, insertions)
        && leaves_no_comma(form, text, &left)
        && let Ok(exact) = checked(form, edited(left), &expected)
    {
        return Ok(exact);
    }
    checked(form, edited(without(text, removal.ranges)), &expected)
}

/// Returns true if the remaining text has no comma after a last child that the whole text does not have.
fn leaves_no_comma(form: ConfigForm, whole: &str, left: &str) -> bool {
    let count = |text: &str| -> Option<usize> {
        let parsed = JsonText::of(form, text).ok()?;
        Some(parsed.root.map_or(0, |root| trailing_commas(text, &Node::Object(root))))
    };
    count(left).is_some_and(|left| count(whole).is_some_and(|whole| left <= whole))
}

/// Returns the number of commas after the last child of an object or a list.
fn trailing_commas(text: &str, node: &Node<'_>) -> usize {
    let (container, last, inner) = match node {
        Node::Object(object) => (
            object.range,
            object.properties.last().map(|property| property.range.end),
            object.properties.iter().map(|property| trailing_commas(text, &property.value)).sum::<usize>(),
        ),
        Node::Array(list) => (
            list.range,
            list.elements.last().map(|element| element.range().end),
            list.elements.iter().map(|element| trailing_commas(text, element)).sum(),
        ),
        Node::NullKeyword(_) | Node::BooleanLit(_) | Node::StringLit(_) | Node::NumberLit(_) => return 0,
    };
    let own = last.and_then(|last| Gap::read(text, last..container.end - 1).comma);
    inner + usize::from(own.is_some())
}

fn ranges(nodes: &[Node<'_>]) -> Vec<Range> {
    nodes.iter().map(Ranged::range).collect()
}

/// The deletions that remove entries.
pub(super) struct Removal<'t> {
    form: ConfigForm,
    text: &'t str,
    ranges: Vec<std::ops::Range<usize>>,
}

impl<'t> Removal<'t> {
    pub(super) const fn of(form: ConfigForm, text: &'t str) -> Self {
        Removal { form, text, ranges: Vec::new() }
    }

    pub(super) fn into_ranges(self) -> Vec<std::ops::Range<usize>> {
        self.ranges
    }

    /// Returns the elements of an event's list that are removed whole; own handlers beside those of others are removed
    /// at once.
    fn own_elements(&mut self, list: &Array<'_>) -> Vec<usize> {
        let mut whole = Vec::new();
        for (index, element) in list.elements.iter().enumerate() {
            if !is_grouped(self.form) {
                if is_own_entry(self.form, element) {
                    whole.push(index);
                }
                continue;
            }
            let Some(handlers) = handlers(element) else { continue };
            let own: Vec<usize> = (0..handlers.elements.len())
                .filter(|at| is_own_entry(self.form, &handlers.elements[*at]))
                .collect();
            if own.is_empty() {
                continue;
            }
            if own.len() == handlers.elements.len() && is_plain_group(element) {
                whole.push(index);
            } else {
                self.children(handlers.range, &ranges(&handlers.elements), &own);
            }
        }
        whole
    }

    /// Checks that no comment is inside of an own entry, since it is the user's.
    fn check_no_comments(&self, parsed: &JsonText<'_>) -> Result<(), DocumentError> {
        let events = parsed.hooks()?.map_or(&[][..], |hooks| &hooks.properties);
        let lists = events.iter().filter_map(|event| event.value.as_array());
        for element in lists.flat_map(|list| &list.elements) {
            let entries = match is_grouped(self.form) {
                true => handlers(element).map_or(&[][..], |list| &list.elements),
                false => std::slice::from_ref(element),
            };
            let own: Vec<&Node<'_>> = entries.iter().filter(|entry| is_own_entry(self.form, entry)).collect();
            let is_whole = !own.is_empty() && own.len() == entries.len() && is_plain_group(element);
            let has_comment =
                own.iter().any(|entry| self.has_comments(entry)) || (is_whole && self.has_comments(element));
            if has_comment {
                return Err(DocumentError::Form(
                    "a comment is inside of an entry of becket: move it elsewhere first".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Returns true if a comment is inside of a value.
    fn has_comments(&self, node: &Node<'_>) -> bool {
        if let Node::Array(list) = node {
            return !self.is_plain(list) || list.elements.iter().any(|element| self.has_comments(element));
        }
        let Node::Object(object) = node else { return false };
        let properties: Vec<Range> = object.properties.iter().map(|property| property.range).collect();
        !self.has_no_comments(object.range, &properties)
            || object.properties.iter().any(|property| {
                let colon = property.name.range().end..property.value.range().start;
                !Gap::read(self.text, colon).comments.is_empty() || self.has_comments(&property.value)
            })
    }

    /// Returns true if a list contains no comment outside of its elements.
    fn is_plain(&self, list: &Array<'_>) -> bool {
        self.has_no_comments(list.range, &ranges(&list.elements))
    }

    /// Returns true if a container contains no comment outside of its children.
    pub(super) fn has_no_comments(&self, container: Range, children: &[Range]) -> bool {
        let starts = std::iter::once(container.start + 1).chain(children.iter().map(|child| child.end));
        let ends = children.iter().map(|child| child.start).chain([container.end - 1]);
        starts.zip(ends).all(|(start, end)| Gap::read(self.text, start..end).comments.is_empty())
    }

    /// Deletes children with the blanks before them and one comma each; comments stay.
    pub(super) fn children(&mut self, container: Range, children: &[Range], own: &[usize]) {
        for &index in own {
            let child = children[index];
            let before = index.checked_sub(1).map_or(container.start + 1, |index| children[index].end);
            let lead = Gap::read(self.text, before..child.start).end_of_kept(self.text, before);
            self.ranges.push(lead..child.end);
            let next = children.get(index + 1).map_or(container.end - 1, |next| next.start);
            let comma = Gap::read(self.text, child.end..next).comma;
            match comma {
                Some(comma) if self.text[child.end..comma].trim().is_empty() => {
                    self.ranges.push(child.end..comma + 1);
                }
                Some(comma) => self.ranges.push(comma..comma + 1),
                None => self.comma_before(children, own, index),
            }
        }
    }

    /// Deletes the comma after the last child that stays.
    fn comma_before(&mut self, children: &[Range], own: &[usize], index: usize) {
        let Some(kept) = (0..index).rev().find(|kept| !own.contains(kept)) else { return };
        let gap = Gap::read(self.text, children[kept].end..children[kept + 1].start);
        self.ranges.extend(gap.comma.map(|comma| comma..comma + 1));
    }
}

/// Returns true if a group has only the keys that `add` writes. A matcher that was edited means nothing without
/// handlers.
fn is_plain_group(group: &Node<'_>) -> bool {
    let Node::Object(group) = group else { return false };
    group.properties.iter().all(|property| is_key_of_group(property.name.as_str()))
}

fn is_key_of_group(key: &str) -> bool {
    [HOOKS, "matcher"].contains(&key)
}

/// Removes the own entries from the meaning of a text, and the lists of some events.
fn take_own(form: ConfigForm, value: &mut Value, events: &[String]) {
    let key = if form == ConfigForm::List(ListEntry::Copilot) { "bash" } else { "command" };
    let is_ours = |entry: &Value| entry.get(key).and_then(Value::as_str).is_some_and(is_own);
    let Some(hooks) = value.get_mut(HOOKS).and_then(Value::as_object_mut) else { return };
    hooks.retain(|event, _| !events.contains(event));
    for list in hooks.values_mut().filter_map(Value::as_array_mut) {
        list.retain_mut(|element| match is_grouped(form) {
            true => !is_taken(element, is_ours),
            false => !is_ours(element),
        });
    }
}

/// Removes the own handlers from a group; returns true if the group is then empty.
fn is_taken(group: &mut Value, is_ours: impl Fn(&Value) -> bool) -> bool {
    let is_plain = group.as_object().is_some_and(|group| group.keys().all(|key| is_key_of_group(key)));
    let Some(handlers) = group.get_mut(HOOKS).and_then(Value::as_array_mut) else { return false };
    let before = handlers.len();
    handlers.retain(|handler| !is_ours(handler));
    is_plain && handlers.is_empty() && before > 0
}
