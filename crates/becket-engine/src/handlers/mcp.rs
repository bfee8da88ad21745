//! Calls a tool of a connected MCP server and reads its text as a command's stdout (H6).
//!
//! Nothing is connected here, and the call fires no hooks. The host's MCP layer implements [`McpTools`].

use crate::config::handler::{Handler, McpTool};
use crate::handlers::context::HandlerContext;
use crate::host::mcp_tools::McpCall;
use crate::host::panic::catch_service_panic;
use crate::report::handler_result::HandlerResult;
use crate::report::outcome::OutputSizes;
use crate::report::run_event::{OutputStream, RunEventKind};
use becket_model::Failure;
use becket_model::interpret::{self, OutputOrigin};
use bytes::Bytes;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Runs the handler.
pub(crate) async fn run(
    context: &HandlerContext<'_>,
    handler: &Arc<Handler>,
    tool: &McpTool,
) -> HandlerResult {
    let failed =
        |message: String| HandlerResult::without_process(interpret::failed(Failure::McpTool { message }));
    let Some(servers) = &context.engine.host.mcp else {
        let message =
            format!("the MCP server `{}` is not connected: this host has no MCP servers", tool.server);
        return failed(message);
    };
    let limit = context.limit_of(handler);
    let cancel = context.cancel.child_token();
    let _told_when_dropped = cancel.clone().drop_guard();
    let input = filled(&tool.input, || serde_json::from_slice(&context.stdin()).unwrap_or_default());
    let call = McpCall { server: &tool.server, tool: &tool.tool, input, limit, cancel: &cancel };
    // Async around the call, which can panic before there is a future.
    let answer = catch_service_panic(async { servers.call(call).await });
    match context.within(limit, answer).await.map(Result::flatten) {
        Ok(Ok(answer)) if answer.is_error => failed(format!("`{}` says: {}", tool.tool, answer.text)),
        Ok(Ok(answer)) => interpreted(context, handler, answer.text),
        Ok(Err(message)) => failed(message),
        Err(failure) => HandlerResult::without_process(interpret::failed(failure)),
    }
}

/// Interprets the text; reports keep as much of it as of a command's stdout.
fn interpreted(context: &HandlerContext<'_>, handler: &Arc<Handler>, text: String) -> HandlerResult {
    let mut stdout = Bytes::from(text);
    let output = interpret::HandlerOutput {
        stdout: &stdout,
        on_failure: context.on_failure(handler),
        ..interpret::HandlerOutput::nothing(OutputOrigin::McpText)
    };
    let taken = interpret::printed(context.event.kind().spec(), &output);
    let printed = OutputSizes { stdout: stdout.len() as u64, stderr: 0 };
    stdout.truncate(context.engine.limits.stdout_cap.get());
    context.emit(|| RunEventKind::Output {
        handler: handler.clone(),
        stream: OutputStream::Stdout,
        bytes: stdout.as_ref().into(),
    });
    HandlerResult { stdout, printed, ..HandlerResult::without_process(taken) }
}

/// Returns the input with `${path.to.field}` filled from the event's JSON, in strings alone and at any depth.
fn filled(input: &Map<String, Value>, json: impl FnOnce() -> Value) -> Map<String, Value> {
    let mut filled = Value::Object(input.clone());
    if wants_filling(&filled) {
        fill(&mut filled, &json());
    }
    match filled {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

fn wants_filling(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${"),
        Value::Array(values) => values.iter().any(wants_filling),
        Value::Object(map) => map.values().any(wants_filling),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn fill(value: &mut Value, json: &Value) {
    match value {
        Value::String(text) => *text = filled_text(text, json),
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, json)),
        Value::Object(map) => map.values_mut().for_each(|value| fill(value, json)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Fills placeholders once. Filled-in text is not expanded again, so a tool call can't smuggle in a path.
fn filled_text(text: &str, json: &Value) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((path, behind)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            break;
        };
        match at(json, path) {
            Some(Value::String(text)) => out.push_str(text),
            Some(other) => out.push_str(&other.to_string()),
            None => {}
        }
        rest = behind;
    }
    out + rest
}

/// Returns the value at a dotted path; a number selects an item of a list.
fn at<'a>(json: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(json, |value, step| match value {
        Value::Object(map) => map.get(step),
        Value::Array(values) => values.get(step.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled_from(input: Value, json: Value) -> Value {
        Value::Object(filled(input.as_object().unwrap(), || json))
    }

    #[test]
    fn strings_are_filled_from_the_input_and_nothing_else_is() {
        // rule: H6
        let event = json!({
            "tool_name": "Write",
            "tool_input": {"file_path": "/a b", "n": 3, "list": ["x", {"y": null}], "evil": "${tool_name}"},
        });
        for (template, expected) in [
            ("plain", "plain"),
            ("${tool_name}", "Write"),
            ("<${tool_input.file_path}|${tool_name}>", "</a b|Write>"),
            ("${tool_input.n}", "3"),
            ("${tool_input.list}", "[\"x\",{\"y\":null}]"),
            ("${tool_input.list.0}", "x"),
            ("${tool_input.list.1.y}", "null"),
            ("${tool_input.list.9}", ""),
            ("${no.such.path}", ""),
            ("${}", ""),
            ("${tool_name", "${tool_name"),
            ("$tool_name $${tool_name}", "$tool_name $Write"),
            ("${tool_input.evil}", "${tool_name}"),
        ] {
            let input = json!({"a": [{"b": template}], "${tool_name}": 1, "n": 1});
            let expected = json!({"a": [{"b": expected}], "${tool_name}": 1, "n": 1});
            assert_eq!(filled_from(input, event.clone()), expected, "{template}");
        }
    }

    #[test]
    fn an_input_without_placeholders_needs_no_json() {
        // rules: H6, N2
        let input = json!({"a": "b", "c": [1, "d"]});
        let same = filled(input.as_object().unwrap(), || unreachable!("nothing asks for it"));
        assert_eq!(Value::Object(same), input);
    }
}
