//! A JSON object as a hook wrote it, read with attention to duplicate keys (O1).
//!
//! JSON parsers silently keep the last of two equal keys, which can turn a denial into an allow. Here the strictest
//! value of a decision key counts and the repetition is recorded. Any other key keeps its last value, as in JavaScript,
//! where the protocol comes from.

use super::sandbox::SANDBOX;
use crate::event::EventKind;
use serde::de::{DeserializeSeed, Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

/// The object that contains the event's own fields.
pub(super) const OWN: &str = "hookSpecificOutput";

/// The keys that decide, wherever in an answer they are read.
const DECISION_KEYS: [&str; 7] =
    ["permissionDecision", "decision", "behavior", "action", "continue", "ok", OWN];

/// The keys beside the `behavior` of a permission answer, which change what it allows. The last of two counts, so the
/// repetition has to be known.
const PERMISSION_KEYS: [&str; 2] = ["updatedInput", "updatedPermissions"];

/// The answer of a hook: a JSON object, and the paths of the decision keys that occur more than once in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonAnswer {
    object: Map<String, Value>,
    repeated: Vec<String>,
}

impl JsonAnswer {
    /// Parses the answer to an event. Half a surrogate pair, which JavaScript and Python write and serde_json rejects, is
    /// read as a replacement character: a path with broken bytes in it must not cost a hook its denial (O11).
    ///
    /// # Errors
    /// Errors if the text is not a JSON object, with the parser's message and position.
    pub fn parse(event: EventKind, text: &str) -> Result<Self, serde_json::Error> {
        let read = |text: &str| {
            let reader = Reader { event: Some(event), repeated: RefCell::default() };
            let object = reader.object(text, Level::Answer)?;
            Ok(JsonAnswer { object, repeated: reader.repeated.into_inner() })
        };
        or_mended(text, read)
    }

    /// Creates an answer from a message that [`parse_message`] has read.
    pub fn with_repeated(object: Map<String, Value>, repeated: Vec<String>) -> Self {
        JsonAnswer { object, repeated }
    }

    /// Returns the object, with the strictest value of each decision key.
    pub fn object(&self) -> &Map<String, Value> {
        &self.object
    }

    /// Returns the paths of the decision keys that occur more than once.
    pub fn repeated(&self) -> &[String] {
        &self.repeated
    }
}

/// An object that was built in memory, in which no key occurs twice.
impl From<Map<String, Value>> for JsonAnswer {
    fn from(object: Map<String, Value>) -> Self {
        JsonAnswer { object, repeated: Vec::new() }
    }
}

/// Parses any JSON object. Halves of surrogate pairs are mended as in [`JsonAnswer::parse`]; of equal keys the last counts.
///
/// # Errors
/// Errors if the text is not a JSON object, with the parser's message and position.
pub fn parse_object(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    or_mended(text, |text| serde_json::from_str(text))
}

/// Parses a message in which an answer is the value at `path`; if that is empty, the message is the answer.
/// Returns the message, and the keys that occur more than once: those of the answer that decide or change what it
/// allows, and any key around it. The message has the strictest value of each key that decides or leads to the answer.
///
/// # Errors
/// Errors if the text is not a JSON object, with the parser's message and position.
pub fn parse_message(
    text: &str,
    path: &[&str],
) -> Result<(Map<String, Value>, Vec<String>), serde_json::Error> {
    or_mended(text, |text| {
        let reader = Reader { event: None, repeated: RefCell::default() };
        let level = if path.is_empty() { Level::Answer } else { Level::Envelope(path) };
        let object = reader.object(text, level)?;
        Ok((object, reader.repeated.into_inner()))
    })
}

fn or_mended<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, serde_json::Error>,
) -> Result<T, serde_json::Error> {
    read(text).or_else(|error| match mend_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(mended) => read(&mended),
    })
}

