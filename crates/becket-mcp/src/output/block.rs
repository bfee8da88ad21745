//! Parsing of a block of an answer: text, or bytes.

use serde_json::Value;

use crate::content::Content;

/// A parsed block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Bytes {
        /// The description: `image`, `audio`, or a resource with its address.
        what: String,
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
}

/// The limit on the shown part of an address.
const SHOWN: usize = 300;

impl Part {
    /// Parses a block. A malformed block becomes text: its JSON.
    pub(super) fn of(block: &Content) -> Self {
        let part = match block.kind() {
            "text" => block.text().map(|text| Self::Text(text.to_owned())),
            kind @ ("image" | "audio") => bytes(kind.to_owned(), block.value(), "data"),
            "resource" => block.value().get("resource").and_then(resource),
            "resource_link" => link(block.value()),
            _ => None,
        };
        part.unwrap_or_else(|| Self::Text(block.value().to_string()))
    }
}

fn text<'a>(of: &'a Value, key: &str) -> Option<&'a str> {
    of.get(key).and_then(Value::as_str)
}

fn bytes(what: String, of: &Value, key: &str) -> Option<Part> {
    let media_type = text(of, "mimeType").unwrap_or("application/octet-stream").to_owned();
    Some(Part::Bytes { what, media_type, data: text(of, key)?.to_owned() })
}

fn resource(of: &Value) -> Option<Part> {
    let what = format!("resource `{}`", becket_base::text::cut(text(of, "uri")?, SHOWN));
    match text(of, "text") {
        Some(body) => Some(Part::Text(format!("[{what}]\n{body}"))),
        None => bytes(what, of, "blob"),
    }
}

fn link(of: &Value) -> Option<Part> {
    let (name, uri) = (text(of, "name")?, text(of, "uri")?);
    let kind = text(of, "mimeType").map_or(String::new(), |kind| format!(" ({kind})"));
    let description = text(of, "description").map_or(String::new(), |words| format!(": {words}"));
    Some(Part::Text(format!("[link to the resource `{name}`, `{uri}`{kind}{description}]")))
}
