//! Reads a model's verdict.
//!
//! Accepted are: a JSON object, with or without text after it; an object in a code fence, with or without text around
//! it. Everything else is a specific error, which quotes the text.

use super::node::{DEEPEST, Node, objects};

/// The maximum length of a text, in bytes.
pub(super) const LONGEST: usize = 1024 * 1024;

/// The maximum number of characters that an error quotes.
const QUOTED: usize = 200;

/// The decision of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// True if the condition is met.
    pub ok: bool,
    /// The reason for the decision.
    pub reason: Option<String>,
    /// True if the condition can never be met. rule: H7
    pub impossible: bool,
}

/// The reason why a text is not a verdict. Variants quote the text, truncated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerdictError {
    /// The text is empty.
    #[error("the model answered nothing")]
    Empty,
    /// The text is too long.
    #[error("the model's answer has {bytes} bytes, more than {LONGEST}")]
    TooLong {
        /// The length of the text.
        bytes: usize,
    },
    /// The text contains no JSON object.
    #[error("the model answered prose instead of JSON: `{text}`")]
    Prose {
        /// The answer.
        text: String,
    },
    /// The object is neither at the start nor in a code fence.
    #[error("the model's answer does not start with its JSON: `{text}`")]
    NotAlone {
        /// The answer.
        text: String,
    },
    /// The text starts like an object but is not valid JSON.
    #[error("the model's JSON is not valid ({message}): `{text}`")]
    Invalid {
        /// The message of the parser.
        message: String,
        /// The answer.
        text: String,
    },
    /// The text ends inside an object.
    #[error("the model's JSON is cut off: `{text}`")]
    CutOff {
        /// The answer.
        text: String,
    },
    /// The object is nested too deeply.
    #[error("the model's JSON nests deeper than {DEEPEST} levels: `{text}`")]
    TooDeep {
        /// The answer.
        text: String,
    },
    /// The text contains two different objects.
    #[error("the model gave several different answers: `{text}`")]
    Several {
        /// The answer.
        text: String,
    },
    /// The text can be read as both yes and no.
    #[error("the model's answer can be read both ways: `{text}`")]
    Ambiguous {
        /// The answer.
        text: String,
    },
    /// A field is missing or has the wrong type.
    #[error("the model's answer needs `{field}` to be {expected}: `{text}`")]
    Field {
        /// The field.
        field: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The answer.
        text: String,
    },
}

/// Reads a verdict.
///
/// rules: H7, H8
///
/// # Errors
/// See [`VerdictError`]: anything that is not clearly a verdict is an error.
pub fn read_verdict(text: &str) -> Result<Verdict, VerdictError> {
    let node = the_object(text)?;
    verdict(&node, text)
}

/// Converts an object into a verdict. `text` is the text that contains it. Of duplicate keys `ok` and `impossible` the
/// strictest counts, in any order.
///
/// rules: H7, O1
pub(super) fn verdict(node: &Node, text: &str) -> Result<Verdict, VerdictError> {
    let of = |key: &'static str| node.all(key).collect::<Vec<&Node>>();
    let ok = match of("ok") {
        values if values.contains(&&Node::Bool(false)) => false,
        values if !values.is_empty() && values.iter().all(|value| **value == Node::Bool(true)) => true,
        _ => return Err(field("ok", "`true` or `false`", text)),
    };
    if ok && (node.any_pair(&is_no) || says_no_outside(text)) {
        return Err(VerdictError::Ambiguous { text: quoted(text) });
    }
    let reason = match node.get("reason") {
        None | Some(Node::Null) => None,
        Some(Node::Text(reason)) => Some(reason.clone()),
        Some(_) => return Err(field("reason", "a string", text)),
    };
    let values = of("impossible");
    if values.iter().any(|value| !matches!(value, Node::Null | Node::Bool(_))) {
        return Err(field("impossible", "`true` or `false`", text));
    }
    // `true` lets a turn end, so any other value is the stricter one of duplicates.
    let impossible = !values.is_empty() && values.iter().all(|value| **value == Node::Bool(true));
    Ok(Verdict { ok, reason, impossible })
}

