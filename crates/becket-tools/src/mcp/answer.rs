//! A server's answer, for the model and for hooks.

use becket_engine::{ToolFailure, ToolOutput};
use becket_llm::Block;
use becket_mcp::{ByteCap, CallResult, LimitedResult, OutputCaps, ResourceBody, ResourceContents, ShownPart};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The storage of outputs that are too long for a model.
#[derive(Debug, Clone)]
pub(super) struct OutputStore {
    pub(super) caps: OutputCaps,
    pub(super) dir: PathBuf,
}

impl OutputStore {
    /// Converts the result of a call to an output. Files are written outside of the runtime's threads.
    pub(super) async fn output(&self, result: CallResult) -> Result<ToolOutput, ToolFailure> {
        let Self { caps, dir } = self.clone();
        let shown = tokio::task::spawn_blocking(move || {
            let limited = result.limited(&caps, &dir);
            (result, limited)
        });
        let (result, limited) = shown.await.map_err(lost)?;
        if result.is_error {
            let text = limited.text();
            let message =
                if text.trim().is_empty() { "the tool says that it failed".to_owned() } else { text };
            return Err(ToolFailure::new(message));
        }
        Ok(ToolOutput::new(blocks(limited), result.tool_response()))
    }

    /// Returns an output of text, which goes to a file if it is too long.
    pub(super) async fn text(&self, text: String, response: Value) -> Result<ToolOutput, ToolFailure> {
        let result = CallResult::replacement(Value::String(text));
        let result = result.map_err(|error| ToolFailure::new(error.to_string()))?;
        let Self { caps, dir } = self.clone();
        let limited = tokio::task::spawn_blocking(move || result.limited(&caps, &dir)).await.map_err(lost)?;
        Ok(ToolOutput::new(blocks(limited), response))
    }

    /// Returns the parts of a resource, for hooks. Bytes are saved to files, and a part names its file.
    pub(super) async fn parts(&self, contents: Vec<ResourceContents>) -> Result<Vec<Value>, ToolFailure> {
        let Self { caps, dir } = self.clone();
        let parts = move || {
            let mut left = caps;
            contents.into_iter().map(|content| part(content, &mut left, &dir)).collect()
        };
        tokio::task::spawn_blocking(parts).await.map_err(lost)
    }

    /// Returns the answer with which a hook replaced another (D11).
    pub(super) fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let result = CallResult::replacement(value.clone()).map_err(|error| error.to_string())?;
        let limited = result.limited(&self.caps, Path::new(&self.dir));
        Ok(ToolOutput::new(blocks(limited), value.clone()))
    }
}

fn lost(_: tokio::task::JoinError) -> ToolFailure {
    ToolFailure::new("the host ended before it had read the answer")
}

/// Describes a part of a resource, within the caps that are left.
fn part(content: ResourceContents, left: &mut OutputCaps, dir: &Path) -> Value {
    let mut part = json!({"uri": content.uri});
    if let Some(kind) = &content.mime_type {
        part["mimeType"] = json!(kind);
    }
    match &content.body {
        ResourceBody::Text(text) => part["text"] = json!(text),
        ResourceBody::Blob(_) => match saved(content, left, dir) {
            Ok(path) => part["blobSavedTo"] = json!(path),
            Err(why) => part["text"] = json!(format!("[left out: {why}]")),
        },
    }
    part
}

/// Saves bytes to a new file; pictures too, since a file can be read again.
fn saved(content: ResourceContents, left: &mut OutputCaps, dir: &Path) -> Result<PathBuf, String> {
    let few = left.blocks.checked_sub(1).ok_or("the resource has too many parts that are not text")?;
    left.blocks = few;
    let block = content.into_content().value().clone();
    let result = CallResult::replacement(Value::Array(vec![block])).map_err(|error| error.to_string())?;
    let caps = OutputCaps { image: ByteCap::bytes(0), blocks: 1, ..left.clone() };
    let LimitedResult { files, problems, .. } = result.limited(&caps, dir);
    let why = || problems.first().map_or_else(|| "it can't be saved".to_owned(), ToString::to_string);
    let file = files.into_iter().next().ok_or_else(why)?;
    let size = file.metadata().map_or(usize::MAX, |found| usize::try_from(found.len()).unwrap_or(usize::MAX));
    left.files = ByteCap::bytes(left.files.get().saturating_sub(size));
    Ok(file)
}

fn blocks(limited: LimitedResult) -> Vec<Block> {
    let block = |shown| match shown {
        ShownPart::Text(text) => Block::Text(text),
        ShownPart::Image { media_type, data } => Block::Image { media_type: media_type.to_owned(), data },
    };
    limited.shown.into_iter().map(block).collect()
}
