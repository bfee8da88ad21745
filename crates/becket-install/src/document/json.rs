//! Entries in JSON, with or without comments.

mod append;
mod lists;
mod removal;

pub(super) use lists::{append as append_items, contains, take as take_items, values};
pub(super) use removal::remove;

use super::layout::rendered;
use super::splice::Insertions;
use super::{DocumentError, EditedText, Entry, OwnEntry};
use crate::agent::{ConfigForm, ListEntry};
use crate::command::{ENTRY_NAME, is_own};
use append::{Item, Layout};
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
struct JsonText<'t> {
    text: &'t str,
    root: Option<Object<'t>>,
}

impl<'t> JsonText<'t> {
    fn of(form: ConfigForm, text: &'t str) -> Result<Self, DocumentError> {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options(form)).map_err(malformed)?;
        let root = match parsed.value {
            None => None,
            Some(Node::Object(root)) => Some(root),
            Some(_) => return Err(wrong("the top level", "an object")),
        };
        Ok(JsonText { text, root })
    }

    fn hooks(&self) -> Result<Option<&Object<'t>>, DocumentError> {
        let Some(property) = self.root.as_ref().map(|root| only(root, HOOKS)).transpose()?.flatten() else {
            return Ok(None);
        };
        let Node::Object(hooks) = &property.value else { return Err(wrong("`hooks`", "an object")) };
        Ok(Some(hooks))
    }
}

/// Returns the only property with this name.
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
        let Node::StringLit(text) = &property.value else { return None };
        Some(text.value.as_ref())
    })
}

/// Returns true if the elements of a list are groups of entries.
const fn is_grouped(form: ConfigForm) -> bool {
    matches!(form, ConfigForm::Groups { .. })
}

fn is_own_entry(form: ConfigForm, entry: &Node<'_>) -> bool {
    command(form, entry).is_some_and(is_own)
}

/// Returns the handlers of a group.
fn handlers<'o, 't>(group: &'o Node<'t>) -> Option<&'o Array<'t>> {
    let Node::Object(group) = group else { return None };
    let Node::Array(handlers) = &only(group, HOOKS).ok()??.value else { return None };
    Some(handlers)
}

/// Returns the entries that are Becket's own.
pub(super) fn own_entries(form: ConfigForm, text: &str) -> Result<Vec<OwnEntry>, DocumentError> {
    let parsed = JsonText::of(form, text)?;
    let mut found = Vec::new();
    let Some(hooks) = parsed.hooks()? else { return Ok(found) };
    for event in &hooks.properties {
        let Node::Array(elements) = &event.value else { continue };
        // Of two lists of an event, the agent reads one.
        let is_only = only(hooks, event.name.as_str()).is_ok();
        for element in &elements.elements {
            let entries = if is_grouped(form) {
                handlers(element).map_or(&[][..], |list| &list.elements)
            } else {
                std::slice::from_ref(element)
            };
            let own = entries.iter().filter_map(|entry| Some((entry, command(form, entry)?)));
            let own = own
                .filter(|(_, command)| is_own(command))
                .map(|(entry, command)| own_entry(form, event.name.as_str(), element, entry, command));
            found.extend(own.map(|entry| OwnEntry { is_plain: entry.is_plain && is_only, ..entry }));
        }
    }
    Ok(found)
}

/// Returns an own entry, given the element of the event's list that has it.
fn own_entry(form: ConfigForm, event: &str, whole: &Node<'_>, entry: &Node<'_>, command: &str) -> OwnEntry {
    let (mut whole, entry) = (plain(whole), plain(entry));
    let limit = entry.get(limit_key(form)).and_then(Value::as_u64);
    if is_grouped(form) {
        // Handlers of others in the group have no effect on this one.
        whole[HOOKS] = json!([entry]);
    }
    let (event, command) = (event.to_owned(), command.to_owned());
    let written = Entry { event, command, limit: limit.unwrap_or_default() };
    let is_plain = whole == element(form, &written);
    OwnEntry { event: written.event, command: written.command, limit, is_plain }
}

/// Returns the key of the time limit.
const fn limit_key(form: ConfigForm) -> &'static str {
    if matches!(form, ConfigForm::List(ListEntry::Copilot)) { "timeoutSec" } else { "timeout" }
}

