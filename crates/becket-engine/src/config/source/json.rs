//! Parses JSON text into a [`Node`].
//!
//! `serde_json` alone decides whether a text is JSON: depth, numbers, escapes and all. Only a text that it accepts is
//! parsed again for the places, so the second parser never sees hostile text.

use super::tree::{Data, Duplicate, Member, Node, Span, unique};
use jsonc_parser::ast::{ObjectPropName, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::str::FromStr;

/// A syntax error in JSON, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct JsonError {
    pub(crate) why: String,
    pub(crate) at: Span,
}

/// A document and its duplicate keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    pub(crate) root: Node,
    pub(crate) duplicates: Vec<Duplicate>,
}

/// Parses a text; a byte-order mark in front is allowed (C7).
///
/// # Errors
/// Returns a [`JsonError`] if the text is not JSON; comments and trailing commas are not.
pub(crate) fn parse(text: &str) -> Result<Document, JsonError> {
    let offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let body = text.get(offset..).unwrap_or_default();
    if body.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
        return Err(JsonError { why: "the file is empty".to_owned(), at: Span::default() });
    }
    serde_json::from_str::<CheckedValue>(body).map_err(|error| not_json(body, offset, &error))?;
    let doubt = |why: String| JsonError { why, at: Span::default() };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &strict())
        .map_err(|error| doubt(error.to_string()))?
        .value
        .ok_or_else(|| doubt("the file is empty".to_owned()))?;
    let mut duplicates = Vec::new();
    let root = convert(parsed, offset, &mut duplicates)?;
    Ok(Document { root, duplicates })
}

/// A value that is checked as strictly as a `Value`, and not kept.
struct CheckedValue;

impl<'de> Deserialize<'de> for CheckedValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CheckedValue)
    }
}

impl<'de> Visitor<'de> for CheckedValue {
    type Value = CheckedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<CheckedValue, E> {
        Ok(CheckedValue)
    }

    fn visit_i64<E>(self, _: i64) -> Result<CheckedValue, E> {
        Ok(CheckedValue)
    }

    fn visit_u64<E>(self, _: u64) -> Result<CheckedValue, E> {
        Ok(CheckedValue)
    }

    fn visit_f64<E>(self, _: f64) -> Result<CheckedValue, E> {
        Ok(CheckedValue)
    }

    fn visit_str<E>(self, _: &str) -> Result<CheckedValue, E> {
        Ok(CheckedValue)
    }

    fn visit_unit<E>(self) -> Result<CheckedValue, E> {
        Ok(CheckedValue)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<CheckedValue, A::Error> {
        while list.next_element::<CheckedValue>()?.is_some() {}
        Ok(CheckedValue)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CheckedValue, A::Error> {
        while map.next_entry::<CheckedValue, CheckedValue>()?.is_some() {}
        Ok(CheckedValue)
    }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Recursion is bounded: `serde_json` has refused anything nested deeper than 128.
fn convert(value: Ast<'_>, offset: usize, duplicates: &mut Vec<Duplicate>) -> Result<Node, JsonError> {
    let range = value.range();
    let span = Span::new(range.start + offset, range.end + offset);
    let data = match value {
        Ast::NullKeyword(_) => Data::Null,
        Ast::BooleanLit(literal) => Data::Bool(literal.value),
        Ast::NumberLit(literal) => {
            let number = serde_json::Number::from_str(literal.value);
            Data::Number(number.map_err(|error| JsonError { why: error.to_string(), at: span })?)
        }
        Ast::StringLit(literal) => Data::Text(literal.value.into_owned()),
        Ast::Array(array) => {
            let nodes = array.elements.into_iter().map(|element| convert(element, offset, duplicates));
            Data::List(nodes.collect::<Result<_, _>>()?)
        }
        Ast::Object(object) => {
            let mut members = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let at = property.name.range();
                let key = match property.name {
                    ObjectPropName::String(name) => name.value.into_owned(),
                    ObjectPropName::Word(name) => name.value.to_owned(),
                };
                let key_span = Span::new(at.start + offset, at.end + offset);
                let value = convert(property.value, offset, duplicates)?;
                members.push(Member { key, key_span, value, is_repeated: false });
            }
            Data::Map(unique(members, duplicates))
        }
    };
    Ok(Node { data, span })
}

/// Returns the error with the parser's message, its position separate, and a hint if the cause is a common one.
fn not_json(body: &str, offset: usize, error: &serde_json::Error) -> JsonError {
    let full = error.to_string();
    let why = full.rsplit_once(" at line ").map_or(full.as_str(), |(why, _)| why);
    let start = byte_of(body, error.line(), error.column());
    let rest = body.get(start..).unwrap_or_default();
    let hint = if rest.starts_with("//") || rest.starts_with("/*") {
        ": JSON has no comments"
    } else if why == "trailing comma" {
        ": JSON has no comma after the last entry"
    } else if why.starts_with("recursion limit") {
        ": nested deeper than 128 levels"
    } else {
        ""
    };
    let length = rest.chars().next().map_or(0, char::len_utf8);
    JsonError { why: format!("{why}{hint}"), at: Span::new(start + offset, start + length + offset) }
}

/// Returns the byte of a position of serde_json, which counts columns in bytes, from 1, and names the byte last read; 0
/// is the end of the previous line.
fn byte_of(body: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    for text in body.split_inclusive('\n').take(line.saturating_sub(1)) {
        start += text.len();
    }
    let mut at = (start + column.saturating_sub(1)).min(body.len());
    while !body.is_char_boundary(at) {
        at -= 1;
    }
    at
}