/// Returns the object that is the answer in a text.
pub(super) fn the_object(text: &str) -> Result<Node, VerdictError> {
    if text.len() > LONGEST {
        return Err(VerdictError::TooLong { bytes: text.len() });
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(VerdictError::Empty);
    }
    let objects = objects(text);
    if objects.too_deep {
        return Err(VerdictError::TooDeep { text: quoted(text) });
    }
    if objects.cut_off {
        return Err(VerdictError::CutOff { text: quoted(text) });
    }
    let mut found = objects.found.into_iter();
    let Some(first) = found.next() else {
        return Err(no_answer(text, VerdictError::Prose { text: quoted(text) }));
    };
    if !answers(text, first.start) {
        return Err(no_answer(text, VerdictError::NotAlone { text: quoted(text) }));
    }
    if found.any(|other| other.node != first.node) {
        return Err(VerdictError::Several { text: quoted(text) });
    }
    Ok(first.node)
}

/// Returns the parse error of an answer that starts like an object; `otherwise` for any other.
fn no_answer(text: &str, otherwise: VerdictError) -> VerdictError {
    match serde_json::from_str::<Node>(text) {
        Err(error) if text.starts_with('{') => {
            VerdictError::Invalid { message: error.to_string(), text: quoted(text) }
        }
        Ok(_) | Err(_) => otherwise,
    }
}

/// Returns whether an object at `start` is the answer: the text starts with it, or a code fence does.
fn answers(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end();
    if before.is_empty() {
        return true;
    }
    let tag = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
    let before = before.trim_end_matches(tag).trim_end_matches([' ', '\t']);
    // An odd number of fences: this one opens.
    before.ends_with("```") && before.matches("```").count() % 2 == 1
}

/// Returns whether a text contains a no anywhere: in an object, at any depth, or in the text around it.
///
/// rules: H7, H8
#[must_use]
pub fn says_no(text: &str) -> bool {
    objects(text).found.iter().any(|found| found.node.any_pair(&is_no)) || says_no_outside(text)
}

/// Returns whether a key-value pair means no, whatever the case of the key.
fn is_no(key: &str, value: &Node) -> bool {
    let key = key.trim();
    let no = match value {
        Node::Bool(value) => !value,
        Node::Text(value) => value.trim().eq_ignore_ascii_case("false"),
        Node::Null | Node::Number(_) | Node::List(_) | Node::Object(_) => false,
    };
    no && key.eq_ignore_ascii_case("ok")
}

/// Returns whether the text outside its objects means no: `{ok: false}` is not JSON, but not a yes either.
fn says_no_outside(text: &str) -> bool {
    let mut outside = String::with_capacity(text.len().min(4096));
    let mut at = 0;
    for found in objects(text).found {
        outside.push_str(&text[at..found.start]);
        outside.push('\n');
        at = found.end;
    }
    outside.push_str(&text[at..]);
    let outside = outside.to_ascii_lowercase();
    let mut rest = outside.as_str();
    while let Some(offset) = rest.find("ok") {
        rest = &rest[offset + 2..];
        let quotes = |c: char| matches!(c, '"' | '\'' | '`' | '*' | '\\' | '>') || c.is_whitespace();
        let after = rest.trim_start_matches(quotes);
        let value = after.strip_prefix([':', '=', '\u{ff1a}']).map(|value| value.trim_start_matches(quotes));
        if value.is_some_and(|value| value.starts_with("false")) {
            return true;
        }
    }
    false
}

pub(super) fn field(field: &'static str, expected: &'static str, text: &str) -> VerdictError {
    VerdictError::Field { field, expected, text: quoted(text) }
}

/// Returns a text for an error, on one line and truncated.
pub(super) fn quoted(text: &str) -> String {
    becket_base::text::one_line(text, QUOTED)
}

#[cfg(test)]
mod tests;
