//! A document as a tree in which every value and every key knows its place in the text. JSON and YAML both become one,
//! so that the code that reads a configuration is written once.
//!
//! INVARIANT: no key occurs twice in a map; of duplicates the last is kept.

use serde_json::{Map, Number, Value};
use std::ops::Range;

/// A span of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) span: Span,
}

/// The data of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Member>),
}

/// A key of a map and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
    /// True if the key occurs more than once, so that programs may read different values.
    pub(crate) is_repeated: bool,
}

/// A key that occurred again in the same map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Duplicate {
    pub(crate) key: String,
    /// The occurrence that is dropped.
    pub(crate) first: Span,
    /// The occurrence that counts.
    pub(crate) last: Span,
}

impl Node {
    /// Returns its type for a message: "a list".
    pub(crate) fn kind(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Map(_) => "an object",
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::List(_) | Data::Map(_) => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Node]> {
        match &self.data {
            Data::List(nodes) => Some(nodes),
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => None,
        }
    }

    pub(crate) fn as_map(&self) -> Option<&[Member]> {
        match &self.data {
            Data::Map(members) => Some(members),
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => None,
        }
    }

    /// Returns the member of that name, if this is a map that has it and it is not null.
    pub(crate) fn get(&self, key: &str) -> Option<&Member> {
        let member = self.as_map()?.iter().find(|member| member.key == key)?;
        (member.value.data != Data::Null).then_some(member)
    }

    /// Returns the same value without places.
    pub(crate) fn to_json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(flag) => Value::Bool(*flag),
            Data::Number(number) => Value::Number(number.clone()),
            Data::Text(text) => Value::String(text.clone()),
            Data::List(nodes) => Value::Array(nodes.iter().map(Node::to_json).collect()),
            Data::Map(members) => Value::Object(members_to_json(members)),
        }
    }
}

/// Converts members to a map without places.
pub(crate) fn members_to_json(members: &[Member]) -> Map<String, Value> {
    members.iter().map(|member| (member.key.clone(), member.value.to_json())).collect()
}

/// The number of members from which on keys are looked up instead of compared.
const FEW: usize = 16;

/// Puts members into a map: of equal keys the last counts, at the position of the first.
pub(crate) fn unique(all: Vec<Member>, duplicates: &mut Vec<Duplicate>) -> Vec<Member> {
    let is_new = |(at, member): (usize, &Member)| all.iter().take(at).all(|other| other.key != member.key);
    if all.len() <= FEW && all.iter().enumerate().all(is_new) {
        return all;
    }
    let mut index = std::collections::HashMap::with_capacity(all.len());
    let mut kept: Vec<Member> = Vec::with_capacity(all.len());
    for member in all {
        match index.get(&member.key).and_then(|at: &usize| kept.get_mut(*at)) {
            Some(earlier) => {
                duplicates.push(Duplicate {
                    key: member.key.clone(),
                    first: earlier.key_span,
                    last: member.key_span,
                });
                *earlier = Member { is_repeated: true, ..member };
            }
            None => {
                index.insert(member.key.clone(), kept.len());
                kept.push(member);
            }
        }
    }
    kept
}
