//! What a server offers beside tools: resources and prompts; and who is logged in to it.

use becket_mcp::auth::Kept;
use becket_mcp::{Names, Prompt, PromptResult, PromptRole, ResourceBody, ResourceContents, Resources};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The resources of a server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpResources {
    /// The server.
    pub(crate) server: String,
    /// What can be read.
    pub(crate) resources: Vec<McpResource>,
    /// Families of what can be read; their `uri` has gaps in braces.
    pub(crate) templates: Vec<McpResource>,
}

/// A resource, or a family of them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpResource {
    /// Where it is.
    pub(crate) uri: String,
    /// What it is called.
    pub(crate) name: String,
    /// What it is, in the server's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mime_type: Option<String>,
    /// How large it is, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
}

/// A resource that was read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpContents {
    /// The server.
    pub(crate) server: String,
    /// Its parts.
    pub(crate) contents: Vec<McpContent>,
}

/// A part of a resource: text, or bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpContent {
    /// Where it is.
    pub(crate) uri: String,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mime_type: Option<String>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// The bytes, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blob: Option<String>,
}

impl McpResources {
    /// The lists of a server.
    pub(crate) fn new(server: &str, listed: &Resources) -> Self {
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
    /// What was read.
    pub(crate) fn new(server: &str, contents: Vec<ResourceContents>) -> Self {
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
pub(crate) struct McpPrompts {
    /// The server.
    pub(crate) server: String,
    /// Its prompts, in its order.
    pub(crate) prompts: Vec<McpListedPrompt>,
}

/// A prompt that a server lists.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpListedPrompt {
    /// The name on the server.
    pub(crate) name: String,
    /// The command that it is in a session.
    pub(crate) command: String,
    /// How its arguments are typed: `<needed> [not needed]`.
    pub(crate) usage: String,
    /// What it is for, in the server's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

/// A prompt that was filled in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpPrompt {
    /// The server.
    pub(crate) server: String,
    /// The prompt.
    pub(crate) prompt: String,
    /// What it says.
    pub(crate) messages: Vec<McpMessage>,
}

/// One message of a prompt.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpMessage {
    /// Who says it: `user` or `assistant`.
    pub(crate) role: &'static str,
    /// Its block, as the server sent it.
    pub(crate) content: Value,
    /// Its text, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

impl McpPrompts {
    /// The list of a server, and what the prompts are called in a session.
    pub(crate) fn new(server: &str, prompts: &[Prompt], names: &Names) -> Self {
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
    /// What a server made of a prompt.
    pub(crate) fn new(server: &str, prompt: &str, filled: &PromptResult) -> Self {
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

/// How it stands with a login.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpAccount {
    /// The server.
    pub(crate) server: String,
    /// What came of it.
    pub(crate) state: McpAccountState,
    /// What the tokens are good for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) scopes: Vec<String>,
    /// Whether they can be renewed without the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) renewable: Option<bool>,
    /// Where they are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kept: Option<McpKept>,
    /// What the user should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// Where tokens are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "in", rename_all = "kebab-case")]
pub(crate) enum McpKept {
    /// In a file that its owner alone can read.
    File {
        /// Its path.
        path: String,
    },
    /// In the keyring of the system.
    Keyring,
    /// In a place of its own.
    Elsewhere {
        /// Which one.
        what: String,
    },
}

impl McpKept {
    /// Where a store says that it keeps them.
    pub(crate) fn new(kept: &Kept) -> Self {
        match kept {
            Kept::File(path) => Self::File { path: path.display().to_string() },
            Kept::Keyring => Self::Keyring,
            Kept::Elsewhere(what) => Self::Elsewhere { what: what.to_string() },
        }
    }
}

/// What came of a login, or of logging out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum McpAccountState {
    /// There are tokens now.
    LoggedIn,
    /// The server is connected without a new login.
    Connected,
    /// There are no tokens any more.
    LoggedOut,
    /// There were none.
    NotLoggedIn,
}
