//! Prompts and resources of MCP servers that the user types (`protocol.md` X8).

use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_mcp::{Content, Mention, Names, Pool, PromptCall, PromptRole, ResourceBody, ResourceContents};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The time limit for a server.
const LIMIT: Duration = Duration::from_secs(60);
/// The maximum number of resources in one prompt.
const MOST: usize = 20;
/// The maximum number of characters of a resource.
const LONGEST: usize = 100 * 1024;

/// Returns whether a command belongs to an existing server.
pub(super) fn is_of_a_server(pool: &Pool, command: &str) -> bool {
    let servers = pool.servers();
    let names = Names::build(servers.iter().map(|view| (view.name.as_str(), [])));
    servers.iter().filter_map(|view| names.prefix(&view.name)).any(|prefix| command.starts_with(prefix))
}

/// Returns a server's expansion of one of its prompts.
///
/// # Errors
/// Errors with a message for the user if the prompt does not exist, its arguments don't fit, or the server did not
/// answer.
pub(super) async fn prompt(
    pool: &Pool,
    command: &str,
    typed: &str,
    cancel: &CancellationToken,
) -> Result<Vec<Block>, String> {
    let mut listed = Vec::new();
    for view in pool.servers() {
        // A server that can't list its prompts is skipped; those of the others still count.
        if let Ok(prompts) = pool.prompts(&view.name, cancel).await {
            listed.push((view.name, prompts));
        }
    }
    let names =
        Names::of_prompts(listed.iter().map(|(server, prompts)| (server.as_str(), prompts.as_slice())));
    let Some(name) = names.get(command) else {
        let known: Vec<&str> = names.iter().map(|name| &*name.full).collect();
        return Err(crate::definitions::unknown("prompt", command, &known));
    };
    let prompts =
        listed.iter().find(|(server, _)| **server == *name.server).map(|(_, prompts)| Arc::clone(prompts));
    let prompts = prompts.unwrap_or_default();
    let found = prompts.iter().find(|prompt| *prompt.name == *name.name);
    let prompt = found.ok_or_else(|| format!("the prompt `{command}` is gone"))?;
    let arguments = prompt.arguments(typed).map_err(|error| error.to_string())?;
    let call = PromptCall { name: &prompt.name, arguments, limit: LIMIT };
    let result = pool.prompt(&name.server, call, cancel).await.map_err(|error| error.to_string())?;
    let blocks: Vec<Block> =
        result.messages.iter().map(|message| block(&message.content, message.role)).collect();
    if blocks.is_empty() { Err(format!("the server made nothing of `/{command}`")) } else { Ok(blocks) }
}

/// Returns the resources that a text mentions, one text each; if one can't be read, the text is the error.
pub(super) async fn resources(pool: &Pool, text: &str, cancel: &CancellationToken) -> Vec<String> {
    let servers = pool.servers();
    let names: Vec<&str> = servers.iter().map(|view| view.name.as_str()).collect();
    let mut rendered = Vec::new();
    for Mention { server, uri, .. } in becket_mcp::mentions(text, &names).into_iter().take(MOST) {
        rendered.push(match pool.read_resource(server, uri, LIMIT, cancel).await {
            Ok(contents) => {
                let texts: Vec<String> = contents.iter().map(resource).collect();
                format!("Resource {uri} of {server}:\n\n{}", texts.join("\n\n"))
            }
            Err(error) => format!("`@{server}:{uri}` was not read: {error}"),
        });
    }
    rendered
}

fn resource(contents: &ResourceContents) -> String {
    match &contents.body {
        ResourceBody::Text(text) => match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}\n… the rest is left out", text.get(..end).unwrap_or_default()),
            None => text.clone(),
        },
        ResourceBody::Blob(data) => {
            let kind = contents.mime_type.as_deref().unwrap_or("unknown type");
            format!("({} bytes of {kind} in base64, not shown)", data.len())
        }
    }
}

/// Converts a message of a prompt. Text that the server attributes to the model is quoted: all of it is sent as the
/// user's.
fn block(content: &Content, role: PromptRole) -> Block {
    let value = content.value();
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    if let (Some("image"), Some(data), Some(media_type)) = (field("type"), field("data"), field("mimeType")) {
        return Block::Image { media_type: media_type.to_owned(), data: data.to_owned() };
    }
    let text = content.text().map_or_else(|| value.to_string(), str::to_owned);
    Block::Text(match role {
        PromptRole::User => text,
        PromptRole::Assistant => format!("Assistant: {text}"),
    })
}