/// Returns the element of an event's list for an entry.
pub(crate) fn element(form: ConfigForm, entry: &Entry) -> Value {
    let Entry { command, limit, .. } = entry;
    match form {
        ConfigForm::List(ListEntry::Copilot) => {
            json!({"type": "command", "bash": command, "timeoutSec": limit})
        }
        ConfigForm::List(ListEntry::Cursor) => {
            json!({"command": command, "timeout": limit, "failClosed": true})
        }
        ConfigForm::List(ListEntry::Windsurf) => json!({"command": command, "show_output": true}),
        ConfigForm::Groups { matcher, named, .. } => {
            let mut handler = Map::from_iter([("type".to_owned(), json!("command"))]);
            if named {
                handler.insert("name".to_owned(), json!(ENTRY_NAME));
            }
            handler.extend([("command".to_owned(), json!(command)), ("timeout".to_owned(), json!(limit))]);
            let mut group = Map::new();
            if matcher {
                group.insert("matcher".to_owned(), json!("*"));
            }
            group.insert(HOOKS.to_owned(), json!([handler]));
            Value::Object(group)
        }
        ConfigForm::Tables | ConfigForm::Sequences | ConfigForm::Scripts | ConfigForm::Plugin(_) => {
            Value::Null
        }
    }
}

/// The version that a new file of the form begins with.
const fn version(form: ConfigForm) -> Option<u64> {
    let has_version = matches!(form, ConfigForm::List(ListEntry::Copilot | ListEntry::Cursor));
    if has_version { Some(1) } else { None }
}

/// Adds entries at the end of each event's list.
pub(super) fn add(form: ConfigForm, text: &str, entries: &[Entry]) -> Result<EditedText, DocumentError> {
    let parsed = JsonText::of(form, text)?;
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
                list.as_array_mut().into_iter().for_each(|list| list.push(new.clone()));
            }
        }
        put(&mut expected, &entry.event, new);
    }
    let root = parsed.root.as_ref();
    let properties =
        |object: &Object<'_>| object.properties.iter().map(|property| property.range).collect::<Vec<_>>();
    if let Some(hooks) = hooks.filter(|_| !missing.is_empty()) {
        let items: Vec<Item<'_>> = missing.iter().map(|(event, list)| Item::property(event, list)).collect();
        layout.append(&mut insertions, hooks.range, &properties(hooks), &items);
    } else if !missing.is_empty() {
        created.push(vec![HOOKS.to_owned()]);
        let all = Value::Object(missing);
        match root {
            Some(root) => {
                layout.append(&mut insertions, root.range, &properties(root), &[Item::property(HOOKS, &all)])
            }
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

/// Adds an entry to the intended meaning.
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

/// Returns the meaning of a text; `Null` for one without a value.
fn meaning(form: ConfigForm, text: &str) -> Result<Value, DocumentError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options(form)).map_err(malformed)?;
    Ok(parsed.value.as_ref().map_or(Value::Null, plain))
}

/// Returns the value of a text, with or without comments.
pub(super) fn value(text: &str) -> Result<Value, DocumentError> {
    meaning(ConfigForm::Groups { matcher: false, named: false, comments: true }, text)
}

fn plain(value: &Node<'_>) -> Value {
    match value {
        Node::NullKeyword(_) => Value::Null,
        Node::BooleanLit(literal) => json!(literal.value),
        Node::StringLit(text) => json!(text.value),
        // The digits are compared, not the value, so that no precision is lost.
        Node::NumberLit(number) => number
            .value
            .parse::<u64>()
            .map_or_else(|_| json!({"number": number.value}), |number| json!(number)),
        Node::Array(list) => Value::Array(list.elements.iter().map(plain).collect()),
        Node::Object(object) => {
            let members = object.properties.iter();
            Value::Object(
                members.map(|member| (member.name.as_str().to_owned(), plain(&member.value))).collect(),
            )
        }
    }
}

fn checked(form: ConfigForm, edited: EditedText, expected: &Value) -> Result<EditedText, DocumentError> {
    match meaning(form, &edited.text) {
        Ok(value) if value == *expected => Ok(edited),
        Ok(_) | Err(_) => Err(DocumentError::Ambiguous("edit it by hand")),
    }
}
