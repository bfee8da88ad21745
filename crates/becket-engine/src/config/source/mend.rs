//! Frontmatter that people write and YAML rejects: `description: use it so: first …`. A line whose value is not valid
//! YAML by itself is read as text, and places still refer to the text as written.
//!
//! Only the top level is mended: a value that continues on the next line is left as it is.

use super::json::Document;
use super::tree::{Data, Member, Node, Span};
use super::yaml::{self, YamlError};

/// Reads a text that begins at byte `offset` of its file; if it is not YAML, as it was probably meant.
///
/// # Errors
/// Returns the [`YamlError`] of the text as it was written, if neither can be read.
pub(crate) fn parse(text: &str, offset: usize) -> Result<Document, YamlError> {
    yaml::parse(text, offset).or_else(|error| {
        let mended = MendedText::of(text);
        if mended.inserted.is_empty() {
            return Err(error);
        }
        let mut document = yaml::parse(&mended.text, 0).map_err(|_| error)?;
        mended.place(&mut document.root, offset);
        for twice in &mut document.duplicates {
            twice.first = mended.span(twice.first, offset);
            twice.last = mended.span(twice.last, offset);
        }
        Ok(document)
    })
}

/// A text with quotes around values that are not YAML.
#[derive(Default)]
struct MendedText {
    text: String,
    /// The bytes of `text` that were inserted, in order.
    inserted: Vec<usize>,
}

impl MendedText {
    fn of(text: &str) -> Self {
        let mut mended = Self::default();
        for line in text.split_inclusive('\n') {
            match plain(line) {
                Some((before, value, after)) if yaml::parse(line, 0).is_err() => {
                    mended.text.push_str(before);
                    mended.quote(value);
                    mended.text.push_str(after);
                }
                Some(_) | None => mended.text.push_str(line),
            }
        }
        mended
    }

    fn quote(&mut self, value: &str) {
        self.insert();
        for c in value.chars() {
            if c == '\'' {
                self.insert();
            }
            self.text.push(c);
        }
        self.insert();
    }

    fn insert(&mut self) {
        self.inserted.push(self.text.len());
        self.text.push('\'');
    }

    fn span(&self, span: Span, offset: usize) -> Span {
        let written = |byte: usize| byte - self.inserted.partition_point(|inserted| *inserted < byte);
        Span::new(written(span.start) + offset, written(span.end) + offset)
    }

    fn place(&self, node: &mut Node, offset: usize) {
        node.span = self.span(node.span, offset);
        match &mut node.data {
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => {}
            Data::List(items) => items.iter_mut().for_each(|item| self.place(item, offset)),
            Data::Map(members) => {
                for Member { key: _, key_span, value, is_repeated: _ } in members {
                    *key_span = self.span(*key_span, offset);
                    self.place(value, offset);
                }
            }
        }
    }
}

/// Splits a line of the top level into three parts: key and colon, the value, and the blanks after it. Returns `None`
/// if the value is missing, is quoted or a block, or is a list that continues on the next line.
fn plain(line: &str) -> Option<(&str, &str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if key.is_empty() || !key.chars().all(is_key) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let value = rest.trim();
    let is_open = |left: char, right: char| value.starts_with(left) && !value.ends_with(right);
    if value.is_empty() || value.starts_with(['"', '\'', '|', '>']) || is_open('[', ']') || is_open('{', '}')
    {
        return None;
    }
    let start = line.len() - rest.trim_start().len();
    let end = start + value.len();
    Some((line.get(..start)?, line.get(start..end)?, line.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        parse(text, 0).map_or_else(|error| format!("error: {error}"), |read| read.root.to_json().to_string())
    }

    // rule: C10
    #[test]
    fn what_people_write_is_read_as_they_meant_it() {
        for (text, read) in [
            (
                "description: Do: it's so: here\nname: a\n",
                r#"{"description":"Do: it's so: here","name":"a"}"#,
            ),
            ("argument-hint: [file] [mode]\n", r#"{"argument-hint":"[file] [mode]"}"#),
            ("tools: *\n", r#"{"tools":"*"}"#),
            ("model: @fast\r\nname: b\r\n", r#"{"model":"@fast","name":"b"}"#),
            // YAML is left alone.
            ("tools: [Read, Grep]\n", r#"{"tools":["Read","Grep"]}"#),
            ("a: 'x: y'\n", r#"{"a":"x: y"}"#),
        ] {
            assert_eq!(json(text), read, "{text}");
        }
    }

    // rule: C10
    #[test]
    fn what_is_broken_otherwise_stays_an_error() {
        for text in ["hooks:\n  a: b: c\n", "name: \"open\nx: y\n", "- a\nb: c\n", "a: [x,\n"] {
            assert!(parse(text, 0).is_err(), "{text}");
        }
    }

    // rule: C7
    #[test]
    fn places_are_those_of_the_text_as_written() {
        let text = "description: it's so: 'x'\nhooks:\n  Stop: []\n";
        let document = parse(text, 100).unwrap();
        let hooks = document.root.get("hooks").unwrap();
        assert_eq!(hooks.key_span.start, 100 + text.find("hooks").unwrap());
        let stop = hooks.value.get("Stop").unwrap();
        assert_eq!(stop.key_span.start, 100 + text.find("Stop").unwrap());
        assert_eq!(document.root.get("description").unwrap().value.span.start, 100 + 13);
    }
}
