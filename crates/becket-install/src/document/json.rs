//! Entries in JSON, with or without comments.

use super::layout::{Gap, indentation, is_first_on_line, line_break, rendered};
use super::splice::{Insertions, without};
use super::{DocumentError, EditedText, Entry, OwnEntry};
use crate::agent::{ConfigForm, ListEntry};
use crate::command::is_own;
use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value, json};

/// The key of the object with the events.
const HOOKS: &str = "hooks";

const fn options(form: ConfigForm) -> ParseOptions {
    let comments = matches!(form, ConfigForm::Groups { comments: true, .. });
    ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn malformed(why: impl ToString) -> DocumentError {
    DocumentError::Malformed { format: "JSON", why: why.to_string() }
}

fn wrong(what: impl Into<String>, expected: &'static str) -> DocumentError {
    DocumentError::WrongType { what: what.into(), expected }
}

/// A parsed text.
struct Parsed<'t> {
    text: &'t str,
    root: Option<Object<'t>>,
}

impl<'t> Parsed<'t> {
    fn of(form: ConfigForm, text: &'t str) -> Result<Self, DocumentError> {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options(form)).map_err(malformed)?;
        let root = match parsed.value {
            None => None,
            Some(Node::Object(root)) => Some(root),
            Some(_) => return Err(wrong("the top level", "an object")),
        };
        Ok(Parsed { text, root })
    }

    fn hooks(&self) -> Result<Option<&Object<'t>>, DocumentError> {
        let Some(property) = self.root.as_ref().map(|root| only(root, HOOKS)).transpose()?.flatten() else {
            return Ok(None);
        };
        match &property.value {
            Node::Object(hooks) => Ok(Some(hooks)),
            _ => Err(wrong("`hooks`", "an object")),
        }
    }
}

/// Returns the only property of a name.
fn only<'o, 't>(object: &'o Object<'t>, key: &str) -> Result<Option<&'o ObjectProp<'t>>, DocumentError> {
    let mut found = object.properties.iter().filter(|property| property.name.as_str() == key);
    match (found.next(), found.next()) {
        (property, None) => Ok(property),
        (_, Some(_)) => Err(DocumentError::DuplicateKey(key.to_owned())),
    }
}

/// Returns the command of an entry.
fn command<'o>(form: ConfigForm, entry: &'o Node<'_>) -> Option<&'o str> {
    let Node::Object(entry) = entry else { return None };
    let key = if form == ConfigForm::List(ListEntry::Copilot) { "bash" } else { "command" };
    entry.properties.iter().filter(|property| property.name.as_str() == key).find_map(|property| {
        match &property.value {
            Node::StringLit(text) => Some(text.value.as_ref()),
            _ => None,
        }
    })
}

fn is_own_entry(form: ConfigForm, entry: &Node<'_>) -> bool {
    command(form, entry).is_some_and(is_own)
}

/// Returns the handlers of a group.
fn handlers<'o, 't>(group: &'o Node<'t>) -> Option<&'o Array<'t>> {
    let Node::Object(group) = group else { return None };
    match &only(group, HOOKS).ok()??.value {
        Node::Array(handlers) => Some(handlers),
        _ => None,
    }
}

/// Returns the entries that are Becket's own.
pub(super) fn own(form: ConfigForm, text: &str) -> Result<Vec<OwnEntry>, DocumentError> {
    let parsed = Parsed::of(form, text)?;
    let mut found = Vec::new();
    for event in parsed.hooks()?.map_or(&[][..], |hooks| &hooks.properties) {
        let Node::Array(elements) = &event.value else { continue };
        for element in &elements.elements {
            let entries = match form {
                ConfigForm::Groups { .. } => handlers(element).map_or(&[][..], |list| &list.elements),
                _ => std::slice::from_ref(element),
            };
            let commands = entries.iter().filter_map(|entry| command(form, entry)).filter(|text| is_own(text));
            found.extend(commands.map(|command| OwnEntry {
                event: event.name.as_str().to_owned(),
                command: command.to_owned(),
            }));
        }
    }
    Ok(found)
}

