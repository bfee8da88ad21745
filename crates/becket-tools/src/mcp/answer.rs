//! A server's answer, for the model and for hooks.

use becket_engine::{ToolFailure, ToolOutput};
use becket_llm::Block;
use becket_mcp::{CallResult, LimitedResult, OutputCaps, ShownPart};
use serde_json::Value;
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
        let (result, limited) =
            shown.await.map_err(|_| ToolFailure::new("the host ended before it had read the answer"))?;
        if result.is_error {
            let text = limited.text();
            let message =
                if text.trim().is_empty() { "the tool says that it failed".to_owned() } else { text };
            return Err(ToolFailure::new(message));
        }
        Ok(ToolOutput::new(blocks(limited), result.tool_response()))
    }

    /// Returns the answer with which a hook replaced another (D11).
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
