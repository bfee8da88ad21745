//! Elements of the lists in a settings file (`permissions.deny`, `hooks.PreToolUse`), appended and removed again.

use super::append::{Item, Layout};
use super::removal::Removal;
use super::{JsonText, checked, malformed, meaning, only, plain, wrong};
use crate::agent::ConfigForm;
use crate::document::layout::rendered;
use crate::document::splice::{Insertions, without};
use crate::document::{DocumentError, EditedText, SettingsItem};
use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use serde_json::{Map, Value, json};

/// Appends items that are missing, each at the end of its list.
pub(in crate::document) fn append(
    form: ConfigForm,
    text: &str,
    items: &[SettingsItem],
) -> Result<EditedText, DocumentError> {
    let parsed = JsonText::of(form, text)?;
    let mut expected = meaning(form, text)?;
    let new = missing(form, &mut expected, items)?;
    let mut appended = ItemInsertions {
        layout: Layout::of(&parsed),
        insertions: Insertions::default(),
        created: Vec::new(),
        sections: Map::new(),
    };
    for section in sections(&new) {
        let lists: Vec<&SettingsItem> = new.iter().copied().filter(|item| item.section == section).collect();
        appended.section(&parsed, section, &lists)?;
    }
    let edited = appended.finish(&parsed);
    checked(form, edited, &expected)
}

/// Returns true if the list of an item contains it.
pub(in crate::document) fn contains(
    form: ConfigForm,
    text: &str,
    item: &SettingsItem,
) -> Result<bool, DocumentError> {
    Ok(is_in(&meaning(form, text)?, item, &meaning_of(form, &item.value)?))
}

/// Removes items, and the parts of `created` that are then empty.
pub(in crate::document) fn take(
    form: ConfigForm,
    text: &str,
    items: &[SettingsItem],
    created: &[Vec<String>],
) -> Result<EditedText, DocumentError> {
    let parsed = JsonText::of(form, text)?;
    let mut taken = ItemRemoval {
        form,
        items,
        created,
        removal: Removal::of(form, text),
        expected: meaning(form, text)?,
    };
    if let Some(root) = &parsed.root {
        taken.root(root)?;
    }
    let ItemRemoval { removal, expected, .. } = taken;
    let text = without(text, removal.into_ranges());
    checked(form, EditedText { text, inserted: Vec::new(), created: Vec::new() }, &expected)
}

/// Returns the items that a document lacks, each once, and adds them to its meaning.
fn missing<'i>(
    form: ConfigForm,
    expected: &mut Value,
    items: &'i [SettingsItem],
) -> Result<Vec<&'i SettingsItem>, DocumentError> {
    let mut new = Vec::new();
    for item in items {
        let value = meaning_of(form, &item.value)?;
        if is_in(expected, item, &value) {
            continue;
        }
        new.push(item);
        if !expected.is_object() {
            *expected = json!({});
        }
        // A section or a list of another type is rejected where the item would be inserted.
        let section = &mut expected[item.section.as_str()];
        let list = match section {
            Value::Null | Value::Object(_) => &mut section[item.list.as_str()],
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => continue,
        };
        if let Some(list) = list.as_array_mut() {
            list.push(value);
        } else {
            *list = json!([value]);
        }
    }
    Ok(new)
}

fn is_in(document: &Value, item: &SettingsItem, value: &Value) -> bool {
    let list = document.get(&item.section).and_then(|section| section.get(&item.list));
    list.and_then(Value::as_array).is_some_and(|list| list.contains(value))
}

/// Returns the value of an item as [`meaning`] reads one from a text.
fn meaning_of(form: ConfigForm, value: &Value) -> Result<Value, DocumentError> {
    meaning(form, &value.to_string())
}

/// Returns the sections of items, each once.
fn sections<'i>(items: &[&'i SettingsItem]) -> Vec<&'i str> {
    let mut found: Vec<&str> = Vec::new();
    for item in items {
        if !found.contains(&item.section.as_str()) {
            found.push(&item.section);
        }
    }
    found
}

fn object<'o, 't>(root: Option<&'o Object<'t>>, key: &str) -> Result<Option<&'o Object<'t>>, DocumentError> {
    match root.map(|root| only(root, key)).transpose()?.flatten().map(|property| &property.value) {
        None => Ok(None),
        Some(Node::Object(object)) => Ok(Some(object)),
        Some(_) => Err(wrong(format!("`{key}`"), "an object")),
    }
}

fn properties(object: &Object<'_>) -> Vec<Range> {
    object.properties.iter().map(|property| property.range).collect()
}

fn elements(list: &Array<'_>) -> Vec<Range> {
    list.elements.iter().map(Ranged::range).collect()
}

/// The insertions of items.
struct ItemInsertions<'t> {
    layout: Layout<'t>,
    insertions: Insertions,
    created: Vec<Vec<String>>,
    /// The sections that the document lacks.
    sections: Map<String, Value>,
}

