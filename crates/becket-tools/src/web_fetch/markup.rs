//! Markup between `<` and `>`: tags with their attributes, comments, declarations.
//!
//! INVARIANT: a scan only moves forward; no text is scanned twice.

use std::borrow::Cow;

/// The markup at a `<`, and the text after it.
pub(super) enum Markup<'a> {
    Text,
    /// A comment or a declaration.
    Nothing(&'a str),
    Tag(Tag<'a>, &'a str),
}

pub(super) struct Tag<'a> {
    pub(super) name: String,
    pub(super) attributes: &'a str,
    pub(super) closes: bool,
}

impl<'a> Markup<'a> {
    pub(super) fn of(markup: &'a str) -> Self {
        let after = |end: Option<usize>, length: usize| {
            end.and_then(|end| markup.get(end + length..)).unwrap_or_default()
        };
        if markup.starts_with("<!--") {
            return Self::Nothing(after(markup.find("-->"), 3));
        }
        if markup.starts_with("<!") || markup.starts_with("<?") {
            return Self::Nothing(after(markup.find('>'), 1));
        }
        let closes = markup.starts_with("</");
        let body = markup.get(1 + usize::from(closes)..).unwrap_or_default();
        if !body.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return if closes { Self::Nothing(after(markup.find('>'), 1)) } else { Self::Text };
        }
        // A tag without an end swallows the rest of the page, as in a browser.
        let Some(end) = tag_end(body) else { return Self::Nothing("") };
        let (inside, rest) = body.split_at(end);
        let name_end = inside.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(name_end);
        let tag = Tag { name: name.to_ascii_lowercase(), attributes, closes };
        Self::Tag(tag, rest.get(1..).unwrap_or_default())
    }
}

/// Returns the end of a tag: the first `>` outside of quoted values.
fn tag_end(body: &str) -> Option<usize> {
    let (mut quote, mut is_value) = (None, false);
    for (at, byte) in body.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') if is_value => (quote, is_value) = (Some(byte), false),
            (None, b'=') => is_value = true,
            (None, byte) => is_value &= byte.is_ascii_whitespace(),
        }
    }
    None
}

/// Returns the text after the end of an element whose content is not markup.
pub(super) fn behind_raw<'a>(text: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(text.as_bytes().get(from..).unwrap_or_default(), b"</") {
        let begins = from + at + 2;
        let end = begins + name.len();
        let is_own =
            text.as_bytes().get(begins..end).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        if is_own {
            return text.get(begins - 2..).unwrap_or_default();
        }
        from = begins;
    }
    ""
}

/// Returns the value of an attribute.
pub(super) fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=').unwrap_or(rest.len()).max(1);
        let (name, after) = rest.split_at_checked(end)?;
        let (value, after) = value(after.trim_ascii_start());
        if name.eq_ignore_ascii_case(wanted) {
            return Some(html_escape::decode_html_entities(value));
        }
        rest = after;
    }
}

/// Returns the value after a name, if there is one, and the text after it.
fn value(text: &str) -> (&str, &str) {
    let Some(text) = text.strip_prefix('=').map(str::trim_ascii_start) else { return ("", text) };
    let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.split_once(quote));
    quoted.unwrap_or_else(|| {
        let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
        text.split_at(end)
    })
}