/// The element of an event's list for an entry.
pub(crate) fn element(form: ConfigForm, entry: &Entry) -> Value {
    let Entry { command, limit, .. } = entry;
    match form {
        ConfigForm::List(ListEntry::Copilot) => json!({"type": "command", "bash": command, "timeoutSec": limit}),
        ConfigForm::List(ListEntry::Cursor) => json!({"command": command, "timeout": limit, "failClosed": true}),
        ConfigForm::List(ListEntry::Windsurf) => json!({"command": command, "show_output": true}),
        ConfigForm::Groups { matcher, named, .. } => {
            let mut handler = Map::from_iter([("type".to_owned(), json!("command"))]);
            if named {
                handler.insert("name".to_owned(), json!("becket"));
            }
            handler.extend([("command".to_owned(), json!(command)), ("timeout".to_owned(), json!(limit))]);
            let mut group = Map::new();
            if matcher {
                group.insert("matcher".to_owned(), json!("*"));
            }
            group.insert(HOOKS.to_owned(), json!([handler]));
            Value::Object(group)
        }
        ConfigForm::Tables | ConfigForm::Sequences | ConfigForm::Scripts | ConfigForm::Plugin(_) => Value::Null,
    }
}

/// The version that a new file of the form begins with.
const fn version(form: ConfigForm) -> Option<u64> {
    match form {
        ConfigForm::List(ListEntry::Copilot | ListEntry::Cursor) => Some(1),
        _ => None,
    }
}

/// Adds entries at the end of each event's list.
pub(super) fn add(form: ConfigForm, text: &str, entries: &[Entry]) -> Result<EditedText, DocumentError> {
    let parsed = Parsed::of(form, text)?;
    let mut insertions = Insertions::default();
    let mut created = Vec::new();
    let layout = Layout::of(&parsed);
    let (mut missing, mut expected) = (Map::new(), meaning(form, text)?);
    let hooks = parsed.hooks()?;
    for entry in entries {
        let new = element(form, entry);
        let event = hooks.map(|hooks| only(hooks, &entry.event)).transpose()?.flatten();
        match event.map(|event| &event.value) {
            Some(Node::Array(list)) => {
                let children: Vec<Range> = list.elements.iter().map(Ranged::range).collect();
                layout.append(&mut insertions, list.range, &children, &[Item::value(&new)]);
            }
            Some(_) => return Err(wrong(format!("`hooks.{}`", entry.event), "a list")),
            None => {
                created.push(vec![HOOKS.to_owned(), entry.event.clone()]);
                let list = missing.entry(entry.event.clone()).or_insert_with(|| json!([]));
                list.as_array_mut().map(|list| list.push(new.clone()));
            }
        }
        put(&mut expected, &entry.event, new);
    }
    let root = parsed.root.as_ref();
    let properties = |object: &Object<'_>| object.properties.iter().map(|property| property.range).collect::<Vec<_>>();
    if let Some(hooks) = hooks.filter(|_| !missing.is_empty()) {
        let items: Vec<Item<'_>> = missing.iter().map(|(event, list)| Item::property(event, list)).collect();
        layout.append(&mut insertions, hooks.range, &properties(hooks), &items);
    } else if !missing.is_empty() {
        created.push(vec![HOOKS.to_owned()]);
        let all = Value::Object(missing);
        match root {
            Some(root) => layout.append(&mut insertions, root.range, &properties(root), &[Item::property(HOOKS, &all)]),
            None => {
                let mut whole = Map::new();
                if let Some(version) = version(form) {
                    whole.insert("version".to_owned(), json!(version));
                    put_version(&mut expected, version);
                }
                whole.insert(HOOKS.to_owned(), all);
                let whole = rendered(&Value::Object(whole), "  ", "", layout.line_break);
                insertions.push(text.len(), format!("{whole}{}", layout.line_break));
            }
        }
    }
    let edited = insertions.apply(text, created);
    checked(form, edited, &expected)
}

/// Puts an entry into the intended meaning.
fn put(expected: &mut Value, event: &str, new: Value) {
    if !expected.is_object() {
        *expected = json!({});
    }
    if let Some(list) = expected[HOOKS][event].as_array_mut() {
        list.push(new);
    } else {
        expected[HOOKS][event] = json!([new]);
    }
}

