//! A server's answer, for the model and for hooks.

use becket_engine::{ToolFailure, ToolOutput};
use becket_llm::Block;
use becket_mcp::{CallResult, LimitedResult, OutputCaps, ShownPart};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The place for output that is too long for a model.
#[derive(Debug, Clone)]
pub(super) struct OutputStore {
    pub(super) caps: OutputCaps,
    pub(super) dir: PathBuf,
}

impl OutputStore {
    /// The answer of a call. Files are written off the runtime's threads.
    pub(super) async fn output(&self, result: CallResult) -> Result<ToolOutput, ToolFailure> {
        let Self { caps, dir } = self.clone();
        let shown = tokio::task::spawn_blocking(move || {
            let limited = result.limited(&caps, &dir);
            (result, limited)
        });
        let (result, limited) =
            shown.await.map_err(|_| ToolFailure::new("the host ended before it had read the answer"))?;
        if result.is_error {
            let text = limited.text();
            let said = if text.trim().is_empty() { "the tool says that it failed".to_owned() } else { text };
            return Err(ToolFailure::new(said));
        }
        Ok(ToolOutput::new(blocks(limited), result.tool_response()))
    }

    /// Returns the answer that a hook gave instead of another (D11).
    pub(super) fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let result = CallResult::replacement(value.clone()).map_err(|error| error.to_string())?;
        let limited = result.limited(&self.caps, Path::new(&self.dir));
        Ok(ToolOutput::new(blocks(limited), value.clone()))
    }
}

fn blocks(limited: LimitedResult) -> Vec<Block> {
    let block = |shown| match shown {
        ShownPart::Text(text) => Block::Text(text),
        ShownPart::Image { media_type, data } => Block::Image { media_type: media_type.to_owned(), data },
    };
    limited.shown.into_iter().map(block).collect()
}