/// The level of an object in a text.
#[derive(Debug, Clone, Copy)]
enum Level<'k> {
    /// The levels around the answer, which these keys lead to.
    Envelope(&'k [&'k str]),
    /// The answer itself.
    Answer,
    /// Its `hookSpecificOutput`.
    Own,
    /// The `decision` in there, of PermissionRequest.
    Request,
    /// The `sandbox` in there, or an object within it: rights, of which no key may be lost.
    Sandbox,
    /// Anything else: data that decides nothing.
    Data,
}

impl<'k> Level<'k> {
    fn below(self, key: &str) -> Self {
        match self {
            Level::Envelope([first, rest @ ..]) if *first == key => {
                if rest.is_empty() {
                    Level::Answer
                } else {
                    Level::Envelope(rest)
                }
            }
            Level::Answer if key == OWN => Level::Own,
            Level::Own if key == "decision" => Level::Request,
            Level::Own if key == SANDBOX => Level::Sandbox,
            Level::Sandbox => Level::Sandbox,
            Level::Envelope(_) | Level::Answer | Level::Own | Level::Request | Level::Data => Level::Data,
        }
    }

    fn decides(self, key: &str) -> bool {
        match self {
            Level::Own if key == SANDBOX => true,
            Level::Answer | Level::Own | Level::Request => DECISION_KEYS.contains(&key),
            // Of two answers to one question, or two ids of it, the message does not tell which is meant.
            Level::Sandbox | Level::Envelope(_) => true,
            Level::Data => false,
        }
    }

    fn path(self, key: &str) -> String {
        match self {
            Level::Envelope(_) | Level::Answer | Level::Data => key.to_owned(),
            Level::Own => format!("{OWN}.{key}"),
            Level::Request => format!("{OWN}.decision.{key}"),
            Level::Sandbox => format!("{OWN}.{SANDBOX}.{key}"),
        }
    }
}

/// A reader of one text.
struct Reader {
    /// The event, if it is known: then a `hookSpecificOutput` of another event is as good as invalid.
    event: Option<EventKind>,
    repeated: RefCell<Vec<String>>,
}

impl Reader {
    fn object(&self, text: &str, level: Level<'_>) -> Result<Map<String, Value>, serde_json::Error> {
        let mut parser = serde_json::Deserializer::from_str(text);
        let object = parser.deserialize_map(ObjectVisitor { reader: self, level })?;
        parser.end()?;
        Ok(object)
    }

    fn insert(&self, object: &mut Map<String, Value>, level: Level<'_>, key: String, value: Value) {
        match object.get_mut(&key) {
            Some(earlier) if level.decides(&key) || self.is_of_permission(level, &key) => {
                self.note(level.path(&key));
                // One of two objects is dropped, and its rights with it.
                if key == OWN && [&*earlier, &value].into_iter().any(|own| own.get(SANDBOX).is_some()) {
                    self.note(format!("{OWN}.{SANDBOX}"));
                }
                if self.strictness_at(level, &key, &value) >= self.strictness_at(level, &key, earlier) {
                    *earlier = value;
                }
            }
            Some(earlier) => *earlier = value,
            None => {
                object.insert(key, value);
            }
        }
    }

    /// Returns whether the key changes what a permission answer allows; only a message can be such an answer.
    fn is_of_permission(&self, level: Level<'_>, key: &str) -> bool {
        self.event.is_none() && matches!(level, Level::Answer) && PERMISSION_KEYS.contains(&key)
    }

    fn note(&self, path: String) {
        let mut repeated = self.repeated.borrow_mut();
        if !repeated.contains(&path) {
            repeated.push(path);
        }
    }

    fn strictness_at(&self, level: Level<'_>, key: &str, value: &Value) -> u8 {
        match level {
            Level::Envelope([first, rest @ ..]) if *first == key => self.strictness_of_message(rest, value),
            Level::Envelope(_) => ABSENT,
            Level::Answer | Level::Own | Level::Request | Level::Sandbox | Level::Data => {
                self.strictness(key, value)
            }
        }
    }