fn put_version(expected: &mut Value, version: u64) {
    expected["version"] = json!(version);
}

/// The meaning of a text; `Null` for one without a value.
fn meaning(form: ConfigForm, text: &str) -> Result<Value, DocumentError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options(form)).map_err(malformed)?;
    Ok(parsed.value.as_ref().map_or(Value::Null, plain))
}

fn plain(value: &Node<'_>) -> Value {
    match value {
        Node::NullKeyword(_) => Value::Null,
        Node::BooleanLit(literal) => json!(literal.value),
        Node::StringLit(text) => json!(text.value),
        // The digits are compared, not the value, so that no precision is lost.
        Node::NumberLit(number) => {
            number.value.parse::<u64>().map_or_else(|_| json!({"number": number.value}), |number| json!(number))
        }
        Node::Array(list) => Value::Array(list.elements.iter().map(plain).collect()),
        Node::Object(object) => {
            let members = object.properties.iter();
            Value::Object(members.map(|member| (member.name.as_str().to_owned(), plain(&member.value))).collect())
        }
    }
}

fn checked(form: ConfigForm, edited: EditedText, expected: &Value) -> Result<EditedText, DocumentError> {
    match meaning(form, &edited.text) {
        Ok(value) if value == *expected => Ok(edited),
        Ok(_) | Err(_) => Err(DocumentError::Ambiguous("edit it by hand")),
    }
}

/// A value to append, with its key in an object.
struct Item<'v> {
    key: Option<&'v str>,
    value: &'v Value,
}

impl<'v> Item<'v> {
    const fn value(value: &'v Value) -> Self {
        Item { key: None, value }
    }

    const fn property(key: &'v str, value: &'v Value) -> Self {
        Item { key: Some(key), value }
    }

    fn text(&self, value: String) -> String {
        self.key.map_or_else(|| value.clone(), |key| format!("{}: {value}", json!(key)))
    }
}

/// The layout of a document.
struct Layout<'t> {
    text: &'t str,
    line_break: &'static str,
    unit: &'t str,
}

impl<'t> Layout<'t> {
    fn of(parsed: &Parsed<'t>) -> Self {
        let first = parsed.root.as_ref().and_then(|root| root.properties.first());
        let unit = first.filter(|first| is_first_on_line(parsed.text, first.range.start));
        let unit = unit.map_or("", |first| indentation(parsed.text, first.range.start));
        Layout {
            text: parsed.text,
            line_break: line_break(parsed.text),
            unit: if unit.is_empty() { "  " } else { unit },
        }
    }

