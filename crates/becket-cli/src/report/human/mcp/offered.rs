//! The resources, prompts and results of servers, for people.

use crate::report::style::{FAINT, HEAD, SOURCE, indented, one_line, plain, styled};
use becket_embed::view::mcp::{McpCalled, McpContents, McpPrompt, McpPrompts, McpResource, McpResources};

/// Returns the output of `call`: the answer, and the messages.
pub(crate) fn call_output(called: &McpCalled) -> String {
    let mut text = called.text.as_deref().map(with_end).unwrap_or_default();
    for beside in &called.beside {
        text.push_str(&format!("{} {}\n", styled(SOURCE, "hook:"), plain(beside)));
    }
    text
}

/// Returns the output of `resources`: the list of resources.
pub(crate) fn resources(listed: &McpResources) -> String {
    if listed.resources.is_empty() && listed.templates.is_empty() {
        return "it has no resources\n".to_owned();
    }
    let line = |resource: &McpResource| {
        let size = resource.size.map(|size| format!("{size} bytes"));
        let more: Vec<&str> =
            [resource.mime_type.as_deref(), size.as_deref()].into_iter().flatten().collect();
        let mut text = format!(
            "{}  {}  {}\n",
            styled(HEAD, &one_line(&resource.uri, 300)),
            styled(SOURCE, &one_line(&resource.name, 100)),
            styled(FAINT, &one_line(&more.join(", "), 100))
        );
        if let Some(description) = &resource.description {
            text.push_str(&indented(&one_line(description, 300), 4));
        }
        text
    };
    let mut text: String = listed.resources.iter().map(line).collect();
    if !listed.templates.is_empty() {
        text.push_str("families\n");
        text.extend(listed.templates.iter().map(line));
    }
    text
}

/// Returns the output of `resources URI`: the text of a resource.
pub(crate) fn contents(contents: &McpContents) -> String {
    let mut text = String::new();
    for part in &contents.contents {
        match (&part.text, &part.blob) {
            (Some(part), _) => text.push_str(&with_end(part)),
            (None, Some(blob)) => {
                let kind = part.mime_type.as_deref().unwrap_or("bytes of no kind");
                let note = format!("[{kind}, {} characters of base64: `--json` shows them]\n", blob.len());
                text.push_str(&plain(&note));
            }
            (None, None) => {}
        }
    }
    text
}

/// Returns the output of `prompts`: the list of prompts.
pub(crate) fn prompts(listed: &McpPrompts) -> String {
    if listed.prompts.is_empty() {
        return "it has no prompts\n".to_owned();
    }
    let mut text = String::new();
    for prompt in &listed.prompts {
        let command = format!("{} {}", prompt.command, prompt.usage);
        let (command, name) = (one_line(&command, 300), one_line(&prompt.name, 100));
        text.push_str(&format!("{}  {}\n", styled(HEAD, &command), styled(SOURCE, &name)));
        if let Some(description) = &prompt.description {
            text.push_str(&indented(&one_line(description, 300), 4));
        }
    }
    text
}

/// Returns the output of `prompts PROMPT`: its messages.
pub(crate) fn prompt(prompt: &McpPrompt) -> String {
    let mut text = String::new();
    for message in &prompt.messages {
        text.push_str(&format!("{}\n", styled(HEAD, message.role)));
        let shown = message.text.clone().unwrap_or_else(|| message.content.to_string());
        text.push_str(&indented(&shown, 2));
    }
    text
}

fn with_end(text: &str) -> String {
    let mut shown = plain(text);
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown
}
