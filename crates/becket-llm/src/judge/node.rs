//! A JSON tree that keeps duplicate keys, and the objects in a text.
//!
//! `serde_json::Value` keeps the last of two duplicate keys: `{"ok": false, "ok": true}` would read as `true`.

use crate::message::Object;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::collections::HashSet;
use std::fmt;

/// The maximum nesting of an object.
pub(super) const DEEPEST: usize = 64;

/// A JSON value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// Returns the last value of a key, as other parsers do.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Self::Object(pairs) => pairs.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// Returns all values of a key, in order.
    pub(super) fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Node> {
        let pairs = match self {
            Self::Object(pairs) => pairs.as_slice(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => &[],
        };
        pairs.iter().filter(move |(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns whether `test` is true for any key-value pair in this tree.
    pub(super) fn any_pair(&self, test: &dyn Fn(&str, &Node) -> bool) -> bool {
        match self {
            Self::Object(pairs) => pairs.iter().any(|(key, value)| test(key, value) || value.any_pair(test)),
            Self::List(items) => items.iter().any(|item| item.any_pair(test)),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => false,
        }
    }

    /// Returns the number of nested lists and objects.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Object(pairs) => 1 + pairs.iter().map(|(_, value)| value.depth()).max().unwrap_or_default(),
            Self::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or_default(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => 0,
        }
    }

    /// Converts this to an ordinary value; the last of duplicate keys wins.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(value) => Value::Number(value.clone()),
            Self::Text(value) => Value::String(value.clone()),
            Self::List(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(pairs) => Value::Object(
                pairs.iter().map(|(key, value)| (key.clone(), value.to_value())).collect::<Object>(),
            ),
        }
    }
}

/// Returns the first duplicate key in an object of a JSON text, which makes its meaning ambiguous.
pub(crate) fn repeated_key(json: &[u8]) -> Option<String> {
    serde_json::from_slice::<Node>(json).ok().and_then(|node| node.repeated_key())
}

impl Node {
    fn repeated_key(&self) -> Option<String> {
        match self {
            Self::Object(pairs) => {
                let mut seen = HashSet::with_capacity(pairs.len());
                let repeated = pairs.iter().find(|(key, _)| !seen.insert(key)).map(|(key, _)| key.clone());
                repeated.or_else(|| pairs.iter().find_map(|(_, value)| value.repeated_key()))
            }
            Self::List(items) => items.iter().find_map(Self::repeated_key),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode)
    }
}

struct AnyNode;

impl<'de> Visitor<'de> for AnyNode {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Node::Object(pairs))
    }
}

/// An object in a text, and its position.
#[derive(Debug)]
pub(super) struct LocatedObject {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) node: Node,
}

/// The objects in a text, which may also contain prose.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// Complete objects that are not nested in another.
    pub(super) found: Vec<LocatedObject>,
    /// True if the text ends inside an object.
    pub(super) cut_off: bool,
    /// True if an object is nested too deeply.
    pub(super) too_deep: bool,
}

/// Finds the objects at any position of a text. A brace that starts no object is prose.
pub(super) fn objects(text: &str) -> Objects {
    let mut objects = Objects::default();
    let mut at = 0;
    while let Some(offset) = text[at..].find('{') {
        let start = at + offset;
        let mut parser = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Node>();
        match parser.next() {
            Some(Ok(node)) => {
                let end = start + parser.byte_offset();
                objects.too_deep |= node.depth() > DEEPEST;
                objects.found.push(LocatedObject { start, end, node });
                at = end;
            }
            // Everything from here on belongs to the object that was cut off.
            Some(Err(error)) if error.is_eof() => {
                objects.cut_off = true;
                break;
            }
            Some(Err(error)) => {
                // The parser's own nesting limit, which is above ours. Nothing shorter can reach it.
                let far = error.line() > 1 || error.column() > DEEPEST;
                if far && error.to_string().contains("recursion limit") {
                    objects.too_deep = true;
                    break;
                }
                at = start + 1;
            }
            None => break,
        }
    }
    objects
}
