//! The output object of a handler: checked against the event's row of the table, after which reading can't fail.
//!
//! [`Output::read`] rejects violations of O5 or O6 and names the field; after it every getter is total. An explicit
//! `null` is an absent field. Fields that the table does not know are ignored, and listed by [`unknown_fields`].
//! [`crate::interpret`] gives the fields their *meaning*.

use super::input::type_name;
use crate::failure::Failure;
use crate::table::{EventSpec, FieldSpec, FieldType, UNIVERSAL_OUTPUT};
use serde_json::{Map, Value};

const OWN: &str = "hookSpecificOutput";
const EVENT_NAME: &str = "hookEventName";
const SHOWN: usize = 60;

/// A handler's answer that fits its event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output<'a> {
    spec: &'a EventSpec,
    top: &'a Map<String, Value>,
    own: Option<&'a Map<String, Value>>,
}

impl<'a> Output<'a> {
    /// Checks an answer to an event of `spec`.
    ///
    /// # Errors
    /// Errors with [`Failure::WrongField`], which names the first wrong field (O5), or [`Failure::WrongEvent`] for a
    /// `hookEventName` that is not the event's (O6).
    pub(crate) fn read(spec: &'a EventSpec, object: &'a Map<String, Value>) -> Result<Self, Failure> {
        check(UNIVERSAL_OUTPUT, object, "")?;
        let own = object.get(OWN).and_then(Value::as_object);
        if let Some(own) = own {
            check_event_name(spec, own)?;
            check(spec.output, own, "hookSpecificOutput.")?;
        }
        Ok(Output { spec, top: object, own })
    }

    /// Checks the universal fields alone and ignores `hookSpecificOutput`, whatever it contains (O3, elicitations).
    pub(crate) fn read_universal(
        spec: &'a EventSpec,
        object: &'a Map<String, Value>,
    ) -> Result<Self, Failure> {
        check(UNIVERSAL_OUTPUT.iter().filter(|field| field.name != OWN), object, "")?;
        Ok(Output { spec, top: object, own: None })
    }

