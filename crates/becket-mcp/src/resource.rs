//! Resources as described by their server, as read, and as mentioned in prompts (`protocol.md` X8).
//!
//! It reads no resource: mentions are found here, and read by the owner of a connection.

use rmcp::model as wire;
use serde_json::{Map, Value, json};

use crate::content::Content;

/// A resource that a server lists.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Resource {
    /// The URI, as defined by the server.
    pub uri: String,
    /// The name of the resource.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// A description, in the server's words.
    pub description: Option<String>,
    /// The media type.
    pub mime_type: Option<String>,
    /// The size in bytes, if the server gives it.
    pub size: Option<u64>,
    /// `_meta`, unchanged.
    pub meta: Option<Map<String, Value>>,
}

/// A family of resources that a server lists.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The URIs of the family, as an RFC 6570 template.
    pub uri_template: String,
    /// The name of the family.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// A description, in the server's words.
    pub description: Option<String>,
    /// The media type of the resources.
    pub mime_type: Option<String>,
    /// `_meta`, unchanged.
    pub meta: Option<Map<String, Value>>,
}

/// One list of a server's resources.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Resources {
    /// The resources.
    pub resources: Vec<Resource>,
    /// The families of resources.
    pub templates: Vec<ResourceTemplate>,
}

/// The content of a resource; one request may return several.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResourceContents {
    /// The URI of the resource.
    pub uri: String,
    /// The media type.
    pub mime_type: Option<String>,
    /// The data.
    pub body: ResourceBody,
    /// `_meta`, unchanged.
    pub meta: Option<Map<String, Value>>,
}

/// The data of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Bytes in base64, not checked.
    Blob(String),
}

impl From<wire::Resource> for Resource {
    fn from(resource: wire::Resource) -> Self {
        let wire::Resource { uri, name, title, description, mime_type, size, meta, .. } = resource;
        Self { uri, name, title, description, mime_type, size, meta: meta.map(|meta| meta.0) }
    }
}

impl From<wire::ResourceTemplate> for ResourceTemplate {
    fn from(template: wire::ResourceTemplate) -> Self {
        let wire::ResourceTemplate { uri_template, name, title, description, mime_type, meta, .. } = template;
        Self { uri_template, name, title, description, mime_type, meta: meta.map(|meta| meta.0) }
    }
}

impl TryFrom<wire::ResourceContents> for ResourceContents {
    type Error = String;

    fn try_from(contents: wire::ResourceContents) -> Result<Self, String> {
        let (uri, mime_type, body, meta) = match contents {
            wire::ResourceContents::TextResourceContents { uri, mime_type, text, meta, .. } => {
                (uri, mime_type, ResourceBody::Text(text), meta)
            }
            wire::ResourceContents::BlobResourceContents { uri, mime_type, blob, meta, .. } => {
                (uri, mime_type, ResourceBody::Blob(blob), meta)
            }
            _ => return Err("a resource is neither text nor bytes".to_owned()),
        };
        Ok(Self { uri, mime_type, body, meta: meta.map(|meta| meta.0) })
    }
}

impl ResourceContents {
    /// Converts the content to a block of an answer, for [`crate::CallResult::limited`].
    #[must_use]
    pub fn into_content(self) -> Content {
        let (key, data) = match self.body {
            ResourceBody::Text(text) => ("text", text),
            ResourceBody::Blob(blob) => ("blob", blob),
        };
        let mut resource = Map::from_iter([("uri".to_owned(), Value::String(self.uri))]);
        resource.extend(self.mime_type.map(|kind| ("mimeType".to_owned(), Value::String(kind))));
        resource.insert(key.to_owned(), Value::String(data));
        resource.extend(self.meta.map(|meta| ("_meta".to_owned(), Value::Object(meta))));
        Content::new(json!({"type": "resource", "resource": resource}))
    }
}

/// A mention of a resource in a prompt: `@server:uri`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mention<'a> {
    /// The configured name of the server.
    pub server: &'a str,
    /// The resource.
    pub uri: &'a str,
    /// The position in the text, in bytes, including the `@`.
    pub at: std::ops::Range<usize>,
}

/// Finds the resources that a prompt mentions, in order; `servers` are the known names (a name may contain colons: the
/// longest one that fits is used). A mention starts a word, or follows an opening bracket or quote, and ends with the
/// word; punctuation at its end belongs to the sentence.
#[must_use]
pub fn mentions<'a>(text: &'a str, servers: &[&'a str]) -> Vec<Mention<'a>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let before = text[..at].chars().next_back();
        if before
            .is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | '[' | '{' | '<' | '"' | '\'' | '`'))
        {
            continue;
        }
        let rest = &text[at + 1..];
        let fits = |server: &&&str| rest.strip_prefix(**server).is_some_and(|rest| rest.starts_with(':'));
        let Some(server) = servers.iter().filter(fits).max_by_key(|server| server.len()) else { continue };
        // The name of a server may contain blanks, the address may not.
        let uri = rest[server.len() + 1..].split(char::is_whitespace).next().unwrap_or_default();
        let uri = uri.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '"', '\'', '`']);
        if !uri.is_empty() {
            found.push(Mention { server, uri, at: at..at + 1 + server.len() + 1 + uri.len() });
        }
    }
    found
}

#[cfg(test)]
mod tests;
