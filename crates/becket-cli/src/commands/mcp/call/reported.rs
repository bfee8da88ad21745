//! Converts the report of a call through hooks into its printed result.

use becket_agent::tool_call::{CallEnd, DeniedBy, Report};
use becket_embed::view::fired::for_the_user;
use becket_embed::view::mcp::{McpCalled, McpEnded};
use becket_llm::Block;

/// Returns the result of a call that passed through hooks and rules.
pub(super) fn of_report(report: &Report) -> McpCalled {
    let mut called = McpCalled::new(&report.call.name, true);
    match &report.ended {
        CallEnd::Done { output } => {
            called.text = Some(text(&output.content));
            called.response = Some(output.response.clone());
        }
        CallEnd::Failed { error, .. } => called.record_end(McpEnded::Failed, error.clone()),
        CallEnd::Invalid { error } => called.record_end(McpEnded::Invalid, error.clone()),
        CallEnd::Denied { by, because } => {
            called.denied(denied_by(*by), because.clone());
        }
        CallEnd::Stopped { because } => called.record_end(McpEnded::Stopped, because.clone()),
        CallEnd::Deferred => called.record_end(McpEnded::Deferred, "a hook put it off".to_owned()),
        CallEnd::Cancelled { .. } => called.record_end(McpEnded::Failed, "it was cancelled".to_owned()),
    }
    called.beside = report.beside();
    called.warnings.clone_from(&report.warnings);
    called.warnings.extend(report.outcomes.iter().filter_map(|outcome| for_the_user(&outcome.verdict)));
    called.ms = report.took.map(|took| took.as_secs_f64() * 1e3);
    called
}

pub(super) fn denied_by(by: DeniedBy) -> &'static str {
    match by {
        DeniedBy::Hook => "hook",
        DeniedBy::Rule => "rule",
        DeniedBy::Mode => "mode",
        DeniedBy::Rewrite => "rewrite",
        DeniedBy::Person => "person",
        DeniedBy::Classifier => "classifier",
        DeniedBy::Nobody => "nobody",
    }
}

/// Joins the blocks of an answer, one below the other.
fn text(blocks: &[Block]) -> String {
    let shown = |block: &Block| match block {
        Block::Text(text) => text.clone(),
        Block::Image { media_type, data } => {
            format!("[{media_type}, {} characters of base64: `--json` shows them]", data.len())
        }
        Block::ToolUse { .. }
        | Block::ToolResult { .. }
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. }
        | Block::Other(_) => "[a block that is not text]".to_owned(),
    };
    blocks.iter().map(shown).collect::<Vec<_>>().join("\n")
}
