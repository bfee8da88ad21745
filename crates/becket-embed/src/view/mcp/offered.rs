//! A server's resources and prompts, and the state of its login.

use becket_mcp::auth::TokenLocation;
use becket_mcp::{Names, Prompt, PromptResult, PromptRole, ResourceBody, ResourceContents, Resources};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The resources of a server.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpResources {
    /// The server.
    pub server: String,
    /// The resources that can be read.
    pub resources: Vec<McpResource>,
    /// The templates of resources; their `uri` has placeholders in braces.
    pub templates: Vec<McpResource>,
}

/// A resource, or a template.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpResource {
    /// Its URI.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its description by the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its MIME type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// A resource that was read.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpContents {
    /// The server.
    pub server: String,
    /// Its parts.
    pub contents: Vec<McpContent>,
}

/// A part of a resource: text, or bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct McpContent {
    /// Its URI.
    pub uri: String,
    /// Its MIME type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

impl McpResources {
    /// Converts the lists of a server.
    pub fn new(server: &str, listed: &Resources) -> Self {
        let resources = listed.resources.iter().map(|resource| McpResource {
            uri: resource.uri.clone(),
            name: resource.name.clone(),
            description: resource.description.clone(),
            mime_type: resource.mime_type.clone(),
            size: resource.size,
        });
        let templates = listed.templates.iter().map(|template| McpResource {
            uri: template.uri_template.clone(),
            name: template.name.clone(),
            description: template.description.clone(),
            mime_type: template.mime_type.clone(),
            size: None,
        });
        Self { server: server.to_owned(), resources: resources.collect(), templates: templates.collect() }
    }
}

impl McpContents {
    /// Converts the contents that were read.
    pub fn new(server: &str, contents: Vec<ResourceContents>) -> Self {
        let part = |part: ResourceContents| {
            let (text, blob) = match part.body {
                ResourceBody::Text(text) => (Some(text), None),
                ResourceBody::Blob(blob) => (None, Some(blob)),
            };
            McpContent { uri: part.uri, mime_type: part.mime_type, text, blob }
        };
        Self { server: server.to_owned(), contents: contents.into_iter().map(part).collect() }
    }
}

/// The prompts of a server.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpPrompts {
    /// The server.
    pub server: String,
    /// Its prompts, in its order.
    pub prompts: Vec<McpListedPrompt>,
}

/// A prompt that a server lists.
#[derive(Debug, Serialize, JsonSchema)]
pub struct McpListedPrompt {
    /// The name on the server.
    pub name: String,
    /// The command for it in a session.
    pub command: String,
    /// The usage of its arguments: `<required> [optional]`.
    pub usage: String,
    /// Its description by the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A prompt that was filled in.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct McpPrompt {
    /// The server.
    pub server: String,
    /// The prompt.
    pub prompt: String,
    /// Its messages.
    pub messages: Vec<McpMessage>,
}

/// One message of a prompt.
#[derive(Debug, Serialize, JsonSchema)]
pub struct McpMessage {
    /// Its role: `user` or `assistant`.
    pub role: &'static str,
    /// Its block, as the server sent it.
    pub content: Value,
    /// Its text, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl McpPrompts {
    /// Converts the list of a server, with the names of the prompts in a session.
    pub fn new(server: &str, prompts: &[Prompt], names: &Names) -> Self {
        let prompt = |prompt: &Prompt| McpListedPrompt {
            command: names.find(server, &prompt.name).map_or(String::new(), |name| format!("/{}", name.full)),
            name: prompt.name.clone(),
            usage: prompt.usage(),
            description: prompt.description.clone(),
        };
        Self { server: server.to_owned(), prompts: prompts.iter().map(prompt).collect() }
    }
}

impl McpPrompt {
    /// Converts a prompt that the server has filled in.
    pub fn new(server: &str, prompt: &str, filled: &PromptResult) -> Self {
        let messages = filled.messages.iter().map(|message| McpMessage {
            role: match message.role {
                PromptRole::User => "user",
                PromptRole::Assistant => "assistant",
            },
            text: message.content.text().map(str::to_owned),
            content: message.content.value().clone(),
        });
        Self { server: server.to_owned(), prompt: prompt.to_owned(), messages: messages.collect() }
    }
}

/// The state of a login.
#[derive(Debug, Serialize, JsonSchema)]
pub struct McpAccount {
    /// The server.
    pub server: String,
    /// The result.
    pub state: McpAccountState,
    /// The scopes of the tokens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// True if they can be renewed without the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renewable: Option<bool>,
    /// The place where they are stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<McpKept>,
    /// A note for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The place where tokens are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "in", rename_all = "kebab-case")]
pub enum McpKept {
    /// A file that only its owner can read.
    File {
        /// Its path.
        path: String,
    },
    /// The keyring of the system.
    Keyring,
    /// Another store.
    Elsewhere {
        /// The name of the store.
        what: String,
    },
}

impl McpKept {
    /// Converts the location that a store reports.
    pub fn new(kept: &TokenLocation) -> Self {
        match kept {
            TokenLocation::File(path) => Self::File { path: path.display().to_string() },
            TokenLocation::Keyring => Self::Keyring,
            TokenLocation::Elsewhere(what) => Self::Elsewhere { what: what.to_string() },
        }
    }
}

/// The result of a login or logout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum McpAccountState {
    /// The server has tokens now.
    LoggedIn,
    /// The server is connected without a new login.
    Connected,
    /// The tokens were removed.
    LoggedOut,
    /// There were no tokens.
    NotLoggedIn,
}