    /// Returns a universal field, unless it is absent.
    pub(crate) fn top(&self, name: &str) -> Option<&'a Value> {
        self.top.get(name).filter(|value| !value.is_null())
    }

    /// Returns a universal text; blank text counts as absent.
    pub(crate) fn top_text(&self, name: &str) -> Option<&'a str> {
        self.top(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    /// Returns a field of `hookSpecificOutput`, unless it is absent or not one of this event's.
    pub(crate) fn own(&self, name: &str) -> Option<&'a Value> {
        let own = self.own.filter(|_| self.spec.has_output(name))?;
        own.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text of `hookSpecificOutput`; blank text counts as absent.
    pub(crate) fn own_text(&self, name: &str) -> Option<&'a str> {
        self.own(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    /// Returns whether a field of `hookSpecificOutput` is present and true.
    pub(crate) fn own_flag(&self, name: &str) -> bool {
        self.own(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Returns an object in `hookSpecificOutput`.
    pub(crate) fn own_object(&self, name: &str) -> Option<&'a Map<String, Value>> {
        self.own(name).and_then(Value::as_object)
    }
}

/// Checks a field that restricts rights: it is read completely or not at all.
///
/// # Errors
/// Errors with the field within it that is wrong or unknown.
pub(crate) fn check_restriction(field: &FieldSpec, value: &Value) -> Result<(), String> {
    if let Some(got) = mismatch(field, value) {
        return Err(wrong(field.name.to_owned(), field, got).to_string());
    }
    let Some(object) = value.as_object() else { return Ok(()) };
    let prefix = format!("{}.", field.name);
    check(field.fields, object, &prefix).map_err(|failure| failure.to_string())?;
    let mut unknown = Vec::new();
    collect_unknown(field.fields, object, &prefix, &mut unknown);
    match unknown.first() {
        Some(path) => Err(format!("`{path}` is not known")),
        None => Ok(()),
    }
}

/// Returns the paths of fields that the event's row does not have; they have no effect (O5).
pub(crate) fn unknown_fields(spec: &EventSpec, object: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    collect_unknown(UNIVERSAL_OUTPUT, object, "", &mut found);
    if let Some(own) = object.get(OWN).and_then(Value::as_object) {
        collect_unknown(spec.output, own, "hookSpecificOutput.", &mut found);
        found.retain(|path| path != "hookSpecificOutput.hookEventName");
    }
    found
}

fn collect_unknown(known: &[FieldSpec], object: &Map<String, Value>, prefix: &str, found: &mut Vec<String>) {
    for (name, value) in object {
        match (known.iter().find(|field| field.name == name), value.as_object()) {
            (None, _) => found.push(format!("{prefix}{name}")),
            // An unknown field within it refuses the event, and is named there.
            (Some(field), _) if field.restricts => {}
            (Some(field), Some(inner)) if !field.fields.is_empty() => {
                collect_unknown(field.fields, inner, &format!("{prefix}{name}."), found);
            }
            (Some(_), _) => {}
        }
    }
}

fn check_event_name(spec: &EventSpec, own: &Map<String, Value>) -> Result<(), Failure> {
    let got = match own.get(EVENT_NAME) {
        Some(Value::String(name)) if name == spec.kind.name() => return Ok(()),
        Some(Value::String(name)) => cut(name),
        None | Some(Value::Null) => "nothing".to_owned(),
        Some(other) => type_name(other).to_owned(),
    };
    Err(Failure::WrongEvent { expected: spec.kind.name(), got })
}

fn check<'s>(
    fields: impl IntoIterator<Item = &'s FieldSpec>,
    object: &Map<String, Value>,
    prefix: &str,
) -> Result<(), Failure> {
    for field in fields {
        let path = || format!("{prefix}{}", field.name);
        if field.restricts {
            continue;
        }
        match object.get(field.name).filter(|value| !value.is_null()) {
            None if field.required => return Err(wrong(path(), field, "nothing".to_owned())),
            None => {}
            Some(value) => {
                if let Some(got) = mismatch(field, value) {
                    return Err(wrong(path(), field, got));
                }
                if let Some(inner) = value.as_object().filter(|_| !field.fields.is_empty()) {
                    check(field.fields, inner, &format!("{prefix}{}.", field.name))?;
                }
            }
        }
    }
    Ok(())
}

fn wrong(path: String, field: &FieldSpec, got: String) -> Failure {
    Failure::WrongField { field: path, expected: expected(field), got }
}

fn expected(field: &FieldSpec) -> String {
    match field.values {
        [] => field.kind.as_str().to_owned(),
        [one] => format!("`{one}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|value| format!("`{value}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

/// Returns the type of a value that the field may not have; `None` if it fits.
fn mismatch(field: &FieldSpec, value: &Value) -> Option<String> {
    if !fits(field.kind, value) {
        return Some(describe(field.kind, value));
    }
    let text = value.as_str().filter(|text| !field.values.is_empty() && !field.values.contains(text))?;
    Some(format!("`{}`", cut(text)))
}

fn fits(kind: FieldType, value: &Value) -> bool {
    match kind {
        FieldType::String => value.is_string(),
        FieldType::StringOrNull => value.is_string() || value.is_null(),
        FieldType::Strings => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        FieldType::Number => value.is_number(),
        FieldType::Integer => value.is_i64() || value.is_u64(),
        FieldType::Boolean => value.is_boolean(),
        FieldType::Object => value.is_object(),
        FieldType::Objects => value.as_array().is_some_and(|list| list.iter().all(Value::is_object)),
        FieldType::Any => true,
    }
}

fn describe(kind: FieldType, value: &Value) -> String {
    match value {
        Value::String(text) => format!("the string `{}`", cut(text)),
        Value::Array(list) => describe_list(kind, list),
        Value::Bool(truth) => format!("`{truth}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::Null | Value::Object(_) => type_name(value).to_owned(),
    }
}

/// Describes a list that is not allowed, or one with items that are not allowed.
fn describe_list(kind: FieldType, list: &[Value]) -> String {
    let fits_in = |item: &&Value| match kind {
        FieldType::Strings => item.is_string(),
        FieldType::Objects => item.is_object(),
        FieldType::String
        | FieldType::StringOrNull
        | FieldType::Number
        | FieldType::Integer
        | FieldType::Boolean
        | FieldType::Object
        | FieldType::Any => false,
    };
    match list.iter().find(|item| !fits_in(item)) {
        Some(wrong) => format!("a list that holds {}", type_name(wrong)),
        None => "an empty list".to_owned(),
    }
}

/// Shortens a user's text for a message.
fn cut(text: &str) -> String {
    becket_base::text::cut(text, SHOWN)
}
