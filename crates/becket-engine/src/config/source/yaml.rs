//! Parses YAML text into a [`Node`], for the frontmatter of skills and agents (C10).
//!
//! The parser's own budget bounds depth, aliases and size; a text past it is an error, not a wait.

use super::json::Document;
use super::tree::{Data, Duplicate, Member, Node, Span, unique};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::{Location, Spanned};
use std::fmt;

/// A syntax error in YAML, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct YamlError {
    pub(crate) why: String,
    pub(crate) at: Span,
}

/// The largest frontmatter that is read, in bytes.
const MAX_YAML: usize = 256 * 1024;

/// Parses a text that begins at byte `offset` of its file.
///
/// # Errors
/// Returns a [`YamlError`] if the text is not YAML of a sensible size.
pub(crate) fn parse(text: &str, offset: usize) -> Result<Document, YamlError> {
    if text.len() > MAX_YAML {
        let why = format!("it is longer than {} KiB", MAX_YAML / 1024);
        return Err(YamlError { why, at: Span::new(offset, offset) });
    }
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
        with_snippet: false,
    };
    let tree = serde_saphyr::from_str_with_options::<Spanned<Tree>>(text, options).map_err(|error| {
        let at = error.location().map_or(Span::default(), |location| span(text, &location, offset));
        let full = error.to_string();
        let why = full.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
        YamlError { why, at: Span::new(at.start.max(offset), at.end.max(offset)) }
    })?;
    let mut duplicates: Vec<Duplicate> = Vec::new();
    let root = node(tree, text, offset, &mut duplicates);
    Ok(Document { root, duplicates })
}

/// A value from the parser.
enum Tree {
    Scalar(Data),
    List(Vec<Spanned<Tree>>),
    Map(Vec<(Spanned<String>, Spanned<Tree>)>),
}

fn node(tree: Spanned<Tree>, text: &str, offset: usize, duplicates: &mut Vec<Duplicate>) -> Node {
    let at = span(text, &tree.referenced, offset);
    let data = match tree.value {
        Tree::Scalar(data) => data,
        Tree::List(items) => {
            Data::List(items.into_iter().map(|item| node(item, text, offset, duplicates)).collect())
        }
        Tree::Map(pairs) => {
            let mut members = Vec::with_capacity(pairs.len());
            for (key, value) in pairs {
                let key_span = span(text, &key.referenced, offset);
                members.push(Member {
                    key: key.value,
                    key_span,
                    value: node(value, text, offset, duplicates),
                    is_repeated: false,
                });
            }
            Data::Map(unique(members, duplicates))
        }
    };
    Node { data, span: at }
}

/// Returns the bytes of a location, from its line and column if the parser has no bytes for it.
fn span(text: &str, location: &Location, offset: usize) -> Span {
    let place = location.span();
    let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let start = place.byte_offset().map_or_else(
        || {
            let line = small(location.line().saturating_sub(1));
            let lines: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            lines + small(location.column().saturating_sub(1))
        },
        small,
    );
    let start = start.min(text.len());
    let end = (start + small(place.byte_len().unwrap_or(0))).min(text.len());
    Span::new(start + offset, end + offset)
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Data::Null))
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Data::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(Data::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Data::Number(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Data::Number(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        // Infinity and NaN are not allowed in a configuration; as texts they are of the wrong type.
        let data = Number::from_f64(value).map_or_else(|| Data::Text(value.to_string()), Data::Number);
        Ok(Tree::Scalar(data))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(Data::Text(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Tree, A::Error> {
        let mut map = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            map.push(pair);
        }
        Ok(Tree::Map(map))
    }
}