impl ItemInsertions<'_> {
    fn section(
        &mut self,
        parsed: &JsonText<'_>,
        section: &str,
        items: &[&SettingsItem],
    ) -> Result<(), DocumentError> {
        let object = object(parsed.root.as_ref(), section)?;
        let mut lists: Map<String, Value> = Map::new();
        for item in items {
            let list = lists.entry(item.list.clone()).or_insert_with(|| json!([]));
            list.as_array_mut().into_iter().for_each(|list| list.push(item.value.clone()));
        }
        let mut new = Map::new();
        for (name, values) in lists {
            let known = object.map(|object| only(object, &name)).transpose()?.flatten();
            match known.map(|property| &property.value) {
                Some(Node::Array(list)) => self.append_values(list, &values),
                Some(_) => return Err(wrong(format!("`{section}.{name}`"), "a list")),
                None => {
                    self.created.push(vec![section.to_owned(), name.clone()]);
                    new.insert(name, values);
                }
            }
        }
        match object {
            Some(object) => self.append_properties(object, &new),
            None => {
                self.created.push(vec![section.to_owned()]);
                self.sections.insert(section.to_owned(), Value::Object(new));
            }
        }
        Ok(())
    }

    fn append_values(&mut self, list: &Array<'_>, values: &Value) {
        let values = values.as_array().map_or(&[][..], Vec::as_slice);
        let items: Vec<Item<'_>> = values.iter().map(Item::value).collect();
        self.layout.append(&mut self.insertions, list.range, &elements(list), &items);
    }

    fn append_properties(&mut self, object: &Object<'_>, new: &Map<String, Value>) {
        let items: Vec<Item<'_>> = new.iter().map(|(key, value)| Item::property(key, value)).collect();
        if !items.is_empty() {
            self.layout.append(&mut self.insertions, object.range, &properties(object), &items);
        }
    }

    /// Inserts the new sections, and returns the text.
    fn finish(mut self, parsed: &JsonText<'_>) -> EditedText {
        let new = std::mem::take(&mut self.sections);
        if let Some(root) = &parsed.root {
            self.append_properties(root, &new);
        } else if !new.is_empty() {
            let line_break = self.layout.line_break;
            let whole = rendered(&Value::Object(new), "  ", "", line_break);
            self.insertions.push(parsed.text.len(), format!("{whole}{line_break}"));
        }
        self.insertions.apply(parsed.text, self.created)
    }
}

/// The deletions of items.
struct ItemRemoval<'t, 'i> {
    form: ConfigForm,
    items: &'i [SettingsItem],
    created: &'i [Vec<String>],
    removal: Removal<'t>,
    expected: Value,
}

impl ItemRemoval<'_, '_> {
    fn root(&mut self, root: &Object<'_>) -> Result<(), DocumentError> {
        let all: Vec<&SettingsItem> = self.items.iter().collect();
        let mut gone = Vec::new();
        for section in sections(&all) {
            let Some(object) = object(Some(root), section)? else { continue };
            if self.section(section, object)? {
                let index = root.properties.iter().position(|property| property.name.as_str() == section);
                gone.extend(index);
                self.expected.as_object_mut().map(|object| object.shift_remove(section));
            }
        }
        gone.sort_unstable();
        self.removal.children(root.range, &properties(root), &gone);
        Ok(())
    }

    /// Removes the items of a section; returns true if a section that was created is then empty.
    fn section(&mut self, section: &str, object: &Object<'_>) -> Result<bool, DocumentError> {
        let mut gone = Vec::new();
        for (index, property) in object.properties.iter().enumerate() {
            let Node::Array(list) = &property.value else { continue };
            let name = property.name.as_str();
            let own = self.own(section, name, list)?;
            if own.is_empty() {
                continue;
            }
            let is_created = self.created.iter().any(|path| *path == [section, name]);
            let is_empty = own.len() == list.elements.len();
            if is_empty && is_created && self.removal.has_no_comments(list.range, &elements(list)) {
                gone.push(index);
                self.expected[section].as_object_mut().map(|object| object.shift_remove(name));
            } else {
                self.removal.children(list.range, &elements(list), &own);
                self.forget(section, name, &own);
            }
        }
        let is_created = self.created.iter().any(|path| *path == [section]);
        let is_empty = !gone.is_empty() && gone.len() == object.properties.len();
        if is_empty && is_created && self.removal.has_no_comments(object.range, &properties(object)) {
            return Ok(true);
        }
        self.removal.children(object.range, &properties(object), &gone);
        Ok(false)
    }

    /// Returns the positions of the items in a list: of equal elements the last one, as items are appended.
    fn own(&self, section: &str, list: &str, elements: &Array<'_>) -> Result<Vec<usize>, DocumentError> {
        let values: Vec<Value> = elements.elements.iter().map(plain).collect();
        let mut own = Vec::new();
        for item in self.items.iter().filter(|item| item.section == section && item.list == list) {
            let value = meaning_of(self.form, &item.value)?;
            let found = (0..values.len()).rev().find(|at| values[*at] == value && !own.contains(at));
            own.extend(found);
        }
        own.sort_unstable();
        Ok(own)
    }

    fn forget(&mut self, section: &str, list: &str, own: &[usize]) {
        let list = self.expected[section][list].as_array_mut();
        let mut index = 0..;
        list.into_iter().for_each(|list| {
            list.retain(|_| index.next().is_none_or(|index| !own.contains(&index)));
        });
    }
}

/// Returns the elements of a list, as values.
pub(in crate::document) fn values(
    form: ConfigForm,
    text: &str,
    section: &str,
    list: &str,
) -> Result<Vec<Value>, DocumentError> {
    // Malformed JSON is reported with its position by the parser of the document.
    meaning(form, text)?;
    let value: Value =
        if text.trim().is_empty() { Value::Null } else { serde_json::from_str(text).map_err(malformed)? };
    let list = value.get(section).and_then(|section| section.get(list));
    Ok(list.and_then(Value::as_array).cloned().unwrap_or_default())
}