    /// Appends items to an object or a list, with the commas that it needs.
    fn append(&self, insertions: &mut Insertions, container: Range, children: &[Range], items: &[Item<'_>]) {
        let text = self.text;
        let outer = indentation(text, container.start);
        let last = children.last();
        let inner = match last.filter(|last| is_first_on_line(text, last.start)) {
            Some(last) => indentation(text, last.start).to_owned(),
            None => format!("{outer}{}", self.unit),
        };
        let start = last.map_or(container.start + 1, |last| last.end);
        let gap = Gap::read(text, start..container.end - 1);
        let is_inline = last.is_some() && !text[container.start..container.end].contains('\n') && gap.comments.is_empty();
        if is_inline {
            let items: Vec<String> = items.iter().map(|item| item.text(item.value.to_string())).collect();
            let items = items.join(", ");
            return match gap.comma {
                Some(comma) => insertions.push(comma + 1, format!(" {items},")),
                None => insertions.push(start, format!(", {items}")),
            };
        }
        let broken = self.line_break;
        let lines: Vec<String> = items
            .iter()
            .map(|item| format!("{broken}{inner}{}", item.text(rendered(item.value, self.unit, &inner, broken))))
            .collect();
        let all = lines.join(",");
        match (last, gap.comma) {
            (Some(_), Some(comma)) => insertions.push(gap.end_on_line(text, comma + 1), format!("{all},")),
            (Some(last), None) => {
                insertions.push(last.end, ",");
                insertions.push(gap.end_on_line(text, last.end), all);
            }
            (None, _) => {
                let at = gap.end_on_line(text, start);
                let is_broken = text[at..container.end - 1].contains('\n');
                let end = if is_broken { String::new() } else { format!("{broken}{outer}") };
                insertions.push(at, format!("{all}{end}"));
            }
        }
    }
}

/// Removes the own entries, and of `created` what is empty then.
pub(super) fn remove(form: ConfigForm, text: &str, created: &[Vec<String>]) -> Result<EditedText, DocumentError> {
    let parsed = Parsed::of(form, text)?;
    let mut removal = Removal { form, text, ranges: Vec::new() };
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
    let edited = EditedText { text: without(text, removal.ranges), inserted: Vec::new(), created: Vec::new() };
    let mut expected = meaning(form, text)?;
    take_own(form, &mut expected, &keys);
    if takes_all {
        expected.as_object_mut().map(|object| object.shift_remove(HOOKS));
    }
    checked(form, edited, &expected)
}

fn ranges(nodes: &[Node<'_>]) -> Vec<Range> {
    nodes.iter().map(Ranged::range).collect()
}

/// The deletions that remove own entries.
struct Removal<'t> {
    form: ConfigForm,
    text: &'t str,
    ranges: Vec<std::ops::Range<usize>>,
}

impl Removal<'_> {
    /// Returns the elements of an event's list that are removed whole; own handlers beside those of others are removed
    /// at once.
    fn own_elements(&mut self, list: &Array<'_>) -> Vec<usize> {
        let mut whole = Vec::new();
        for (index, element) in list.elements.iter().enumerate() {
            if !matches!(self.form, ConfigForm::Groups { .. }) {
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

    /// Returns true if a list holds no comment outside of its elements.
    fn is_plain(&self, list: &Array<'_>) -> bool {
        self.has_no_comments(list.range, &ranges(&list.elements))
    }

    fn has_no_comments(&self, container: Range, children: &[Range]) -> bool {
        let starts = std::iter::once(container.start + 1).chain(children.iter().map(|child| child.end));
        let ends = children.iter().map(|child| child.start).chain([container.end - 1]);
        starts.zip(ends).all(|(start, end)| Gap::read(self.text, start..end).comments.is_empty())
    }

    /// Deletes children with the blanks before them and one comma each; comments stay.
    fn children(&mut self, container: Range, children: &[Range], own: &[usize]) {
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

/// Returns true if a group holds nothing but what `add` writes.
fn is_plain_group(group: &Node<'_>) -> bool {
    let Node::Object(group) = group else { return false };
    group.properties.iter().all(|property| match property.name.as_str() {
        HOOKS => true,
        "matcher" => matches!(&property.value, Node::StringLit(text) if text.value == "*"),
        _ => false,
    })
}

/// Takes the own entries out of the meaning of a text, and the lists of some events.
fn take_own(form: ConfigForm, value: &mut Value, events: &[String]) {
    let key = if form == ConfigForm::List(ListEntry::Copilot) { "bash" } else { "command" };
    let is_ours = |entry: &Value| entry.get(key).and_then(Value::as_str).is_some_and(is_own);
    let Some(hooks) = value.get_mut(HOOKS).and_then(Value::as_object_mut) else { return };
    hooks.retain(|event, _| !events.contains(event));
    for list in hooks.values_mut().filter_map(Value::as_array_mut) {
        list.retain_mut(|element| match form {
            ConfigForm::Groups { .. } => !is_taken(element, is_ours),
            _ => !is_ours(element),
        });
    }
}

/// Takes the own handlers out of a group; returns true if nothing of it is left.
fn is_taken(group: &mut Value, is_ours: impl Fn(&Value) -> bool) -> bool {
    let is_plain = group.as_object().is_some_and(|group| {
        group.iter().all(|(key, value)| key == HOOKS || (key == "matcher" && value == "*"))
    });
    let Some(handlers) = group.get_mut(HOOKS).and_then(Value::as_array_mut) else { return false };
    let before = handlers.len();
    handlers.retain(|handler| !is_ours(handler));
    is_plain && handlers.is_empty() && before > 0
}