    /// Returns the strictness of the answer at a path of a value.
    fn strictness_of_message(&self, path: &[&str], value: &Value) -> u8 {
        match (path, value) {
            (_, Value::Null) => ABSENT,
            ([], Value::Object(answer)) => self.strictest(answer),
            ([first, rest @ ..], Value::Object(around)) => {
                around.get(*first).map_or(UNREADABLE, |value| self.strictness_of_message(rest, value))
            }
            (_, Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => UNREADABLE,
        }
    }

    /// Returns the strictness of a decision key's value. An unreadable one is stricter than an allow and weaker than an
    /// ask.
    fn strictness(&self, key: &str, value: &Value) -> u8 {
        match value {
            Value::Null => ABSENT,
            Value::Bool(true) if key == "continue" || key == "ok" => GRANTS,
            Value::Bool(false) if key == "continue" || key == "ok" => DENIES,
            Value::String(word) if key != OWN => strictness_of_word(word),
            Value::Object(own) if key == OWN => self.strictness_of_own(own),
            Value::Object(request) if key == "decision" => {
                request.get("behavior").map_or(ABSENT, |word| self.strictness("behavior", word))
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                UNREADABLE
            }
        }
    }

    fn strictness_of_own(&self, own: &Map<String, Value>) -> u8 {
        let of_another = self
            .event
            .is_some_and(|event| own.get("hookEventName").and_then(Value::as_str) != Some(event.name()));
        if of_another {
            return UNREADABLE;
        }
        self.strictest(own)
    }

    fn strictest(&self, fields: &Map<String, Value>) -> u8 {
        let decisions = DECISION_KEYS.iter().filter_map(|key| Some(self.strictness(key, fields.get(*key)?)));
        decisions.max().unwrap_or(ABSENT)
    }
}

const GRANTS: u8 = 0;
const ABSENT: u8 = 1;
const UNREADABLE: u8 = 2;
const DENIES: u8 = 5;

fn strictness_of_word(word: &str) -> u8 {
    match word {
        "allow" | "approve" | "accept" => GRANTS,
        "ask" | "cancel" => 3,
        "defer" => 4,
        "deny" | "block" | "decline" => DENIES,
        _ => UNREADABLE,
    }
}

/// A visitor of an object of a level.
struct ObjectVisitor<'r> {
    reader: &'r Reader,
    level: Level<'r>,
}

impl<'de> Visitor<'de> for ObjectVisitor<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let ObjectVisitor { reader, level } = self;
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = match level.below(&key) {
                Level::Data => map.next_value()?,
                below @ (Level::Envelope(_)
                | Level::Answer
                | Level::Own
                | Level::Request
                | Level::Sandbox) => map.next_value_seed(ValueVisitor { reader, level: below })?,
            };
            reader.insert(&mut object, level, key, value);
        }
        Ok(object)
    }
}

/// A visitor of a value, which is an object of a level or anything else.
struct ValueVisitor<'r> {
    reader: &'r Reader,
    level: Level<'r>,
}

impl<'de> DeserializeSeed<'de> for ValueVisitor<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        ObjectVisitor { reader: self.reader, level: self.level }.visit_map(map).map(Value::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// Replaces `\uD800`–`\uDFFF` without its partner by `\ufffd`, which is as long: positions stay right.
fn mend_surrogates(text: &str) -> Cow<'_, str> {
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let escape = at + found;
        at = escape + 2;
        match surrogate(text, escape) {
            Some(0xD800..=0xDBFF) if matches!(surrogate(text, escape + 6), Some(0xDC00..=0xDFFF)) => {
                at = escape + 12;
            }
            Some(_) => lone.push(escape),
            None => {}
        }
        if !text.is_char_boundary(at) || at > text.len() {
            break;
        }
    }
    if lone.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut mended = text.to_owned();
    for escape in lone {
        mended.replace_range(escape..escape + 6, "\\ufffd");
    }
    Cow::Owned(mended)
}

/// Returns the surrogate that is written as an escape at `at`, if there is one.
fn surrogate(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}
