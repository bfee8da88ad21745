//! Responses of a correct server.

use serde_json::{Value, json};

use super::plan::{Eras, Plan};
use super::received_request::ReceivedRequest;
use super::reply::{Reply, Step, text_content};
use super::state::State;

const NEWEST: &str = "2026-07-28";
const INITIALIZE: &str = "2025-11-25";

/// Returns the answer to a request without a rule.
pub(super) fn answer(plan: &Plan, state: &State, seen: &ReceivedRequest) -> Reply {
    match seen.verb.as_str() {
        "POST" => post(plan, state, seen),
        "GET" if !plan.has_stream => Reply::status(405),
        "GET" if plan.has_sessions && !state.has_session(seen.session()) => Reply::expired(),
        "GET" => Reply::Listen,
        "DELETE" if state.forget(seen.session()) => Reply::status(204),
        "DELETE" => Reply::expired(),
        _ => Reply::status(405),
    }
}

fn post(plan: &Plan, state: &State, seen: &ReceivedRequest) -> Reply {
    let is_newest = seen.header("mcp-protocol-version") == Some(NEWEST);
    if plan.eras == Eras::Initialize && is_newest {
        return Reply::error(400, &Value::Null, -32000, "Bad Request: Unsupported protocol version");
    }
    if plan.eras == Eras::Discover && !is_newest {
        return Reply::error(400, seen.id(), -32600, "this server has no `initialize`");
    }
    if seen.rpc() == "initialize" {
        return initialize(plan, state, seen);
    }
    if plan.has_sessions && !is_newest {
        match seen.session() {
            None => return Reply::error(400, &Value::Null, -32000, "Bad Request: Server not initialized"),
            known if !state.has_session(known) => return Reply::expired(),
            Some(_) => {}
        }
    }
    if seen.id().is_null() || seen.rpc().is_empty() {
        return Reply::status(202);
    }
    request(plan, seen)
}

fn initialize(plan: &Plan, state: &State, seen: &ReceivedRequest) -> Reply {
    let requested = seen.body["params"]["protocolVersion"].as_str().unwrap_or(INITIALIZE);
    let version = if requested == NEWEST { INITIALIZE } else { requested };
    let result = json!({
        "protocolVersion": version, "capabilities": capabilities(), "serverInfo": {"name": "testkit", "version": "1"},
    });
    let reply = Reply::result(seen, &result);
    if plan.has_sessions { reply.with("Mcp-Session-Id", &state.session()) } else { reply }
}

fn request(plan: &Plan, seen: &ReceivedRequest) -> Reply {
    match seen.rpc() {
        "server/discover" => Reply::result(
            seen,
            &json!({
                "resultType": "complete", "supportedVersions": [NEWEST], "capabilities": capabilities(),
                "ttlMs": 0, "cacheScope": "private",
            }),
        ),
        "ping" => Reply::result(seen, &json!({})),
        "tools/list" => list(plan, seen),
        "tools/call" => call(seen),
        _ => Reply::error(200, seen.id(), -32601, "no such method"),
    }
}

fn capabilities() -> Value {
    json!({"tools": {"listChanged": true}, "logging": {}})
}

fn list(plan: &Plan, seen: &ReceivedRequest) -> Reply {
    let cursor = seen.body["params"]["cursor"].as_str();
    let from: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let tools: Vec<&Value> = plan.tools.iter().skip(from).take(plan.page).collect();
    let mut result = json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
    if from + plan.page < plan.tools.len() {
        result["nextCursor"] = json!((from + plan.page).to_string());
    }
    Reply::result(seen, &result)
}

fn call(seen: &ReceivedRequest) -> Reply {
    let arguments = &seen.body["params"]["arguments"];
    match seen.tool() {
        "echo" => Reply::text_result(seen, arguments["text"].as_str().unwrap_or("")),
        "destroy" => Reply::text_result(seen, "destroyed"),
        "count" => Reply::stream(count(seen)),
        "ask" => Reply::stream(ask(seen)),
        tool => Reply::error(200, seen.id(), -32602, &format!("Unknown tool: {tool}")),
    }
}

fn count(seen: &ReceivedRequest) -> Vec<Step> {
    let token = &seen.body["params"]["_meta"]["progressToken"];
    let progress = |done: u32| {
        Step::notice("notifications/progress", &json!({"progressToken": token, "progress": done, "total": 3}))
    };
    let mut steps: Vec<Step> = if token.is_null() { Vec::new() } else { (1..=3).map(progress).collect() };
    steps.push(Step::text_result(seen, "counted"));
    steps
}

fn ask(seen: &ReceivedRequest) -> Vec<Step> {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let params = json!({"mode": "form", "message": "who are you?", "requestedSchema": schema});
    let id = seen.id().clone();
    let question = format!("question {id}");
    vec![
        Step::Ask(
            json!({"jsonrpc": "2.0", "id": question, "method": "elicitation/create", "params": params}),
        ),
        Step::Answered(Box::new(move |answer| {
            let result = answer.get("result").or(answer.get("error")).map(Value::to_string);
            json!({"jsonrpc": "2.0", "id": id, "result": text_content(&result.unwrap_or_default())})
        })),
    ]
}
