//! Runs an approved call, and reports the result to hooks.

use super::approved_call::{ApprovedCall, ToolResult};
use super::calls::CallContext;
use super::hook_log::HookLog;
use super::report::CallEnd;
use becket_engine::{CancellationToken, ToolFailure, ToolOutput};
use becket_model::Event;
use becket_model::event::tool::{PostToolUse, PostToolUseFailure};
use serde_json::{Map, Value};
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum number of characters of an error that hooks see.
const MOST_OF_AN_ERROR: usize = 10_000;

/// The time limit for the hooks of an interrupted call, which the user waits for.
const INTERRUPTED: Duration = Duration::from_millis(1500);

/// Runs the call, and fires PostToolUse or PostToolUseFailure.
pub(super) async fn carry_out(at: &CallContext<'_>, approved: ApprovedCall, log: &mut HookLog) -> CallEnd {
    let started = Instant::now();
    let (input, ran) = approved.run(at).await;
    log.took = Some(started.elapsed());
    match ran {
        ToolResult::Answered(output) => succeeded(at, input, output, log).await,
        ToolResult::Failed(failure) => failed(at, input, failure, log).await,
        ToolResult::Cancelled => {
            interrupted(at, input, log).await;
            CallEnd::Cancelled { started: true }
        }
    }
}

async fn succeeded(
    at: &CallContext<'_>,
    input: Map<String, Value>,
    output: ToolOutput,
    log: &mut HookLog,
) -> CallEnd {
    let event = at.event(
        PostToolUse::new(at.call.name.clone(), input, at.call.id.clone(), output.response.clone())
            .mcp_server(at.mcp_server())
            .duration_ms(milliseconds(log)),
    );
    let outcome = log.fire(&at.calls.engine, &event, at.cancel).await;
    let mut fields = outcome.verdict.fields.clone();
    // Only the output of an MCP tool can be replaced as a whole (D11).
    let of_mcp = fields.updated_mcp_tool_output.clone().filter(|_| at.tool.server().is_some());
    let output = match fields.updated_tool_output.clone().or(of_mcp) {
        None => output,
        Some(said) => match at.tool.replaced(&said.what) {
            Ok(replaced) => replaced,
            Err(wrong) => {
                fields.refuse_tool_output();
                log.warnings.push(format!(
                    "the output that the hook `{}` ({}) put in the place of the tool's own is ignored: {wrong}",
                    said.label, said.source
                ));
                output
            }
        },
    };
    log.classifier_context = fields.classifier_context;
    CallEnd::Done { output }
}

async fn failed(
    at: &CallContext<'_>,
    input: Map<String, Value>,
    failure: ToolFailure,
    log: &mut HookLog,
) -> CallEnd {
    let ToolFailure { error, interrupted, .. } = failure;
    let event = failure_event(at, input, &error, interrupted, log);
    drop(log.fire(&at.calls.engine, &event, at.cancel).await);
    CallEnd::Failed { error, interrupted }
}

/// Reports an interrupted call to its hooks. The hooks are not interrupted, but have a short time limit.
async fn interrupted(at: &CallContext<'_>, input: Map<String, Value>, log: &mut HookLog) {
    let event = failure_event(at, input, "the call was interrupted", true, log);
    let over = CancellationToken::new();
    let ends = over.clone().drop_guard();
    let mut fired = pin!(log.fire(&at.calls.engine, &event, &over));
    if tokio::time::timeout(INTERRUPTED, fired.as_mut()).await.is_err() {
        drop(ends);
        drop(fired.await);
    }
}

fn failure_event(
    at: &CallContext<'_>,
    input: Map<String, Value>,
    error: &str,
    interrupted: bool,
    log: &HookLog,
) -> Event {
    at.event(
        PostToolUseFailure::new(at.call.name.clone(), input, at.call.id.clone(), without_middle(error))
            .mcp_server(at.mcp_server())
            .is_interrupt(interrupted)
            .duration_ms(milliseconds(log)),
    )
}

fn milliseconds(log: &HookLog) -> Option<u64> {
    log.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

/// Returns the head and the tail of a text that is too long, with a note in between.
fn without_middle(text: &str) -> String {
    let length = text.chars().count();
    if length <= MOST_OF_AN_ERROR {
        return text.to_owned();
    }
    let half = MOST_OF_AN_ERROR / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length - half).collect();
    format!("{head}\n… {} characters left out …\n{tail}", length - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_keeps_its_ends() {
        // rule: L1
        assert_eq!(without_middle("short"), "short");
        let exact = "é".repeat(MOST_OF_AN_ERROR);
        assert_eq!(without_middle(&exact), exact);
        let cut = without_middle(&format!("head{}tail", "é".repeat(20_000)));
        assert!(cut.starts_with("headé") && cut.ends_with("étail"), "{cut}");
        assert!(cut.contains("… 10008 characters left out …"), "{cut}");
    }
}
